"""`people_dossier`: folds what is newly believed about a person into what was told of them before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b

from familiar_app.domain.fact import Fact, FactId, is_current
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.kept_answer import KeptAnswer, decode
from familiar_app.domain.projection import Answer, Dossier, Watermark
from familiar_app.domain.speech import clean_text
from familiar_app.projectors.asking import Asked, ask_prose, how_many_fit, room_for
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.claimant import claimants_of
from familiar_app.projectors.instruction import instruction
from familiar_app.projectors.line import fact_line
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.projectors.recording import Piece, keep
from familiar_app.store.memory_writer import MemoryWriter

PEOPLE_DOSSIER = "people_dossier"
TABLE = "people_dossiers"
VERSION = 1
_MOST_OUTDATED = 1000


class PeopleDossier:
    """Folds for one person a tick. What was dropped comes back from the ledger where nothing changed since."""

    name = PEOPLE_DOSSIER

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:
        self._desk = desk
        self._beliefs = beliefs
        self._settings = desk.config.memory.people_dossier
        # Of whom no dossier that was ever written holds, with the digest of what is believed about them.
        self._gone: dict[PersonKey, str] = {}

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - a single fact is enough
        """Fold the next facts about one person. Raises OutsideError; then nothing has moved."""
        await self._beliefs.bring_back()
        recalled = await self._recall_all()
        outdated = await self._outdated()
        if not outdated:
            return Tick(worked=True) if recalled else IDLE
        person, seen = outdated[0]
        await self._fold(person, seen)
        return Tick(worked=True, more=True)

    async def replay(self) -> None:
        await self._beliefs.bring_back()
        await self._recall_all()

    async def progress(self) -> Progress:
        outdated = await self._outdated()
        dossiers = await self._desk.vault.projections.dossiers(self._desk.familiar)
        return Progress(max((one.last_fact_id for one in dossiers), default=None), len(outdated))

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        writer.empty("people_dossiers", self._desk.familiar)
        writer.forget_watermarks(self.name, self._desk.familiar)
        self._gone.clear()
        if fresh:
            writer.void_answers(self.name, self._desk.familiar, self._desk.clock.now())

    async def _outdated(self) -> list[tuple[PersonKey, int]]:
        """Return whose dossier lacks facts, and the fact it was folded up to; 0 folds all of them."""
        projections, familiar = self._desk.vault.projections, self._desk.familiar
        found: list[tuple[PersonKey, int]] = []
        private = await self._desk.vault.privacy.levels()
        for person, folded in await projections.outdated_dossiers(familiar, limit=_MOST_OUTDATED):
            if person in private:
                continue
            seen = folded
            if await projections.dossier(familiar, person) is None:
                # Nothing was worth telling up to here: the watermark stands alone.
                mark = await projections.watermark(self.name, familiar, person)
                seen = mark.position if mark else 0
            if seen == folded or await projections.believed_about(familiar, person, after=seen):
                found.append((person, seen))
        return found

    async def _recall_all(self) -> int:
        """Put back what was dropped and holds again. Returns how many dossiers that were."""
        projections, familiar = self._desk.vault.projections, self._desk.familiar
        recalled = 0
        for person in await projections.lost_dossiers(familiar):
            now = digest_of(await projections.believed_about(familiar, person))
            if self._gone.get(person) == now:
                continue
            if await self._recall(person):
                recalled += 1
            else:
                self._gone[person] = now
        return recalled

    async def _recall(self, person: PersonKey) -> bool:
        """Put back the newest dossier that was written, where what it rests on is believed as it was then."""
        projections, familiar = self._desk.vault.projections, self._desk.familiar
        answers = await projections.answers(self.name, familiar, scope=person, limit=100_000)
        while answers:
            last = answers[-1]
            ids = await projections.believed_about(familiar, person, until=last.last)
            if decode(last.answer).basis["digest"] == digest_of(ids):
                break
            answers.pop()
        else:
            return False
        # An empty answer left the text before it standing.
        texts = ((str(decode(answer.answer).value), answer.at) for answer in reversed(answers))
        text, since = next((found for found in texts if found[0]), ("", last.at))
        put = Dossier(familiar, person, text, last.last, since)
        await projections.write(lambda writer: self._put(writer, put))
        return bool(text)

    async def _fold(self, person: PersonKey, seen: int) -> None:
        desk, projections = self._desk, self._desk.vault.projections
        prior = await projections.dossier(desk.familiar, person)
        ids = await projections.believed_about(desk.familiar, person, after=seen)
        chunk, facts = await self._next_facts(ids)
        told = self._worth_telling(person, facts)
        text = prior.text if prior else ""
        if told:
            before = await projections.believed_about(desk.familiar, person)
            chunk, asked = await self._ask(person, prior, told, chunk)
            await self._store(person, prior, seen, chunk[-1], asked, digest_of(before))
            return
        last, at = chunk[-1], desk.clock.now()
        put = Dossier(desk.familiar, person, text, last, prior.created_at if prior else at)
        await projections.write(lambda writer: self._put(writer, put))

    async def _next_facts(self, ids: Sequence[FactId]) -> tuple[list[FactId], list[Fact]]:
        """Return the ids of the next facts to fold, and those of them that are current."""
        chunk = list(ids[: self._settings.batch_facts])
        now = self._desk.clock.now()
        return chunk, [fact for fact in await self._desk.vault.facts.many(chunk) if is_current(fact, now)]

    def _worth_telling(self, person: PersonKey, facts: Sequence[Fact]) -> list[Fact]:
        """Leave small things out of the familiar's own dossier. Without an importance a fact counts as middling."""
        if person != self._desk.ego:
            return list(facts)
        least = self._settings.least_own_importance
        return [fact for fact in facts if fact.importance is None or fact.importance >= least]

    async def _ask(
        self, person: PersonKey, prior: Dossier | None, told: Sequence[Fact], chunk: Sequence[FactId]
    ) -> tuple[list[FactId], Asked]:
        """Ask for the next dossier; where not all facts fit the model, with the first of them only."""
        desk = self._desk
        own = person == desk.ego
        name = desk.char if own else await desk.vault.people.label(person)
        labels, claimants = await desk.vault.facts.labels(told), await claimants_of(desk, told)
        lines = {fact.id: fact_line(fact, labels[fact.id], claimants[fact.id]) for fact in told}
        system = instruction("own_dossier" if own else self.name, char=desk.char)
        previous = clean_text(prior.text) if prior else "(none yet)"
        room = await room_for(desk, system, previous)
        fit = await how_many_fit(desk, list(lines.values()), room)
        shown = list(told[:fit])
        done = list(chunk) if fit == len(told) else [number for number in chunk if number < told[fit].id]
        if own:
            shown.sort(key=lambda fact: (-(fact.importance or self._settings.least_own_importance), fact.id))
        user = instruction(
            f"{self.name}_input",
            name=json.dumps(name, ensure_ascii=False),
            key=person,
            previous=previous,
            facts="\n".join(lines[fact.id] for fact in shown),
        )
        return done, await ask_prose(desk, self.name, system, user)

    async def _store(
        self, person: PersonKey, prior: Dossier | None, seen: int, last: FactId, asked: Asked, before: str
    ) -> None:
        desk, at = self._desk, self._desk.clock.now()
        text = str(asked.value)

        def apply(writer: MemoryWriter, _answer: Answer, _kept: KeptAnswer) -> None:
            # An empty answer erases nothing; the facts it was given count as dealt with.
            old = prior.text if prior else ""
            since = at if text or prior is None else prior.created_at
            self._put(writer, Dossier(desk.familiar, person, text or old, last, since))

        def work(writer: MemoryWriter) -> None:
            if digest_of(writer.believed_about(desk.familiar, person)) != before:
                # A fact came or went while the model was thinking: what it wrote may rest on what is retired.
                return
            basis = {"digest": digest_of(writer.believed_about(desk.familiar, person, until=last))}
            keep(desk, writer, Piece(self.name, VERSION, seen, last, person), asked, apply, at=at, basis=basis)

        await desk.vault.projections.write(work)

    def _put(self, writer: MemoryWriter, dossier: Dossier) -> None:
        writer.put_dossier(dossier)
        mark = Watermark(self.name, dossier.familiar, dossier.last_fact_id, TABLE, dossier.created_at, dossier.person)
        writer.set_watermark(mark)


def digest_of(facts: Sequence[int]) -> str:
    """Return what tells whether the same facts are believed."""
    return blake2b(",".join(str(number) for number in facts).encode(), digest_size=12).hexdigest()
