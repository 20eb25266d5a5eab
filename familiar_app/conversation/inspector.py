"""Looks at prompts again: as they were, with something changed, for another channel, or as they would be now.

Looking changes nothing: no turn, no trace and no timer is stored, and no counter moves. An answer that is asked for
here is streamed and forgotten.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import AssembledPrompt, PromptRequest
from familiar_app.conversation.measured import MAX_REPLY_CHARS, Measured
from familiar_app.conversation.meter import Meter, PromptMeter
from familiar_app.conversation.reply_filter import filter_for
from familiar_app.conversation.tool_desk import ToolDesk
from familiar_app.conversation.tool_offer import offer_tools
from familiar_app.conversation.why_not import Named, WhyNot, WhyNotFinder
from familiar_app.domain.chat import TextDelta, ToolCallRequested
from familiar_app.domain.errors import FamiliarError, OutsideError, UserError
from familiar_app.domain.ids import ChannelKey, FamiliarId, TraceId, TurnId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Channel
from familiar_app.domain.variation import UNCHANGED, Variation
from familiar_app.models.port import LanguageModel
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.store.vault import Vault

_CALLED = tr_later("The model called a tool first; nothing is done where a prompt is only tried.")


@dataclass(frozen=True, slots=True)
class Piece:
    """A further piece of an answer that is only tried."""

    text: str


@dataclass(frozen=True, slots=True)
class Tried:
    """The end of a tried answer: the prompt's trace with what came of it. It has no id, since nothing is stored."""

    trace: PromptTrace


@dataclass(frozen=True, slots=True)
class Heard:
    """What memory brings up for a message in a channel, as a trace has candidates: what may be said there, what not."""

    kept: tuple[dict[str, Any], ...]
    held_back: tuple[dict[str, Any], ...]


@dataclass
class Inspector:
    """Inspects the prompts of one familiar."""

    familiar: FamiliarId
    config: CharacterConfig
    vault: Vault
    model: LanguageModel
    assembler: Assembler
    _meter: PromptMeter = field(init=False)
    _finder: WhyNotFinder = field(init=False)

    def __post_init__(self) -> None:
        self._desk = ToolDesk(self.familiar, "", self.config, self.vault, self.assembler.clock)
        self._meter = PromptMeter(self.vault, self.assembler)
        self._finder = WhyNotFinder(self.familiar, self.config, self.vault)

    async def assemble(
        self, request: PromptRequest, progress: Callable[[IndexStatus], None] | None = None
    ) -> AssembledPrompt:
        """Return a prompt as a reply would have it, tools included. Raises as the assembler does.

        Waits for the search index where it is being built, and `progress` hears how far it is: with half of memory,
        what is compared would differ by that.
        """
        await self.vault.index.ready(progress)
        return (await offer_tools(self.assembler, self._desk, request)).prompt

    async def again(
        self,
        trace: TraceId,
        variation: Variation = UNCHANGED,
        progress: Callable[[IndexStatus], None] | None = None,
    ) -> AssembledPrompt:
        """Return the prompt of a stored reply as it would be made at its own moment, with something changed.

        Raises UserError where the trace is gone, a projector's, or of a channel or message that is gone.
        """
        told = await self._reply_trace(trace)
        if told.turn_id is None:
            raise UserError(tr("This prompt answered no stored message."), tr("Choose another one."))
        channel = await self.vault.channels.find(ChannelKey(told.channel), familiar=self.familiar)
        if channel is None:
            raise UserError(tr("The channel of this prompt is gone."), tr("Choose another one."))
        request = PromptRequest(
            channel,
            mode=told.mode,
            until=TurnId(told.turn_id),
            known_at=told.known_at or told.at,
            as_of=told.as_of,
            variation=variation,
            preview=True,
            lore=told.lorebook,
        )
        return await self.assemble(request, progress)

    async def fresh(
        self,
        channel: Channel,
        text: str | None,
        variation: Variation = UNCHANGED,
        *,
        mode: str = "text",
        known_at: datetime | None = None,
        as_of: datetime | None = None,
    ) -> AssembledPrompt:
        """Return the prompt that a message by the owner would get; without a text, that of the conversation as it is.

        With `known_at` or `as_of` it is the one that it would have got then.
        """
        pending = text.strip() if text is not None and text.strip() else None
        request = PromptRequest(
            channel, mode=mode, pending=pending, known_at=known_at, as_of=as_of, variation=variation, preview=True
        )
        return await self.assemble(request)

    async def ask(self, prompt: AssembledPrompt) -> AsyncGenerator[Piece | Tried, None]:
        """Stream an answer to a prompt and store nothing: pieces, then one `Tried`, which tells of an error too.

        Close the generator, or cancel who reads it, to stop the model.
        """
        measured, speech, error = Measured(), filter_for(prompt, self.config.conversation), None
        called = False
        try:
            await self.model.prepare()
            measured.started = time.perf_counter()
            async with aclosing(self.model.stream(prompt.request)) as events:
                async for event in events:
                    measured.note(event)
                    if len(measured.raw) > MAX_REPLY_CHARS:
                        raise OutsideError(
                            tr("The model's answer does not come to an end."), tr("Choose another model.")
                        )
                    called = called or isinstance(event, ToolCallRequested)
                    if isinstance(event, TextDelta) and (piece := speech.feed(event.text)):
                        yield Piece(piece)
                    if speech.ended or speech.silent:
                        break
            if piece := speech.finish():
                yield Piece(piece)
            if not speech.text and not speech.silent:
                called = called or bool(speech.calls)
                error = _CALLED if called else tr_later("The model gave an empty answer.")
        except FamiliarError as failure:
            error = failure.english
        yield Tried(prompt.trace.model_copy(update=measured.as_done(speech.text, error, silent=speech.silent)))

    async def why_not(self, trace: TraceId, kind: str, number: int | str) -> WhyNot:
        """Tell why something stands in the prompt of a stored reply, or does not. Raises UserError as `again` does."""
        return await self._finder.why_not(await self._reply_trace(trace), kind, number)

    async def find(self, trace: TraceId, text: str, *, limit: int = 20) -> list[Named]:
        """Return what a text may mean: facts, turns, and the entries that the trace's lorebooks had."""
        return await self._finder.find(await self._reply_trace(trace), text, limit)

    async def would_say(self, channel: Channel, text: str) -> Heard:
        """Tell what memory brings up for a message there: what may be said before those who read it, what not."""
        trace = (await self.fresh(channel, text)).trace
        return Heard(
            kept=tuple(one for one in trace.candidates if one["kept"]),
            held_back=tuple(one for one in trace.candidates if one["why"] == "audience"),
        )

    async def meter(self, channel: Channel, draft: str = "") -> Meter:
        """Tell how much of the model's context a message being written would take."""
        return await self._meter.read(channel, draft)

    async def _reply_trace(self, trace: TraceId) -> PromptTrace:
        found = await self.vault.traces.get(trace)
        if found is None or found.familiar != self.familiar:
            raise UserError(tr("There is no such trace any more."), tr("Only the newest prompts are kept."))
        if not found.is_reply:
            raise UserError(
                tr("Only the prompt of a reply can be made again."), tr("Choose one whose purpose is a reply.")
            )
        return found
