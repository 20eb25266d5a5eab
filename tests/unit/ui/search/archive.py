"""A vault and a profile in which something of every kind can be found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelKey, FamiliarId, Lineage, PersonKey
from familiar_app.domain.projection import NewReflection
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import MemoryPlace, Scope
from familiar_app.domain.saved_memory.request import Limits
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault

MIRA = FamiliarId("mira")
ANN, BEN = PersonKey("discord:1"), PersonKey("discord:2")
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)
LINEAGE = "00000000-0000-4000-8000-000000000001"
GARDEN = ChannelKey("discord:10")
LORE = b"""name = "The coast"

[[entries]]
id = 7
keys = ["lighthouse", "lamp"]
comment = "Lighthouse"
content = "The lighthouse at the cape has been dark since the flood."
"""


def day(number: float) -> datetime:
    """Return an instant some days before (negative) or after the present of the archive."""
    return NOW + timedelta(days=number)


@dataclass
class Archive:
    """What a search stands on, and the ids of what is in it."""

    services: Any
    vault: Vault
    clock: FixedClock
    tasks: TaskRegistry
    ids: dict[str, int]


async def make_archive(folder: Path, *, filled: bool = True) -> Archive:
    """Make a vault and a profile in a folder; `filled` with one thing of each kind about a lighthouse, and more."""
    clock = FixedClock(NOW)
    profile = Profile(folder / "profile")
    profile.add_familiar(MIRA, CharacterCard(name="Mira"), {}, LINEAGE)
    vault = await Vault.create(
        folder / "profile" / "vault.db", "heron", recovery_code=new_recovery_code(), clock=clock, cost=CHEAP
    )
    hosted = SimpleNamespace(id=MIRA, name="Mira", config=profile.config(MIRA))
    errors: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: errors.append(error))
    services = SimpleNamespace(profile=profile, vault=vault, clock=clock, tasks=tasks, familiars={MIRA: hosted})
    archive = Archive(services, vault, clock, tasks, {})
    if filled:
        profile.save_lorebook(MIRA, LORE)
        await _fill(archive)
    return archive


async def close(archive: Archive) -> None:
    """End what runs and close the vault."""
    await archive.tasks.cancel()
    await archive.vault.close()


async def _fill(archive: Archive) -> None:
    vault, ids = archive.vault, archive.ids
    main = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    garden = await vault.channels.ensure(GARDEN, familiar=None, title="garden", guild="discord:9")
    await vault.channels.subscribe(garden.id, MIRA)
    ids["main"], ids["garden"] = main.id, garden.id

    async def say(name: str, at: float, channel: int, who: Author | None, text: str) -> None:
        own = who is None
        role = Role.ASSISTANT if own else Role.USER
        turn, _ = await vault.turns.append(NewTurn(channel, role, text, day(at), who, familiar=MIRA if own else None))
        ids[name] = turn.id

    ann, ben = Author(ANN, "Ann"), Author(BEN, "Ben Lighthouse-Keeper")
    await say("old", -400, garden.id, ann, "The lighthouse was still lit when we sailed past it that summer. 🌊")
    await say("tea", -40, main.id, ann, "I would like a cup of tea.")
    await say("ben", -3, garden.id, ben, "Who painted the lighthouse red?")
    await say("mira", -2, garden.id, None, "The lighthouse was red before I came here.")
    await say("long", 0, main.id, ann, f"{'A long walk along the shore. ' * 12}Then the lighthouse, at last.")
    fact, _ = await vault.facts.append(
        NewFact(MIRA, "Ann has climbed the lighthouse.", "rich_note", (Subject(ANN, "Ann"),), (ids["old"],)), at=day(-9)
    )
    past, _ = await vault.facts.append(
        NewFact(MIRA, "Ben keeps the lighthouse.", "rich_note", (Subject(BEN, "Ben"),), (ids["ben"],)), at=day(-3)
    )
    await vault.facts.supersede([past.id], at=day(-1))
    ids["fact"], ids["past"] = fact.id, past.id
    thought = NewReflection(MIRA, "Everybody here misses the lighthouse.", garden.id, (ids["ben"],), (), ids["ben"], 0)
    stored = await vault.projections.write(lambda writer: writer.add_reflection(thought, day(-1)))
    ids["reflection"] = stored.id
    place = MemoryPlace(Scope.PERSONAL, ANN, Lineage(LINEAGE))
    keeper = Keeper(MIRA, Lineage(LINEAGE), Limits(True, 500, 20, 20), 5)
    memory = await vault.saved_memories.add(keeper, Wording(place, "Ann collects lighthouse stamps."), by=ANN)
    ids["memory"] = memory.id
    trace = PromptTrace(
        familiar=MIRA, channel=GARDEN, mode="reply", purpose="reply", at=day(-2), model="lighthouse-7b",
        provider="scripted", context_tokens=100, answer_tokens=10, tokens=50, exact_tokens=True, messages=(),
        layers=(), sampling={},
    )  # fmt: skip
    ids["trace"] = await vault.traces.put(trace)
