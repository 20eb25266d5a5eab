"""A hundred connections that break in every way and at any moment: each message is kept once, and answered once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import discord
import pytest

from familiar_app.domain.turn import Role
from tests.doubles.talk import MIRA
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import GENERAL, Stage, stage

BREAKS = 100
AMBIENT = '[discord]\nmode = "ambient"\nbuttons = false\n'
WAYS = ("asked to reconnect", "closed", "closed without a reason", "cut", "cut and forgotten")
MOMENTS = ("before it is heard", "before a word is said", "between two parts", "when all is said")
RESTARTING, CLOSED = 1001, 1000


@dataclass
class Breaks:
    """Breaks the connection by lot, with people who speak before, meanwhile and after."""

    on: Stage
    dice: random.Random
    written: dict[str, int] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)

    async def say(self, *, to_mira: bool = True, unseen: bool = False) -> str:
        """Let somebody else than before say something that nobody has said yet."""
        word = f"w{len(self.written):03}"
        who = f"P{len(self.written) % 12}"
        if to_mira:
            self.wanted.add(word)
        text = f"@Mira {word}" if to_mira else word
        self.written[word] = await self.on.scene.write(who, text, unseen=unseen)
        return word

    async def break_once(self) -> None:
        """Let one connection end, and wait until all that was said around it is kept and answered."""
        on, way, moment = self.on, self.dice.choice(WAYS), self.dice.choice(MOMENTS)
        on.model.held = asyncio.Event()
        requests, sent = len(on.model.requests), len(on.discord.rest.sent)
        await self.say()
        if moment != "before it is heard":
            await on.scene.until(lambda: len(on.model.requests) > requests, f"for the question ({way}, {moment})")
        if moment in ("between two parts", "when all is said"):
            on.model.held.set()
            parts = 1 if moment == "between two parts" else 2
            await on.scene.until(lambda: len(on.discord.rest.sent) >= sent + parts, f"for parts ({way}, {moment})")
        await self._end(way)
        await self.say(to_mira=self.dice.random() < 0.7)
        on.model.held.set()
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
        return Counter(max(one["content"].split()[:2]) for one in self.on.discord.rest.sent)

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


async def nothing_left(on: Stage) -> bool:
    return not await on.vault.deliveries.left(MIRA)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
async def test_no_message_is_lost_or_kept_twice_or_answered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    async with stage(tmp_path, AMBIENT) as on:
        for number in range(12):
            on.scene.join(f"P{number}")
        on.model.lines = Echo()
        breaks = Breaks(on, random.Random(seed))
        async with on.connected():
            for _ in range(BREAKS // 2):
                await breaks.break_once()
            await until_told(lambda: nothing_left(on))
        channel = await on.vault.channels.find(GENERAL)
        assert channel is not None
        turns = await on.vault.turns.page(channel.id, limit=3000)
        heard = Counter(turn.content.rpartition(" ")[2] for turn in turns if turn.role is Role.USER)
        said = Counter(turn.content.split()[1] for turn in turns if turn.role is Role.ASSISTANT)
        assert heard == dict.fromkeys(breaks.written, 1)
        # What was not for the familiar it may have answered, or not.
        assert breaks.answers() == dict.fromkeys(said, 2)
        assert set(said.values()) == {1}
        assert breaks.wanted <= set(said)
        assert await on.vault.verify() == []
