"""`reflection`: now and then looks at what was said and believed, and keeps a few thoughts with what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from familiar_app.domain.citation import rejected_thoughts, thoughts_of
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import ChannelId, PersonKey, TurnId
from familiar_app.domain.kept_answer import KeptAnswer, decode
from familiar_app.domain.projection import Answer, NewReflection, Watermark
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.domain.turn import Turn
from familiar_app.projectors.asking import Asked, ask_list, fitted, room_for
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.claimant import claimants_of
from familiar_app.projectors.confidence import audience_beside, confidences_of
from familiar_app.projectors.instruction import instruction
from familiar_app.projectors.line import fact_line, turn_line
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.projectors.private_name import names_of
from familiar_app.projectors.recording import Piece, position_of, record
from familiar_app.store.memory_writer import MemoryWriter

REFLECTION = "reflection"
TABLE: Literal["reflections"] = "reflections"
VERSION = 1
_ALL = 1_000_000
SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "maxItems": 3,
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "cited_turn_ids": {"type": "array", "items": {"type": "integer"}},
            "cited_fact_ids": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["text", "cited_turn_ids", "cited_fact_ids"],
        "additionalProperties": False,
    },
}


class Reflection:
    """Thinks once a tick, as soon as enough was said since the last time."""

    name = REFLECTION

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:
        self._desk = desk
        self._beliefs = beliefs
        self._settings = desk.config.memory.reflection

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - a few remarks are nothing to think about
        """Think about the newest turns. Raises OutsideError; then nothing has moved."""
        await self._beliefs.bring_back()
        replayed = await self._bring_back()
        desk, projections = self._desk, self._desk.vault.projections
        after = await position_of(desk, self.name)
        if await projections.count_heard(desk.familiar, after=after) < self._settings.new_turns:
            return Tick(worked=True) if replayed else IDLE
        heard = await projections.newest_heard(desk.familiar, after=after, limit=self._settings.most_turns)
        confidences = await confidences_of(desk)
        turns = confidences.larger_side(heard)
        private = await desk.vault.privacy.levels()
        spoken = [turn for turn in turns if turn.author is None or turn.author.key not in private]
        if not spoken:
            await self._pass(heard[-1].id)
            return Tick(worked=True)
        audience = await audience_beside(desk, confidences.of(turns[0]))
        facts = await desk.vault.facts.page(desk.familiar, limit=self._settings.most_facts, audience=audience)
        unnamed = await names_of(desk, private)
        await self._think(after, spoken, facts, unnamed, newest=heard[-1].id)
        return Tick(worked=True)

    async def replay(self) -> None:
        await self._beliefs.bring_back()
        await self._bring_back()

    async def progress(self) -> Progress:
        after = await position_of(self._desk, self.name)
        lag = await self._desk.vault.projections.count_heard(self._desk.familiar, after=after)
        return Progress(after or None, lag)

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        writer.empty("reflections", self._desk.familiar)
        writer.forget_watermarks(self.name, self._desk.familiar)
        if fresh:
            writer.void_answers(self.name, self._desk.familiar, self._desk.clock.now())

    async def _bring_back(self) -> bool:
        """Replay every thought where all of them were lost. Tells whether there was anything to replay."""
        projections, familiar = self._desk.vault.projections, self._desk.familiar
        if await projections.watermark(self.name, familiar) is not None:
            return False
        answers = await projections.answers(self.name, familiar, limit=_ALL)
        if not answers:
            return False

        def work(writer: MemoryWriter) -> None:
            # Where the watermark alone is gone, the reflections are there still.
            writer.empty(TABLE, familiar)
            for answer in answers:
                self._apply(writer, answer, decode(answer.answer))

        await projections.write(work)
        return True

    async def _pass(self, newest: TurnId) -> None:
        """Move behind turns of which nothing may be drawn."""
        mark = Watermark(self.name, self._desk.familiar, newest, TABLE, self._desk.clock.now())
        await self._desk.vault.projections.write(lambda writer: writer.set_watermark(mark))

    async def _think(
        self, after: int, turns: Sequence[Turn], facts: Sequence[Fact], unnamed: frozenset[str], *, newest: TurnId
    ) -> None:
        desk = self._desk
        asked = await self._ask(turns, facts)
        basis: dict[str, Any] = {
            "turns": [[turn.id, turn.channel] for turn in turns],
            "facts": [[fact.id, fact.channel] for fact in facts],
            "last_fact": await desk.vault.facts.newest_id(desk.familiar),
            "most": self._settings.most_thoughts,
        }
        if unnamed:
            basis["private_names"] = sorted(unnamed)
        piece = Piece(self.name, VERSION, turns[0].id, newest)
        shown = ({turn.id for turn in turns}, {fact.id for fact in facts})
        rejected = rejected_thoughts(asked.value, *shown, self._settings.most_thoughts)
        await record(desk, piece, asked, self._apply, before=after, basis=basis, rejected=rejected)

    async def _ask(self, turns: Sequence[Turn], facts: Sequence[Fact]) -> Asked:
        desk = self._desk
        people: dict[PersonKey, str] = {desk.ego: desk.char}
        labels, told = await desk.vault.facts.labels(facts), await claimants_of(desk, facts)
        system = instruction(self.name, char=desk.char)
        lines = [fact_line(fact, labels[fact.id], told[fact.id]) for fact in facts]
        lines += [turn_line(turn, people, desk.ego) for turn in turns]
        shown = await fitted(desk, lines, await room_for(desk, system))
        user = instruction(
            f"{self.name}_input",
            facts="\n".join(shown[: len(facts)]) or "(none)",
            turns="\n".join(shown[len(facts) :]),
        )
        return await ask_list(desk, self.name, system, user, SCHEMA)

    def _apply(self, writer: MemoryWriter, answer: Answer, kept: KeptAnswer) -> None:
        """Store the thoughts that cite something that was shown, and move behind the newest turn in any case."""
        turns = {TurnId(turn): channel for turn, channel in kept.basis["turns"]}
        facts = {FactId(fact): channel for fact, channel in kept.basis["facts"]}
        unnamed = kept.basis.get("private_names", ())
        for thought in thoughts_of(kept.value, turns, facts, kept.basis["most"]):
            if names_somebody(thought.text, unnamed):
                continue
            places = {turns[turn] for turn in thought.turns} | {facts[fact] for fact in thought.facts}
            new = NewReflection(
                familiar=answer.familiar,
                text=thought.text,
                # What came up in several places belongs to none of them.
                channel=ChannelId(places.pop()) if len(places) == 1 and None not in places else None,
                cited_turns=thought.turns,
                cited_facts=thought.facts,
                last_turn_id=TurnId(answer.last),
                last_fact_id=kept.basis["last_fact"],
            )
            writer.add_reflection(new, answer.at)
        writer.set_watermark(Watermark(self.name, answer.familiar, answer.last, TABLE, answer.at))
