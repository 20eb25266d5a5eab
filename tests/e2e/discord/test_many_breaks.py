"""A hundred connections that break in every way and at any moment: each message is kept once, and answered once."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import discord
import pytest

from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.domain.turn import Role
from tests.doubles.discord.world import Payload
from tests.doubles.talk import MIRA
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import GENERAL, Script, Stage, stage
from tests.e2e.discord.test_house import NIX, home

BREAKS = 100
AMBIENT = '[discord]\nmode = "ambient"\nbuttons = false\n'
WAYS = ("asked to reconnect", "closed", "closed without a reason", "cut", "cut and forgotten")
MOMENTS = ("before it is heard", "before a word is said", "between two parts", "when all is said")
RESTARTING, CLOSED = 1001, 1000


@dataclass
class Breaks:
    """Breaks the connection by lot, with people who speak before, meanwhile and after.

    They `call` the familiar with that `model`, whose messages are in `sent`.
    """

    on: Stage
    dice: random.Random
    model: Script
    sent: list[Payload]
    call: str
    written: dict[str, int] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)

    async def say(self, *, called: bool = True, unseen: bool = False) -> str:
        """Let somebody else than before say something that nobody has said yet."""
        word = f"w{len(self.written):03}"
        who = f"P{len(self.written) % 12}"
        if called:
            self.wanted.add(word)
        text = f"{self.call} {word}" if called else word
        self.written[word] = await self.on.scene.write(who, text, unseen=unseen)
        return word

    async def break_once(self) -> None:
        """Let one connection end, and wait until all that was said around it is kept and answered."""
        on, way, moment = self.on, self.dice.choice(WAYS), self.dice.choice(MOMENTS)
        self.model.held = asyncio.Event()
        requests, sent = len(self.model.requests), len(self.sent)
        await self.say()
        if moment != "before it is heard":
            await on.scene.until(lambda: len(self.model.requests) > requests, f"for the question ({way}, {moment})")
        if moment in ("between two parts", "when all is said"):
            self.model.held.set()
            parts = 1 if moment == "between two parts" else 2
            await on.scene.until(lambda: len(self.sent) >= sent + parts, f"for parts ({way}, {moment})")
        await self._end(way)
        await self.say(called=self.dice.random() < 0.7)
        self.model.held.set()
        if self.dice.random() < 0.5:
            await self.say()
        await self.settled(f"({way}, {moment})")

    async def settled(self, when: str) -> None:
        def connected() -> bool:
            return self.on.link.status.state == "connected"

        await self.on.scene.until(connected, f"for the link {when}")
        await self.on.scene.until(lambda: self.wanted <= set(self.answers()), f"for answers {when}")

    def answers(self) -> Counter[str]:
        """Return how many messages were sent in answer to each word."""
        return Counter(word_in(one["content"]) for one in self.sent)

    async def _end(self, way: str) -> None:
        gateway = self.on.discord.gateway
        if way == "asked to reconnect":
            await gateway.ask_to_reconnect()
        elif way.startswith("closed"):
            await gateway.close_all(CLOSED if way == "closed without a reason" else RESTARTING)
        elif way == "cut":
            gateway.cut_all()
        else:
            gateway.cut_all()
            gateway.forget_sessions()


class Echo(dict[str, str]):
    """The lines of a model that answers every word with so much about it that it takes two messages."""

    def items(self):  # type: ignore[no-untyped-def]
        return [(word, f"to {word} " * 300) for word in (f"w{number:03}" for number in range(4 * BREAKS))]


async def at_once(*_: object, **__: object) -> None:
    """Identify again without the library's five seconds."""


def word_in(text: str) -> str:
    found = re.search(r"\bw\d{3}\b", text)
    assert found is not None
    return found[0]


async def check(breaks: Breaks, familiar: FamiliarId, count: int) -> None:
    """Break so many connections, and compare what was said, what the vault has and what was sent."""
    on = breaks.on

    async def nothing_left() -> bool:
        return not await on.vault.deliveries.left(familiar)

    for number in range(12):
        on.scene.join(f"P{number}")
    breaks.model.lines = Echo()
    async with on.connected():
        for _ in range(count):
            await breaks.break_once()
        await until_told(nothing_left)
    channel = await on.vault.channels.find(ChannelKey(GENERAL))
    assert channel is not None
    turns = await on.vault.turns.page(channel.id, limit=3000)
    heard = Counter(word_in(turn.content) for turn in turns if turn.role is Role.USER)
    said = Counter(word_in(turn.content) for turn in turns if turn.role is Role.ASSISTANT)
    assert heard == dict.fromkeys(breaks.written, 1)
    # What was not for the familiar it may have answered, or not.
    assert breaks.answers() == dict.fromkeys(said, 2)
    assert set(said.values()) == {1}
    assert breaks.wanted <= set(said)
    assert await on.vault.verify() == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
async def test_no_message_is_lost_or_kept_twice_or_answered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    async with stage(tmp_path, AMBIENT) as on:
        breaks = Breaks(on, random.Random(seed), on.model, on.discord.rest.sent, "@Mira")
        await check(breaks, MIRA, BREAKS // 2)


@pytest.mark.slow
async def test_neither_are_those_of_a_familiar_that_speaks_by_webhooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    async with home(tmp_path, NIX, toml=AMBIENT) as house:
        house.models[MIRA].lines = {"": "<silent>"}
        sent = house.on.discord.rest.hooks.sent
        await check(Breaks(house.on, random.Random(3), house.models[NIX], sent, "Nix,"), NIX, BREAKS // 4)
