"""The window stays at hand while a long channel is open: opening, streaming, scrolling, jumping."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.bootstrap.window import spare_collector
from familiar_app.ui.chat.panel import ChatPanel, create_chat_panel
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView
from tests.benchmarks.beat import Beat
from tests.benchmarks.pace import Pace
from tests.doubles.waiting import until
from tests.unit.ui.chat.stage import MIRA, Stage, make_stage

pytestmark = pytest.mark.slow

TURNS = 100_000
HELD_MS = 50.0
REPLY = (
    '*She leans over the railing, the wind pulling at her scarf.* "Of course I am up. Somebody has to keep the lamp '
    'turning," she says, **slowly**, and counts the letters: one, two, three.\n\n'
) * 14


async def make(folder: Path, app: QApplication) -> tuple[Stage, ChatPanel, QWidget]:
    stage = await make_stage(folder)
    channel = await stage.channel()
    await stage.fill_quickly(channel, TURNS)
    newest = (await stage.vault.turns.page(channel.id, limit=1))[0]
    await stage.vault.channels.mark_read(channel.id, newest.id)
    context = PanelContext(
        theme=(theme := Theme(app, mode="light")),
        tasks=stage.tasks,
        status=StatusModel(),
        side_view=SideView(theme),
        familiar=MIRA,
    )
    panel = create_chat_panel(stage.services, context)
    panel.widget.resize(1180, 780)
    return stage, panel, panel.widget


def test_a_long_channel_never_holds_the_loop(
    tmp_path: Path, qapp: QApplication, pace: Pace, record_property: pytest.RecordProperty
) -> None:
    async def main() -> dict[str, tuple[float, float]]:
        stage, panel, window = await make(tmp_path, qapp)
        spare_collector()  # as the program does when it opens its window
        window.show()
        model, view = panel.view.model, panel.view
        seen: dict[str, tuple[float, float]] = {}

        beat, begun = Beat(), time.perf_counter()
        await until(lambda: model.open is not None and view.transcript.stack.shown)
        opened_s = time.perf_counter() - begun
        await until(lambda: model.open is not None and model.open.calendar.turns == TURNS)
        await asyncio.sleep(0.3)
        seen["open"] = beat.stop()
        record_property("open_s", round(opened_s, 3))

        stage.talk.pieces = [f"{word} " for word in REPLY.split(" ")]
        stage.talk.pause_s = 0.004
        beat = Beat()
        view.composer.setPlainText("Tell me about the letters.")
        view.deeds.do("send")
        await until(lambda: model.reply is not None and model.reply.over)
        await asyncio.sleep(0.3)
        seen["stream"] = beat.stop()
        assert model.open is not None
        assert view.transcript.stack.at_bottom()

        beat = Beat()
        for _ in range(150):
            view.transcript.scroll_by(-240)
            await asyncio.sleep(0.008)
        seen["scroll"] = beat.stop()
        assert len(model.open.window.turns) <= model.open.window.cap

        beat = Beat()
        for place in (0.1, 0.5, 0.9, 0.0):
            view.deeds.go_to_place(place)
            await asyncio.sleep(0.4)
        seen["jump"] = beat.stop()
        await until(lambda: model.open is not None and model.open.window.turns[0].id == 1)

        window.hide()
        await panel.close()
        await stage.vault.close()
        assert stage.errors == []
        return seen

    try:
        seen = run(main(), app=qapp)
    finally:
        gc.unfreeze()
    for what, (held, late) in seen.items():
        record_property(what, {"held_ms": round(held, 1), "pause_ms": round(late, 1)})
    allowed = pace.allow(HELD_MS)
    assert {what: held for what, (held, _) in seen.items() if held > allowed} == {}
