"""A story in steps that can be taken up anywhere: turns, all projectors, the owner's acts; a model that follows rules.

Run as `python -m tests.unit.projectors.crash_story VAULT KEY STATEMENT`: tells the story and dies, as if it was killed,
when the writer is about to run its STATEMENT-th statement. It prints the number of each step before it begins.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from familiar_app.domain.chat import ChatEvent, ChatRequest, Finished, RequestSent, TextDelta, Usage
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact, NewFact
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.models.embedder_hash import HashEmbedder
from familiar_app.models.scripted import _reply_text
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from familiar_app.store.vault import Vault
from tests.unit.projectors.scene import ANN, BEN, MIRA, NOON, ToldModel, main_channel, make_config

NAMES = [
    "rich_note",
    "fact_supersede",
    "people_dossier",
    "rolling_summary",
    "reflection",
    "fact_embedding",
    "turn_embedding",
]
CONFIG = f"""
[memory.rich_note]
batch_turns = 3
[memory.rolling_summary]
new_turns = 3
[memory.reflection]
new_turns = 4
[memory.fact_embedding]
batch_facts = 2
[providers.memory]
projectors = {NAMES}
"""
_TURN = re.compile(r"^\[T#(\d+) \S+ \S+ \| (\w+) \((\S+)\)\] (.*)$", re.MULTILINE)
_FACT = re.compile(r"^\[F#(\d+)[^\]]*\] (.*)$", re.MULTILINE)
EXIT_CODE = 9


class RuleModel(ToldModel):
    """Answers by the prompt alone: what is asked twice is answered twice alike. A newer home takes an older's place."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        yield RequestSent("{}")
        yield TextDelta(_reply_text(self.answer(request.purpose, request.messages[-1].content)))
        yield Finished("stop", Usage(100, 20))

    def answer(self, purpose: str, prompt: str) -> Any:
        turns, facts = _TURN.findall(prompt), _FACT.findall(prompt)
        if purpose == "rich_note":
            return [
                {"text": f"{name}: {text}", "source_turn_ids": [int(turn)], "subject_keys": [key], "importance": 6}
                for turn, name, key, text in turns
            ]
        if purpose == "fact_supersede":
            (_, new), *priors = facts
            about = new.split()[1]
            return [{"reason": f"a newer {about}", "id": int(n)} for n, text in priors if text.split()[1] == about]
        if purpose == "reflection":
            cited = {"cited_turn_ids": [int(turns[-1][0])], "cited_fact_ids": [int(facts[0][0])]}
            return [{"text": f"A thought at turn {turns[-1][0]}.", **cited}]
        known = [number for number, *_ in (turns or facts)]
        before = re.search(r"so far:\n(.*)\n", prompt)
        return f"{before[1] if before else ''} and {', '.join(known)}."


@dataclass
class Teller:
    """Tells the story to one vault."""

    vault: Vault
    clock: FixedClock
    on_step: Callable[[int], None] = lambda number: None

    async def tell(self, first: int = 0) -> None:
        """Take each step from `first` on; one that was taken is not taken twice."""
        for number, step in enumerate(STEPS):
            if number >= first:
                self.clock.instant = NOON + timedelta(hours=number)
                self.on_step(number)
                await step(self)

    async def say(self, number: int, *remarks: str) -> None:
        channel = await main_channel(self.vault)
        for place, remark in enumerate(remarks):
            author = (ANN, BEN)[place % 2]
            turn = NewTurn(channel.id, Role.USER, remark, self.clock.now(), author, message_id=f"{number}:{place}")
            await self.vault.turns.append(turn)

    async def project(self) -> None:
        desk = Desk(MIRA, "Mira", self.vault, RuleModel(), make_config(CONFIG), self.clock, HashEmbedder(16))
        outcomes = await Projectors(desk).run(until_idle=True)
        assert [outcome.error for outcome in outcomes] == [None] * len(NAMES)

    async def act(self, number: int, work: Awaitable[object]) -> None:
        """Let the owner decide something, as the `number`-th of such decisions."""
        sql = "SELECT count(*) FROM turns WHERE role = 'operator'"
        if await self.vault._opened.engine.read(lambda c: c.execute(sql).fetchone()[0]) < number:
            await work
        else:
            close = getattr(work, "close", None)
            if close is not None:
                close()

    async def fact(self, text: str) -> Fact:
        found = await self.vault.facts.page(MIRA, search=text, include_retired=True)
        return found[-1]

    async def add(self) -> None:
        await self.act(1, self.vault.facts.add_by_owner(MIRA, "Ann is tall.", subjects=[ANN.key], importance=9))

    async def edit(self) -> None:
        prior = await self.fact("job baker")
        changed = NewFact(MIRA, "Ann bakes bread.", "owner", prior.subjects, prior.source_turns)
        await self.act(2, self.vault.facts.edit_by_owner(prior.id, changed))

    async def retire(self) -> None:
        await self.act(3, self.vault.facts.retire_by_owner((await self.fact("pet cat")).id))

    async def undo(self) -> None:
        (*_, first) = await self.vault.retirements.page(MIRA)
        await self.act(4, self.vault.retirements.undo(first.retirement.id))

    async def never(self) -> None:
        (latest, *_) = await self.vault.retirements.page(MIRA)
        await self.act(5, self.vault.retirements.never(latest.retirement.id))

    async def restore(self) -> None:
        await self.act(6, self.vault.facts.restore_by_owner((await self.fact("pet cat")).id))


async def _first_remarks(teller: Teller) -> None:
    await teller.say(1, "home Rome", "home Bonn", "job baker", "pet cat")


async def _second_remarks(teller: Teller) -> None:
    await teller.say(2, "home Oslo", "home Kyoto", "home Rome", "song blue")


STEPS: tuple[Callable[[Teller], Awaitable[None]], ...] = (
    _first_remarks,
    Teller.project,
    Teller.add,
    Teller.edit,
    Teller.retire,
    _second_remarks,
    Teller.project,
    Teller.undo,
    Teller.never,
    Teller.restore,
    Teller.project,
)


def watch_statements(vault: Vault, watcher: Callable[[str], None] | None) -> None:
    """Call `watcher` on the writer's thread before each statement; None stops that."""
    writer = vault._opened.engine._writer
    assert writer is not None
    writer._connection.set_trace_callback(watcher)


async def main() -> None:
    path, key, last = Path(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
    clock = FixedClock(NOON)
    vault = await Vault.open(path, clock=clock, data_key=key)
    seen = 0

    def die(_statement: str) -> None:
        nonlocal seen
        seen += 1
        if seen == last:
            os._exit(EXIT_CODE)

    watch_statements(vault, die)
    await Teller(vault, clock, lambda number: print(number, flush=True)).tell()  # noqa: T201
    watch_statements(vault, None)
    await vault.close()


if __name__ == "__main__":
    asyncio.run(main())
