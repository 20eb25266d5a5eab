"""A Timeline panel over a real vault, with stories of facts to look at, for tests and pictures."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QWidget

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact, NewFact, Subject
from familiar_app.domain.fact_text import identity
from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId, PersonKey
from familiar_app.domain.projection import NewRetirement
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.moment import to_micros
from familiar_app.store.vault import Vault
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.panel import create_timeline_panel
from familiar_app.ui.timeline.view import TimelineView
from tests.doubles.waiting import until
from tests.ui.scene_window import put_away

if TYPE_CHECKING:
    from sqlite3 import Connection

MIRA = FamiliarId("mira")
ANN, BEN, EGO = PersonKey("discord:1"), PersonKey("discord:2"), PersonKey("ego:mira")
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)


def day(number: float) -> datetime:
    """Return an instant some days before (negative) or after the present of the scene."""
    return NOW + timedelta(days=number)


class TimelineScene:
    """A panel beside a side view, over a vault in a folder; `weak` is a background model that draws no memory."""

    def __init__(self, vault: Vault, clock: FixedClock, theme: Theme, *, weak: bool = False) -> None:
        self.vault, self.clock, self.theme = vault, clock, theme
        self.errors: list[BaseException] = []
        self.tasks = TaskRegistry(lambda _name, error: self.errors.append(error))
        hosted = SimpleNamespace(
            name="Mira",
            config=SimpleNamespace(display=SimpleNamespace(zone=lambda: UTC)),
            background=SimpleNamespace(info=SimpleNamespace(weak=weak)),
        )
        services = SimpleNamespace(vault=vault, clock=clock, familiars={MIRA: hosted}, tasks=self.tasks)
        self.side = SideView(theme)
        self.undos: list[tuple[str, Callable[[], object]]] = []
        self.told: list[str] = []
        self.went: list[tuple[str, str]] = []
        self.context = PanelContext(
            theme=theme, tasks=self.tasks, status=StatusModel(), side_view=self.side, familiar=MIRA
        )
        self.context.offer_undo = lambda text, undo: self.undos.append((text, undo))
        self.context.tell = self.told.append
        self.context.go_to = lambda panel, key: self.went.append((panel, key))
        self.panel = create_timeline_panel(services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.panel.widget, 1)
        layout.addWidget(self.side)
        self.window.resize(1180, 760)
        self.window.show()
        self.panel.activate()

    @property
    def view(self) -> TimelineView:
        return self.panel.view

    @property
    def model(self) -> TimelineModel:
        return self.panel.view.model

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def ready(self) -> None:
        await self.until(lambda: self.model.loaded and len(self.model.texts) == self.model.size)
        self.window.activateWindow()
        await asyncio.sleep(0.03)

    async def close(self) -> None:
        await self.panel.close()
        await self.tasks.cancel()
        put_away(self.window)
        await self.vault.close()
        assert self.errors == []


async def new_vault(folder: Path, clock: FixedClock) -> Vault:
    """Make a vault that is cheap to open."""
    return await Vault.create(folder / "vault.db", "heron", recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)


async def tell_story(vault: Vault, clock: FixedClock) -> dict[str, Fact]:
    """Store a short history with every ordinary case: corrected, ended, planned, claimed, restored, about nobody."""
    channel = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    found: dict[str, Fact] = {}

    async def learn(name: str, at: float, text: str, who: PersonKey, *, by: PersonKey | None = None, **more) -> Fact:
        speaker = Author(by or who, {ANN: "Ann", BEN: "Ben"}.get(by or who, "Mira"))
        own = speaker.key == EGO
        said = NewTurn(
            channel.id, Role.ASSISTANT if own else Role.USER, text, day(at), None if own else speaker,
            familiar=MIRA if own else None,
        )  # fmt: skip
        turn, _ = await vault.turns.append(said)
        label = {ANN: "Ann", BEN: "Ben", EGO: "Mira"}[who]
        values = {"subjects": (Subject(who, label),), "source_turns": (turn.id,), **more}
        found[name], _ = await vault.facts.append(NewFact(MIRA, text, "rich_note", **values), at=day(at))
        return found[name]

    await learn("oslo", -300, "Ann lives in Oslo.", ANN, importance=8)
    await learn("tea", -280, "Ann drinks tea with too much honey.", ANN)
    await learn("cat", -260, "Ben has a cat named Pixel.", BEN)
    await learn("claim", -200, "Ann claims that Ben cheats at cards.", BEN, by=ANN)
    await learn("job", -190, "Ben works at the harbour.", BEN, valid_from=day(-500), valid_to=day(-60))
    await learn("stance", -150, "Mira likes quiet evenings.", EGO, importance=7)
    await learn("rome", -90, "Ann lives in Rome.", ANN, valid_from=day(-120), importance=8)
    moved = NewRetirement(MIRA, found["oslo"].id, found["rome"].id, "She says where she lives now.", "fact_supersede")
    await vault.projections.write(lambda writer: writer.propose_retirement(moved, day(-89)))
    await learn("trip", -20, "Ann travels to Lisbon.", ANN, valid_from=day(40), valid_to=day(60))
    await vault.facts.supersede([found["tea"].id], at=day(-70))
    await vault.facts.restore(found["tea"].id, at=day(-30))
    await learn("coffee", -10, "Ben has stopped drinking coffee.", BEN)
    await learn("nobody", -5, "The bridge is closed on Sundays.", ANN, subjects=())
    return found


def fill(connection: Connection, facts: int, people: int, seed: int = 5) -> None:
    """Store many facts straight into the tables: a third have an end, a fifth were superseded by the one after."""
    dice = random.Random(seed)
    span = 1500 * 86_400_000_000
    names = [f"discord:{100 + number}" for number in range(people)]
    start = to_micros(NOW) - span
    things = ("tea", "the old mill", "a red bicycle", "night trains", "chess", "the harbour", "early mornings")
    pairs: list[tuple[int, int]] = []
    for number in range(1, facts + 1):
        created = start + span * number // (facts + 1)
        since = created - dice.randrange(40 * 86_400) * 1_000_000
        until = created + dice.randrange(1, 500 * 86_400) * 1_000_000 if number % 3 == 0 else None
        ended = created + dice.randrange(1, 200 * 86_400) * 1_000_000 if number % 5 == 0 else None
        ended = ended if ended is not None and ended < to_micros(NOW) else None
        successor = number + 1 if ended is not None and number < facts else None
        keys = sorted(
            {
                names[min(int(dice.expovariate(9 / people)), people - 1)]
                if dice.random() < 0.3
                else names[number % people]
            }
        )
        text = f"Somebody is fond of {dice.choice(things)}, as was said on day {number}."
        connection.execute(
            """INSERT INTO facts (id, familiar, text, identity, origin, valid_from, valid_to, created_at, superseded_at)
            VALUES (?, 'mira', ?, ?, 'rich_note', ?, ?, ?, ?)""",
            (number, text, identity(text, keys), since, until, created, ended),
        )
        connection.executemany(
            "INSERT INTO fact_subjects VALUES (?, ?, 'Name', 'mira', ?, ?, ?, ?, 1, 0)",
            [(number, key, since, until, created, ended) for key in keys],
        )
        connection.execute(
            "INSERT INTO fact_beliefs (fact, number, since, until, cause, end_cause) VALUES (?, 1, ?, ?, 'learned', ?)",
            (number, created, ended, None if ended is None else "superseded"),
        )
        if successor is not None:
            pairs.append((successor, number))
    connection.executemany("UPDATE fact_beliefs SET successor = ? WHERE fact = ?", pairs)
    connection.executemany("UPDATE facts SET superseded_by = ? WHERE id = ?", pairs)


async def fill_vault(vault: Vault, facts: int, people: int) -> None:
    """Store many facts in one transaction."""
    await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    await vault._opened.engine.write(lambda connection: fill(connection, facts, people))
