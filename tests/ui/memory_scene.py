"""The window over a real vault with a story of replaced facts, and a model that answers as it was told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact, NewFact
from familiar_app.domain.projection import NewReflection, NewRetirement
from familiar_app.domain.settings import CharacterConfig
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault
from familiar_app.ui.inbox.panel import create_inbox_panel
from familiar_app.ui.kit.panel import PanelFactory
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.upkeep.panel import create_upkeep_panel
from tests.ui.double import DoublePanel, World, make_world
from tests.ui.pictures import CARDS, settle, until
from tests.ui.timeline_scene import MIRA, NOW, day, new_vault, tell_story
from tests.unit.projectors.scene import ToldModel

STORY = (
    ("stance", "trip", "One is about evenings, the other about a journey.", -9, False),
    ("claim", "cat", "Somebody with a cat named Pixel has no time to cheat at cards.", -2, True),
)
"""Older fact, newer fact, reason, day, whether it waits."""
PANELS: tuple[PanelFactory, ...] = (create_inbox_panel, create_upkeep_panel)
Told = dict[str, Fact]
_SHARED = ("facts", "retirements", "health", "turns", "index", "vectors", "projections", "people", "channels")


async def tell_retirements(vault: Vault, clock: FixedClock, *, more: int = 0) -> Told:
    """Tell the story and have a model propose retirements: two done at once, one that waits, and `more`."""
    told = await tell_story(vault, clock)
    oslo = told["oslo"]
    thought = NewReflection(MIRA, "Ann is settled.", None, oslo.source_turns, (oslo.id,), oslo.source_turns[0], 1)

    def propose(writer: MemoryWriter) -> None:
        writer.add_reflection(thought, day(-100))
        for prior, successor, why, at, waits in STORY:
            new = NewRetirement(MIRA, told[prior].id, told[successor].id, why, "fact_supersede")
            writer.propose_retirement(new, day(at), act=not waits)

    await vault.projections.write(propose)
    for number in range(more):
        await _one_more(vault, told["cat"], number)
    return told


async def _one_more(vault: Vault, like: Fact, number: int) -> None:
    pair = []
    for word in ("harp", "lute"):
        text = f"Ben has played the {word} for {number + 2} years, and would not part with it for anything."
        new = NewFact(MIRA, text, "rich_note", subjects=like.subjects, source_turns=like.source_turns)
        pair.append((await vault.facts.append(new, at=day(-1)))[0])
    proposal = NewRetirement(MIRA, pair[0].id, pair[1].id, "It is another instrument now.", "fact_supersede")
    await vault.projections.write(lambda writer: writer.propose_retirement(proposal, day(-1), act=number % 3 > 0))


class MemoryScene:
    """A window whose vault is real where memory is concerned."""

    def __init__(self, window: MainWindow, world: World, vault: Vault, clock: FixedClock, model: ToldModel) -> None:
        self.window, self.world, self.vault, self.clock, self.model = window, world, vault, clock, model

    @property
    def hosted(self) -> Any:
        return self.world.gate.services.familiars[MIRA]

    def panel(self, name: str) -> Any:
        """Show a panel and return it."""
        self.window.frame.show_panel(name)
        return self.window.frame.panel(name)

    @property
    def side(self) -> Any:
        return self.window.frame.side_view


async def with_scene(
    root: Path,
    theme: Theme,
    test: Callable[[MemoryScene], Awaitable[None]],
    *,
    look: tuple[str, float] = ("light", 1.0),
    fill: Callable[[Vault, FixedClock], Awaitable[Any]] | None = None,
    weak: bool = False,
    model: ToldModel | None = None,
    size: tuple[int, int] = (1180, 780),
) -> None:
    """Run a test over a window with a vault that `fill` has filled, and put everything away behind it."""
    clock = FixedClock(NOW)
    (root / "v").mkdir(parents=True)
    vault = await new_vault(root / "v", clock)
    if fill is not None:
        await fill(vault, clock)
    world = make_world(root / "profile", theme, cards=CARDS)
    world.gate.profile.save_settings({"theme": look[0], "zoom": look[1]})
    model = model or ToldModel()
    _join(world, vault, clock, model, weak=weak)
    window = MainWindow(world.parts)
    window.start()
    window.resize(*size)
    await settle()
    window.activateWindow()
    await until(lambda: window.frame is not None and window.isActiveWindow())
    try:
        await test(MemoryScene(window, world, vault, clock, model))
    finally:
        await window.prepare_close()
        await world.tasks.cancel()
        window.close()
        window.deleteLater()
        await settle(2)
        await vault.close()
    assert world.errors == []


def _join(world: World, vault: Vault, clock: FixedClock, model: ToldModel, *, weak: bool) -> None:
    """Put the real parts under the doubles of the window, again whenever a familiar is loaded anew."""
    host = world.gate._host

    def hosted(familiar: Any) -> Any:
        made = host(familiar)
        config: CharacterConfig = made.config
        desk = Desk(familiar, made.name, vault, model, config, clock)
        made.projectors, made.embedder = Projectors(desk), None
        made.background = SimpleNamespace(info=replace(model.info, weak=weak))
        return made

    world.gate._host = hosted  # type: ignore[method-assign]
    services = world.gate.open_now()
    services.clock = clock
    for name in _SHARED:
        setattr(services.vault, name, getattr(vault, name))
    panels = world.parts.panels
    double: PanelFactory = lambda _services, context: DoublePanel("timeline", "Timeline", "timeline", context)  # noqa: E731
    world.parts = replace(world.parts, panels=(panels[0], double, *PANELS, *panels[1:]))
