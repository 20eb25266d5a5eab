"""`fact_supersede`: asks of each new fact which earlier ones about the same person it contradicts or replaces."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from familiar_app.domain.clock import format_time
from familiar_app.domain.contradiction import choose_priors, rejected_verdicts
from familiar_app.domain.fact import Fact, Subject, is_current
from familiar_app.domain.kept_answer import decode
from familiar_app.projectors.asking import Asked, ask_list, fitted, room_for
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.claimant import claimants_of
from familiar_app.projectors.instruction import instruction
from familiar_app.projectors.line import fact_line
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.projectors.recording import Piece, position_of, record
from familiar_app.projectors.retiring import FACT_SUPERSEDE, apply_retirements, mark_compared
from familiar_app.store.memory_writer import MemoryWriter

VERSION = 1
_MOST_PRIORS_READ = 500
SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "id": {"type": "integer"}},
        "required": ["reason", "id"],
        "additionalProperties": False,
    },
}


class FactSupersede:
    """Compares up to a batch of new facts a tick, one request for each of them and each of its subjects."""

    name = FACT_SUPERSEDE

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:
        self._desk = desk
        self._beliefs = beliefs
        self._settings = desk.config.memory.fact_supersede

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - a single fact is a batch too
        """Compare the next new facts. Raises OutsideError; then the watermark stands before the fact at hand."""
        replayed = await self._beliefs.bring_back()
        desk, size = self._desk, self._settings.batch_facts
        facts = await desk.vault.facts.after(desk.familiar, await position_of(desk, self.name), limit=size)
        if not facts:
            return Tick(worked=True) if replayed else IDLE
        for fact in facts:
            await self._compare(fact)
        return Tick(worked=True, more=len(facts) == size)

    async def replay(self) -> None:
        await self._beliefs.bring_back()

    async def progress(self) -> Progress:
        desk = self._desk
        position = await position_of(desk, self.name)
        return Progress(position or None, await desk.vault.projections.count_facts(desk.familiar, after=position))

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        """Take out facts and retirements: what a retirement hid comes back only with the facts themselves."""
        familiar = self._desk.familiar
        writer.empty("facts", familiar)
        writer.empty("retirements", familiar)
        if fresh:
            writer.void_answers(self.name, familiar, self._desk.clock.now())
            writer.forget_watermarks(self.name, familiar)
            writer.forget_compared(familiar)
        self._beliefs.forget()

    async def _compare(self, fact: Fact) -> None:
        desk = self._desk
        for subject in fact.subjects:
            # An earlier subject's answer may have changed what is believed.
            now = await desk.vault.facts.get(fact.id)
            if now is None or not is_current(now, desk.clock.now()) or now.hidden:
                break
            if await self._was_asked(fact, subject):
                continue
            priors = await self._priors(fact, subject)
            if priors:
                await self._retire(fact, subject, priors)
        at = desk.clock.now()
        await desk.vault.projections.write(lambda writer: mark_compared(writer, desk.familiar, fact.id, at))

    async def _was_asked(self, fact: Fact, subject: Subject) -> bool:
        """Tell whether the answer is there already, because what followed it was cut short."""
        kept = await self._desk.vault.projections.answer_for(
            self.name, self._desk.familiar, fact.id, fact.id, scope=subject.key
        )
        if kept is None:
            return False
        await self._desk.vault.projections.write(lambda writer: apply_retirements(writer, kept, decode(kept.answer)))
        return True

    async def _priors(self, fact: Fact, subject: Subject) -> list[Fact]:
        desk = self._desk
        newest = await desk.vault.facts.page(
            desk.familiar, subject=subject.key, before=fact.id, limit=_MOST_PRIORS_READ
        )
        chosen = choose_priors(fact, newest, self._settings.max_priors)
        return [prior for prior in chosen if not await desk.vault.projections.is_barred(prior.id, fact.id)]

    async def _retire(self, fact: Fact, subject: Subject, priors: Sequence[Fact]) -> None:
        asked = await self._ask(fact, subject, priors)
        basis = {
            "subject": subject.key,
            "shown": [prior.id for prior in priors],
            "act": self._settings.retire_at_once,
        }

        rejected = rejected_verdicts(asked.value, [prior.id for prior in priors])
        piece = Piece(self.name, VERSION, fact.id, fact.id, subject.key)
        await record(self._desk, piece, asked, apply_retirements, before=None, basis=basis, rejected=rejected)

    async def _ask(self, fact: Fact, subject: Subject, priors: Sequence[Fact]) -> Asked:
        desk = self._desk
        labels = await desk.vault.facts.labels([fact, *priors])
        told = await claimants_of(desk, [fact, *priors])
        name = labels[fact.id].get(subject.key, subject.display_at_write)
        system = instruction(self.name, char=desk.char)
        new = fact_line(fact, labels[fact.id], told[fact.id])
        room = await room_for(desk, system, new)
        lines = await fitted(desk, [fact_line(one, labels[one.id], told[one.id]) for one in priors], room)
        user = instruction(
            f"{self.name}_input",
            subject=json.dumps(name, ensure_ascii=False),
            key=subject.key,
            time=format_time(desk.clock.now()),
            new=new,
            priors="\n".join(lines),
        )
        return await ask_list(desk, self.name, system, user, SCHEMA)
