"""Lines and facts that were written for an earlier prompt: whatever changes, they read as if written anew."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import PromptRequest
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.projection import Dossier
from familiar_app.domain.setting_value import SYSTEM_ZONE
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.domain.variation import Variation
from tests.doubles.talk import BEN, MIRA, START
from tests.doubles.waiting import in_step
from tests.unit.context.hearing import Hearing, hearing

CLEO = Author(PersonKey("discord:3"), "Cleo")


class Room:
    """A channel where the facts about Ben stand for his dossier, with an assembler that has made a prompt of it."""

    def __init__(self, scene: Hearing) -> None:
        self.scene, self.vault = scene, scene.vault
        self.toml = f'[display]\ntimezone = "{SYSTEM_ZONE}"'
        self.warm = scene.use(self.toml)
        self.ids: dict[str, TurnId] = {}
        self.fact = FactId(0)
        self.variation = Variation()

    async def furnish(self) -> None:
        secret = await self.scene.say("I fear gulls.", BEN, "dm")
        await self.scene.learn("Ben fears gulls.", secret, about=BEN)
        self.ids["first"] = await self.say("My goat is Ada.", BEN, message_id="m1")
        ends = START + timedelta(days=30)
        self.fact = (await self.scene.learn("Ben keeps a goat.", self.ids["first"], about=BEN, valid_to=ends)).id
        self.ids["reply"] = await self.say("What a name!", CLEO, reply_to="m1")
        dossier = Dossier(MIRA, BEN.key, "Ben fears gulls and keeps a goat.", self.fact, START)
        await self.vault.projections.write(lambda writer: writer.put_dossier(dossier))

    async def say(self, text: str, author: Author, **more: str) -> TurnId:
        place = self.scene.places["general"]
        new = NewTurn(place.id, Role.USER, text, self.scene.clock.now(), author, guild=place.guild, **more)  # type: ignore[arg-type]
        return (await self.vault.turns.append(new))[0].id

    async def texts(self, assembler: Assembler) -> tuple[str, str]:
        """Return the history and the dossiers of a prompt."""
        await in_step(self.vault)
        prompt = await assembler.assemble(PromptRequest(self.scene.places["general"], variation=self.variation))
        layers = {layer.name: layer.text for layer in prompt.trace.layers}
        return layers["recent_history"], layers["people_dossiers"]


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with hearing(tmp_path / "vault.db") as scene:
        made = Room(scene)
        await made.furnish()
        yield made


@pytest.fixture
def other_zone() -> Iterator[Callable[[], None]]:
    before = os.environ.get("TZ")

    def move(zone: str | None = "Asia/Tokyo") -> None:
        os.environ.pop("TZ", None)
        if zone is not None:
            os.environ["TZ"] = zone
        time.tzset()

    yield move
    move(before)


async def rename(room: Room) -> None:
    await room.say("Call me Benno.", replace(BEN, name="Benno"))


async def edit(room: Room) -> None:
    await room.vault.turns.revise(room.ids["first"], "My goat is Bea.")


async def hide(room: Room) -> None:
    await room.vault.turns.hide([room.ids["first"]])


async def edit_fact(room: Room) -> None:
    await room.vault.facts.retire_by_owner(room.fact)


async def leave_fact_out(room: Room) -> None:
    room.variation = Variation(without_items=frozenset({("fact", room.fact)}))


async def let_the_fact_end(room: Room) -> None:
    room.scene.clock.instant += timedelta(days=31)


HISTORY, DOSSIERS = 0, 1
CHANGES: dict[str, tuple[Callable[[Room], Awaitable[None]], int, str, str]] = {
    "a name, in the line and in an answer to it": (rename, HISTORY, "Benno #general] My goat", "Ben #general] My goat"),
    "a name, in a fact": (rename, DOSSIERS, "### Benno", "### Ben\n"),
    "an edit": (edit, HISTORY, "My goat is Bea.", "My goat is Ada."),
    "an edit, in an answer to it": (edit, HISTORY, "“My goat is Bea.”", "“My goat is Ada.”"),
    "what an answer is to, hidden": (hide, HISTORY, "↩ an earlier message", "↩ Ben"),
    "a fact, retired": (edit_fact, DOSSIERS, "", "keeps a goat"),
    "a fact, left out to try": (leave_fact_out, DOSSIERS, "", "keeps a goat"),
    "a fact that has ended": (let_the_fact_end, DOSSIERS, "", "keeps a goat"),
}


@pytest.mark.parametrize("name", list(CHANGES))
async def test_a_change_shows_in_what_was_written_before(room: Room, name: str) -> None:
    change, layer, now, before = CHANGES[name]
    first = await room.texts(room.warm)
    assert before in first[layer]
    await change(room)
    after = await room.texts(room.warm)
    assert before not in after[layer]
    assert now in after[layer]
    assert after == await room.texts(room.scene.use(room.toml)), "as one writes it who remembers nothing"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system's zone cannot be set from within")
async def test_the_computer_in_another_zone_shows_other_times(room: Room, other_zone: Callable[..., None]) -> None:
    other_zone("UTC")
    first = await room.texts(room.warm)
    other_zone()
    after = await room.texts(room.warm)
    assert after[HISTORY] != first[HISTORY]
    assert after == await room.texts(room.scene.use(room.toml))


async def test_the_first_line_that_is_left_of_a_day_gets_its_date(room: Room) -> None:
    first = await room.texts(room.warm)
    assert "[2024-05-01 " not in first[HISTORY].splitlines()[1]
    await room.vault.turns.hide([room.ids["first"]])
    after = await room.texts(room.warm)
    assert after[HISTORY].startswith("[2024-05-01 ")
