"""Holds the conversations of one familiar: stores what is said, asks the model, stores the answer with its reasons."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.alarm_clock import Reminders
from familiar_app.conversation.event import (
    ExchangeEvent,
    PromptReady,
    ReplyDelta,
    ReplyFailed,
    ReplyStopped,
    ReplyStored,
    StayedSilent,
    ToolUsed,
    UserTurnStored,
)
from familiar_app.conversation.flight import Flight
from familiar_app.conversation.memory_tool import NoticeSink
from familiar_app.conversation.reply_end import Settling, can_retry, nothing_said
from familiar_app.conversation.tool_desk import ToolDesk
from familiar_app.domain.alarm import ALARM_DUE
from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, TraceId, TurnId, ego_key
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from familiar_app.models.port import LanguageModel
from familiar_app.store.vault import Vault

_STOPPED = "stopped"
_UNKEPT = tr_later(
    "The message was not kept and {name} did not hear it: whoever wrote it has the privacy level 'full'. "
    "'familiar person privacy' changes the level."
)


@dataclass
class Conversation:
    """Talks for one familiar, one reply at a time in each channel.

    The generators of `say` and `regenerate` are to be read to their end, or closed: closing one (or cancelling the task
    that reads it) stops the model and keeps what was said so far, as `stop` does.
    """

    familiar: FamiliarId
    name: str
    config: CharacterConfig
    vault: Vault
    model: LanguageModel
    assembler: Assembler
    clock: Clock
    notices: NoticeSink | None = None
    desk: ToolDesk = field(init=False)
    reminders: Reminders = field(init=False)
    _flights: dict[ChannelId, Flight | None] = field(default_factory=dict)
    _settling: Settling = field(default_factory=Settling, init=False)
    _left: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        parts = (self.familiar, self.name, self.config, self.vault, self.clock, self.assembler.embedder, self.notices)
        self.desk = ToolDesk(*parts)
        self.reminders = Reminders(self)

    async def say(
        self, channel: Channel, text: str, author: Author, *, at: datetime | None = None
    ) -> AsyncGenerator[ExchangeEvent, None]:
        """Store what `author` says and answer it. `at` is when it was said, by default now.

        Raises UserError, before anything is stored, for an empty text or while an answer is under way in the channel.
        After that, errors come as ReplyFailed.
        """
        if not text.strip():
            raise UserError(tr("There is nothing to say."), tr("Write something first."))
        self._take_off(channel.id)
        try:
            turn, _ = await self.vault.turns.append(
                NewTurn(
                    channel=channel.id,
                    role=Role.USER,
                    content=text,
                    at=at if at is not None else self.clock.now(),
                    author=author,
                    guild=channel.guild,
                )
            )
            yield UserTurnStored(turn)
            if turn.deleted:
                yield StayedSilent(None, tr(_UNKEPT, name=self.name))
                return
            async with aclosing(self._reply(channel, turn.id)) as events:
                async for event in events:
                    yield event
        finally:
            self._flights.pop(channel.id, None)

    async def regenerate(self, turn: TurnId) -> AsyncGenerator[ExchangeEvent, None]:
        """Answer again what an assistant turn answered, or answer a turn of a person; earlier answers stay.

        Raises UserError where the turn cannot be answered, or while an answer is under way in its channel.
        """
        asked = await self._answerable(turn)
        async with aclosing(self._answer(asked, must_speak=_is_reminder(asked))) as events:
            async for event in events:
                yield event

    async def go_on(self, answer: TurnId) -> AsyncGenerator[ExchangeEvent, None]:
        """Go on with an answer that was cut off: it is stored with the further words as another answer.

        The deltas are the further words alone. Raises UserError where the turn cannot be gone on with, or while an
        answer is under way in its channel.
        """
        cut = await self.vault.turns.get(answer)
        if cut is None or cut.role is not Role.ASSISTANT or not cut.content:
            raise UserError(tr("Only an answer can be continued."), tr("Choose an answer of the familiar."))
        asked = await self._answerable(answer)
        async with aclosing(self._answer(asked, must_speak=True, cut=cut)) as events:
            async for event in events:
                yield event

    def stop(self, channel: ChannelId) -> None:
        """Stop the reply in a channel; what was said so far stays. Does nothing where there is none."""
        flight = self._flights.get(channel)
        if flight is not None:
            flight.stop()

    def busy(self, channel: ChannelId) -> bool:
        """Tell whether a reply is under way in a channel."""
        return channel in self._flights

    async def leave(self) -> None:
        """Say nothing more, as a familiar that is about to be erased: what is under way ends and is not kept."""
        self._left = True
        for channel in list(self._flights):
            self.stop(channel)
        await self._settling.over()

    async def greet(self, channel: Channel) -> Turn | None:
        """Store the card's first message as the first turn of an empty channel; None where it stays as it is."""
        card = self.assembler.card()
        text = fill_placeholders(card.first_message, char=self.name, user=self.assembler.owner_label).strip()
        if not text or await self.vault.turns.page(channel.id, limit=1):
            return None
        turn, _ = await self.vault.turns.append(self._own_turn(channel, text, answers=None))
        return turn

    async def say_plainly(self, channel: Channel, answered: Turn, text: str) -> Turn:
        """Store words of the familiar that no model has made, as its answer to a turn."""
        turn, _ = await self.vault.turns.append(self._own_turn(channel, text, answers=answered.id))
        return turn

    def _take_off(self, channel: ChannelId) -> None:
        if self._left:
            raise UserError(tr("{name} was erased", name=self.name))
        if channel in self._flights:
            raise UserError(
                tr("{name} is still answering here.", name=self.name), tr("Wait for the answer, or stop it.")
            )
        self._flights[channel] = None

    async def _answerable(self, turn: TurnId) -> Turn:
        found = await self.vault.turns.get(turn)
        if found is not None and found.role is Role.ASSISTANT:
            if found.familiar not in (None, self.familiar):
                raise UserError(tr("Another familiar said this."), tr("Choose an answer of this one."))
            if found.answers is None:
                raise UserError(tr("This turn answers nothing, so there is no other answer."))
            found = await self.vault.turns.get(found.answers)
        if found is None or found.deleted or found.hidden:
            raise UserError(tr("The message that was to be answered is gone."))
        if found.role is not Role.USER and not _is_reminder(found):
            raise UserError(tr("Only what a person said can be answered."))
        return found

    async def _answer(
        self, asked: Turn, *, must_speak: bool, cut: Turn | None = None
    ) -> AsyncGenerator[ExchangeEvent, None]:
        channel = await self.vault.channels.get(asked.channel)
        if channel is None:
            raise UserError(tr("The channel of this turn is gone."))
        self._take_off(channel.id)
        try:
            async with aclosing(self._reply(channel, asked.id, must_speak=must_speak, cut=cut)) as events:
                async for event in events:
                    yield event
        finally:
            self._flights.pop(channel.id, None)

    async def _reply(
        self, channel: Channel, turn: TurnId, *, must_speak: bool = False, cut: Turn | None = None
    ) -> AsyncGenerator[ExchangeEvent, None]:
        flight = Flight(channel, turn, self.desk, must_speak=must_speak, cut=cut)
        self._flights[channel.id] = flight
        if self._left:
            flight.stop()
        said: list[str] = []
        settled = False
        try:
            flight.begin(self.assembler, self.model)
            while (progress := await flight.next()) is not None:
                match progress:
                    case str():
                        said.append(progress)
                        yield ReplyDelta(progress)
                    case ToolUsed():
                        yield progress
                    case _:
                        yield PromptReady(progress.trace)
            if piece := flight.finish():
                said.append(piece)
                yield ReplyDelta(piece)
            await flight.end()
            settled = True
            yield await self._settling.to_its_end(self._settle(flight, "".join(said)))
        finally:
            await flight.end()
            if not settled:
                flight.stopped = True
                await self._settling.to_its_end(self._settle(flight, "".join(said)))

    async def _settle(self, flight: Flight, text: str) -> ExchangeEvent:
        """Store how the reply ended, and tell it."""
        if self._left:
            return ReplyStopped(None)
        try:
            if flight.stopped:
                return await self._settle_stopped(flight, text)
            if flight.error is not None:
                return await self._settle_failed(flight, text, flight.error)
            if flight.silent:
                trace = await self._put_trace(flight, silent=True)
                return StayedSilent(trace) if trace is not None else ReplyStopped(None)
            if not text:
                return await self._settle_failed(flight, text, nothing_said(flight))
            turn, trace = await self._store(flight, text)
            return ReplyStored(turn, trace) if trace is not None else ReplyStopped(turn)
        except FamiliarError as error:
            return ReplyFailed(error, can_retry(error))

    async def _settle_stopped(self, flight: Flight, text: str) -> ReplyStopped:
        if text:
            turn, _ = await self._store(flight, text, error=_STOPPED)
            return ReplyStopped(turn)
        await self._put_trace(flight, error=_STOPPED)
        return ReplyStopped(None)

    async def _settle_failed(self, flight: Flight, text: str, error: FamiliarError) -> ReplyFailed:
        await self._put_trace(flight, answer=text, error=error.english)
        return ReplyFailed(error, can_retry(error))

    async def _store(self, flight: Flight, text: str, *, error: str | None = None) -> tuple[Turn, TraceId | None]:
        text = flight.cut.content + text if flight.cut is not None else text
        trace = await self._put_trace(flight, answer=text, error=error)
        cut = None if flight.cut is None else flight.cut.id
        new = self._own_turn(flight.channel, text, answers=flight.turn, goes_on=cut)
        turn, _ = await self.vault.turns.append(new, trace=trace)
        return turn, trace

    async def _put_trace(
        self, flight: Flight, *, answer: str = "", error: str | None = None, silent: bool = False
    ) -> TraceId | None:
        """Store the trace with what came of it. None where the prompt was never finished."""
        if flight.prompt is None:
            return None
        trace = flight.prompt.trace if flight.loop is None else flight.loop.traced(flight.prompt.trace)
        done = {"turn_id": flight.turn, **flight.measured.as_done(answer, error, silent=silent)}
        trace = trace.model_copy(update=done)
        return await self.vault.traces.put(trace, keep=self.config.context.kept_traces)

    def _own_turn(
        self, channel: Channel, text: str, *, answers: TurnId | None, goes_on: TurnId | None = None
    ) -> NewTurn:
        return NewTurn(
            channel=channel.id,
            role=Role.ASSISTANT,
            content=text,
            at=self.clock.now(),
            author=Author(ego_key(self.familiar), self.name),
            familiar=self.familiar,
            guild=channel.guild,
            answers=answers,
            goes_on=goes_on,
        )


def _is_reminder(turn: Turn) -> bool:
    return turn.role is Role.SYSTEM and turn.mode == ALARM_DUE
