"""The examples of the page about adding to the program, taken out of it and run."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.context.registry import LAYERS, check_order
from familiar_app.conversation.tool_registry import REGISTRY, check_tools
from familiar_app.domain.chat import ChatRequest, Finished, Message, RequestSent, TextDelta
from familiar_app.domain.clock import FixedClock
from familiar_app.projectors.port import Desk
from familiar_app.projectors.registry import known_projectors, register_projector, unregister_projector
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.docs.pages import PROJECT, tokens_of
from tests.doubles.waiting import until
from tests.ui.conftest import OnLoop
from tests.ui.double import World
from tests.ui.pictures import settle
from tests.ui.test_window import with_window
from tests.unit.projectors.scene import MIRA, ToldModel, make_config
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE

WINTER, SUMMER = datetime(2024, 1, 1, 12, tzinfo=UTC), datetime(2024, 7, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Everything the page defines."""
    names: dict[str, Any] = {"__name__": "extending"}
    for token in tokens_of(PROJECT / "docs" / "extending.md"):
        if token.type == "fence" and token.info == "python":
            exec(compile(token.content, "docs/extending.md", "exec"), names)
    return names


async def test_the_layer(shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    layer = shown["SeasonLayer"]()
    monkeypatch.setitem(LAYERS, layer.name, shown["SeasonLayer"])
    check_order(["season", "recent_history"], "context.prompt_layers")
    cold, warm = (SimpleNamespace(now=now, config=make_config()) for now in (WINTER, SUMMER))
    assert await layer.build(cold) == "It is winter."
    assert await layer.build(warm) == "It is summer."
    assert await layer.invalidation_key(cold) != await layer.invalidation_key(warm)


def test_the_projector(shown: dict[str, Any], tmp_path: Path, qapp: QApplication) -> None:
    async def test() -> None:
        clock = FixedClock(WINTER)
        vault = await Vault.create(
            tmp_path / "p" / "vault.db", PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP
        )
        register_projector("census", shown["Census"])
        assert known_projectors()[-1] == "census"
        running = asyncio.create_task(
            shown["Census"](Desk(MIRA, "Mira", vault, ToldModel(), make_config(), clock)).run()
        )
        try:
            kept = None
            async with asyncio.timeout(60):
                while kept is None:
                    await asyncio.sleep(0.01)
                    kept = await vault.state.get("census")
            assert kept == 0
        finally:
            unregister_projector("census")
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await vault.close()

    run(test(), app=qapp)


def test_the_panel(shown: dict[str, Any], world: World, on_loop: OnLoop) -> None:
    world.parts = replace(world.parts, panels=(*world.parts.panels, shown["HelloPanel"]))

    async def test(window: Any) -> None:
        window.frame.show_panel("hello")
        await settle()
        panel = window.frame.panel("hello")
        await until(panel.widget.isVisible)
        assert panel.widget.text() == "Hello from mira."
        window.frame.open_palette()
        assert window.frame.actions_registry.find("panel.hello").title == "Go to Hello"

    on_loop(with_window(world, test))


async def test_the_model(shown: dict[str, Any]) -> None:
    model = shown["EchoModel"]()
    said = (Message("system", "Be brief."), Message("user", "Good morning."))
    events = [event async for event in model.stream(ChatRequest("prose", "reply", said, 20))]
    assert [type(one) for one in events] == [RequestSent, TextDelta, Finished]
    assert events[1].text == "Good morning."
    assert (await model.count_tokens(["", "Good morning."]))[1] > 0
    assert await model.count_prompt_tokens(said) > 0


async def test_the_tool(shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    tool = shown["DiceTool"]
    monkeypatch.setitem(REGISTRY, tool.spec.name, tool)
    check_tools(make_config('[conversation]\ntools = ["roll_dice"]'))
    caller: Any = None
    assert not (await tool(None).call({"sides": "many"}, caller)).success
    answer = await tool(None).call({"sides": 2}, caller)
    assert answer.success
    assert answer.text in ("It shows 1.", "It shows 2.")
