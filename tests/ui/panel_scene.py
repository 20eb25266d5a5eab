"""A panel beside a side view over a real vault, for tests of People and Reflections."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from familiar_app.domain.chat import ChatEvent, ChatRequest
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import MAIN_CHANNEL, TurnId
from familiar_app.domain.projection import Dossier, NewReflection
from familiar_app.domain.settings import CharacterConfig, parse_config
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role, Turn
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.waiting import until
from tests.ui.scene_window import put_away
from tests.ui.timeline_scene import ANN, BEN, EGO, MIRA, day
from tests.unit.projectors.scene import ToldModel

_DEFAULTS = Path(__file__).parents[2] / "resources" / "defaults" / "character.toml"
LINEAGE = "0b5c2d4e-1f7a-4c3b-9d8e-6a5f4e3d2c1b"


def config() -> CharacterConfig:
    shipped = tomllib.loads(_DEFAULTS.read_text(encoding="utf-8"))
    own = {"lineage": LINEAGE, "display": {"timezone": "UTC"}}
    return parse_config([("shipped", shipped), ("character.toml", own)])


class PatientModel(ToldModel):
    """Answers as told, once it is let."""

    hold: asyncio.Event | None = None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        if self.hold is not None:
            await self.hold.wait()
        async for event in super().stream(request):
            yield event


class PanelScene:
    """A window with one panel; what the panel asks of the shell is remembered."""

    def __init__(
        self, vault: Vault, clock: FixedClock, theme: Theme, create: Any, *, weak: bool = False, activate: bool = True
    ) -> None:
        self.vault, self.clock, self.theme, self.background = vault, clock, theme, PatientModel()
        self.errors: list[BaseException] = []
        self.tasks = TaskRegistry(lambda _name, error: self.errors.append(error))
        settings = config()
        desk = Desk(MIRA, "Mira", vault, self.background, settings, clock)
        hosted = SimpleNamespace(
            name="Mira",
            config=settings,
            background=SimpleNamespace(info=SimpleNamespace(weak=weak)),
            projectors=Projectors(desk),
        )
        services = SimpleNamespace(vault=vault, clock=clock, familiars={MIRA: hosted}, tasks=self.tasks)
        self.side = SideView(theme)
        self.undos: list[tuple[str, Callable[[], object]]] = []
        self.told: list[str] = []
        self.went: list[tuple[str, str]] = []
        self.context = PanelContext(
            theme=theme, tasks=self.tasks, status=StatusModel(), side_view=self.side, familiar=MIRA
        )
        self.redos: list[Callable[[], object]] = []
        self.context.offer_undo = self._offered
        self.context.tell = self.told.append
        self.context.go_to = lambda panel, key: self.went.append((panel, key))
        self.context.has_panel = lambda _panel: True
        self.panel = create(services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.panel.widget, 1)
        layout.addWidget(self.side)
        self.window.resize(1180, 760)
        self.window.show()
        if activate:
            self.panel.activate()

    def _offered(self, text: str, undo: Callable[[], object], redo: Callable[[], object], /) -> None:
        self.undos.append((text, undo))
        self.redos.append(redo)

    @property
    def view(self) -> Any:
        return self.panel.view

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def ready(self) -> None:
        await self.until(lambda: self.view.model.loaded)
        self.window.activateWindow()
        await asyncio.sleep(0.03)

    def side_text(self) -> str:
        """Return everything that stands in the side view, part by part."""
        shown = [one for one in self.side.findChildren(QWidget) if one.isVisible()]
        return "\n".join(one.text() for one in shown if isinstance(one, QLabel) and one.text())

    async def until_side(self, text: str) -> None:
        await self.until(lambda: text in self.side_text())

    def press(self, name: str, among: QWidget | None = None) -> None:
        """Press a visible button by its name."""
        self._buttons(name, among)[0].click()

    async def press_soon(self, name: str, among: QWidget | None = None) -> None:
        """Wait for a button, which may stand on a page that is just being built, and press it."""
        await self.until(lambda: self._buttons(name, among))
        self.press(name, among)

    def _buttons(self, name: str, among: QWidget | None) -> list[QPushButton]:
        found = (among or self.window).findChildren(QPushButton)
        return [one for one in found if one.accessibleName() == name and one.isVisible()]

    async def close(self) -> None:
        await self.panel.close()
        await self.tasks.cancel()
        put_away(self.window)
        await self.vault.close()
        assert self.errors == []


async def tell_people(vault: Vault, facts: dict[str, Fact]) -> None:
    """Add to the timeline's story: an older name and messages of Ann, her dossier and Mira's own."""
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    for number in range(24):
        at = day(-420 + number * 17)
        name = "Annie" if number < 4 else "Ann"
        await vault.turns.append(NewTurn(channel.id, Role.USER, f"Remark {number}.", at, Author(ANN, name, "ann")))
    dossiers = (
        Dossier(MIRA, ANN, "Ann lives in Rome and will see Lisbon. She sweetens her tea.", facts["trip"].id, day(-15)),
        Dossier(MIRA, EGO, "Keeps to quiet evenings.", facts["stance"].id, day(-100)),
    )
    for one in dossiers:
        await vault.projections.write(lambda writer, one=one: writer.put_dossier(one))


async def think(
    vault: Vault,
    text: str,
    at: float,
    *,
    turns: Sequence[Turn] = (),
    facts: Sequence[Fact] = (),
    anywhere: bool = False,
) -> None:
    """Store a thought of Mira's."""
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    new = NewReflection(
        familiar=MIRA,
        text=text,
        channel=None if anywhere else channel.id,
        cited_turns=tuple(turn.id for turn in turns),
        cited_facts=tuple(fact.id for fact in facts),
        last_turn_id=max((turn.id for turn in turns), default=TurnId(1)),
        last_fact_id=max((fact.id for fact in facts), default=0),
    )
    await vault.projections.write(lambda writer: writer.add_reflection(new, day(at)) and None)


async def tell_thoughts(vault: Vault, facts: dict[str, Fact]) -> None:
    """Store three thoughts of Mira's: one about several places, one that is stale, one that rests on a message."""
    said = {name: [await vault.turns.get(turn) for turn in fact.source_turns] for name, fact in facts.items()}
    await think(vault, "Ann never stays anywhere for long.", -88, facts=[facts["oslo"], facts["trip"]], anywhere=True)
    await think(vault, "Ben keeps what matters close by.", -50, turns=said["cat"], facts=[facts["cat"]])
    await think(vault, "They both come back to the harbour.", -9, turns=[*said["job"], *said["coffee"]])


def thought(text: str, turns: Sequence[int]) -> str:
    """Return a model's answer with one thought."""
    return json.dumps([{"text": text, "cited_turn_ids": list(turns), "cited_fact_ids": []}])


__all__ = ["ANN", "BEN", "EGO", "MIRA", "PanelScene", "day", "tell_people", "tell_thoughts", "think", "thought"]
