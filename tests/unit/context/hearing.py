"""A vault with a window, two servers and direct messages, in which things are learned and spoken of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from familiar_app.context.assembler import AssembledPrompt, Assembler, PromptRequest
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact, NewFact, Subject
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelKey, TurnId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.trace import LayerTrace
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.talk import ANN, MIRA, START, FakeModel, make_config
from tests.doubles.waiting import in_step

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)


class Hearing:
    """The vault, its places, and the prompts they lead to."""

    def __init__(self, vault: Vault, clock: FixedClock) -> None:
        self.vault, self.clock = vault, clock
        self.places: dict[str, Channel] = {}
        self.assembler = self.use("")

    async def open_places(self) -> None:
        ensure = self.vault.channels.ensure
        self.places = {
            "main": await ensure(MAIN_CHANNEL, familiar=MIRA),
            "general": await ensure(ChannelKey("discord:10"), familiar=MIRA, title="general", guild="discord:1"),
            "staff": await ensure(ChannelKey("discord:11"), familiar=MIRA, title="staff", guild="discord:1"),
            "abroad": await ensure(ChannelKey("discord:20"), familiar=MIRA, title="abroad", guild="discord:2"),
            "dm": await ensure(ChannelKey("discord:30"), familiar=MIRA, title="Ben"),
            "dm2": await ensure(ChannelKey("discord:31"), familiar=MIRA, title="Cleo"),
        }

    def use(self, toml: str, **more: Any) -> Assembler:
        fields: dict[str, Any] = {"model": FakeModel(), "clock": self.clock, "owner_name": "Ann"}
        card = CharacterCard(name="Mira", description="A keeper.")
        self.assembler = Assembler(MIRA, lambda: card, make_config(toml), self.vault, **(fields | more))
        return self.assembler

    async def say(self, text: str, author: Author = ANN, place: str = "main", at: datetime | None = None) -> TurnId:
        channel = self.places[place]
        new = NewTurn(channel.id, Role.USER, text, at or self.clock.now(), author, guild=channel.guild)
        return (await self.vault.turns.append(new))[0].id

    async def learn(self, text: str, *sources: TurnId, about: Author | None = ANN, **more: Any) -> Fact:
        subjects = () if about is None else (Subject(about.key, about.name),)
        return (await self.vault.facts.append(NewFact(MIRA, text, "rich_note", subjects, sources, **more)))[0]

    async def prompt(self, place: str = "main", **more: Any) -> AssembledPrompt:
        await in_step(self.vault)
        return await self.assembler.assemble(PromptRequest(self.places[place], **more))

    async def layer(self, name: str, place: str = "main", **more: Any) -> LayerTrace:
        return next(one for one in (await self.prompt(place, **more)).trace.layers if one.name == name)

    async def recalled(self, place: str = "main", **more: Any) -> str:
        return (await self.layer("retrieved_context", place, **more)).text


@asynccontextmanager
async def hearing(path: Path, *, indexed: bool = True) -> AsyncIterator[Hearing]:
    """Open a vault with its places and, unless that is not wanted, its index."""
    clock = FixedClock(START)
    vault = await Vault.create(path, "three herons", recovery_code=new_recovery_code(), clock=clock, cost=CHEAP)
    failures: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failures.append(error))
    if indexed:
        vault.index.start(tasks)
        await vault.index.ready()
    scene = Hearing(vault, clock)
    await scene.open_places()
    yield scene
    assert await tasks.cancel() == []
    await vault.close()
    assert failures == []
