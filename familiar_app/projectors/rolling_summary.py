"""`rolling_summary`: carries the story of each channel on, from the last summary and the turns since."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.ids import ChannelId, PersonKey, TurnId
from familiar_app.domain.kept_answer import KeptAnswer, decode
from familiar_app.domain.projection import Answer, Summary, Watermark
from familiar_app.domain.speech import clean_text
from familiar_app.domain.turn import Turn
from familiar_app.projectors.asking import Asked, ask_prose, fitted, how_many_fit, room_for
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.instruction import instruction
from familiar_app.projectors.line import turn_line
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.projectors.recording import Piece, position_of, record
from familiar_app.store.memory_writer import MemoryWriter

ROLLING_SUMMARY = "rolling_summary"
TABLE = "summaries"
VERSION = 1
_ALL = 1_000_000


class RollingSummary:
    """Carries one channel on a tick, as soon as enough was said there. What is less waits."""

    name = ROLLING_SUMMARY

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:  # noqa: ARG002 - it rests on turns alone
        self._desk = desk
        self._settings = desk.config.memory.rolling_summary

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:  # noqa: ARG002 - a story is carried on in steps of a size
        """Carry on the first channel in which enough was said. Raises OutsideError; then nothing has moved."""
        desk = self._desk
        replayed, empty = False, False
        for channel in await desk.vault.projections.heard_channels(desk.familiar):
            replayed = await self._bring_back(channel) or replayed
            after = await position_of(self._desk, self.name, str(channel))
            turns = await desk.vault.projections.heard_after(
                desk.familiar, after, limit=self._settings.most_turns, channel=channel
            )
            if len(turns) < self._settings.new_turns:
                continue
            if await self._carry_on(channel, after, turns):
                return Tick(worked=True, more=True)
            empty = True
        if empty:
            return Tick(stalled=True)
        return Tick(worked=True) if replayed else IDLE

    async def replay(self) -> None:
        for channel in await self._desk.vault.projections.heard_channels(self._desk.familiar):
            await self._bring_back(channel)

    async def progress(self) -> Progress:
        projections, familiar = self._desk.vault.projections, self._desk.familiar
        positions = {
            channel: await position_of(self._desk, self.name, str(channel))
            for channel in await projections.heard_channels(familiar)
        }
        counts = [
            await projections.count_heard(familiar, after=after, channel=channel)
            for channel, after in positions.items()
        ]
        return Progress(max(positions.values(), default=0) or None, sum(counts), max(counts, default=0))

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        writer.empty("summaries", self._desk.familiar)
        writer.forget_watermarks(self.name, self._desk.familiar)
        if fresh:
            writer.void_answers(self.name, self._desk.familiar, self._desk.clock.now())

    async def _bring_back(self, channel: ChannelId) -> bool:
        """Replay every summary of a channel that has lost them. Tells whether there was anything to replay."""
        projections, familiar = self._desk.vault.projections, self._desk.familiar
        if await projections.watermark(self.name, familiar, str(channel)) is not None:
            return False
        answers = await projections.answers(self.name, familiar, scope=str(channel), limit=_ALL)
        if not answers:
            return False

        def work(writer: MemoryWriter) -> None:
            # Where the watermark alone is gone, the summaries are there still.
            writer.empty_summaries(familiar, channel)
            for answer in answers:
                self._apply(writer, answer, decode(answer.answer))

        await projections.write(work)
        return True

    async def _carry_on(self, channel: ChannelId, after: int, turns: Sequence[Turn]) -> bool:
        """Ask for the next summary and store it. False where the answer was empty: then nothing moves."""
        desk = self._desk
        count, asked = await self._ask(channel, turns)
        if not asked.value:
            return False
        piece = Piece(self.name, VERSION, turns[0].id, turns[count - 1].id, str(channel))
        shown_as = {turn.id: turn.revision for turn in turns[:count]}
        await record(
            desk,
            piece,
            asked,
            self._apply,
            before=after,
            basis={},
            # Where a turn was edited or deleted meanwhile, the story is told again from the newer words.
            still=lambda writer: writer.wordings(shown_as) == shown_as,
        )
        return True

    async def _ask(self, channel: ChannelId, turns: Sequence[Turn]) -> tuple[int, Asked]:
        """Ask with as many of the turns as fit the model; return how many these were."""
        desk = self._desk
        previous = await desk.vault.projections.summary(desk.familiar, channel)
        people: dict[PersonKey, str] = {desk.ego: desk.char}
        lines = [turn_line(turn, people, desk.ego) for turn in turns]
        system = instruction(self.name, char=desk.char)
        before = clean_text(previous.text) if previous else "(nothing yet)"
        room = await room_for(desk, system, before)
        count = await how_many_fit(desk, lines, room)
        shown = await fitted(desk, lines[:count], room)
        user = instruction(f"{self.name}_input", previous=before, turns="\n".join(shown))
        return count, await ask_prose(desk, self.name, system, user)

    def _apply(self, writer: MemoryWriter, answer: Answer, kept: KeptAnswer) -> None:
        channel, text = ChannelId(int(answer.scope)), str(kept.value)
        writer.add_summary(Summary(answer.familiar, channel, text, TurnId(answer.last), answer.at))
        writer.set_watermark(Watermark(self.name, answer.familiar, answer.last, TABLE, answer.at, answer.scope))
