"""Reads a model's answer to its end: passes on what is speech, carries out calls, and asks again with their results.

After five rounds the model has to answer without tools. What was said before a call stays said; what is said after it
continues the same reply.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from familiar_app.conversation.event import ToolUsed
from familiar_app.conversation.measured import MAX_REPLY_CHARS, Measured
from familiar_app.conversation.reply_filter import ReplyFilter, filter_for
from familiar_app.conversation.tool_desk import Done, ToolDesk
from familiar_app.conversation.tool_offer import ToolOffer
from familiar_app.conversation.tool_round import fitted, next_messages, told_round, traced_messages
from familiar_app.conversation.tool_text import Unreadable, read_call
from familiar_app.conversation.tool_wish import Wish, wished_call
from familiar_app.domain.chat import ChatRequest, Message, TextDelta, ToolCall, ToolCallRequested
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.settings import ConversationSettings
from familiar_app.domain.text import tr
from familiar_app.domain.trace import PromptTrace, ToolRound
from familiar_app.domain.turn import Channel
from familiar_app.models.port import LanguageModel

MAX_ROUNDS = 5
MAX_CALLS = 8
_GAP = "\n\n"


@dataclass
class ToolLoop:
    """One reply. `silent` is set once the familiar has decided to say nothing, `exhausted` once all rounds are used.

    With `begun` the reply goes on with these words, which it does not say again.
    """

    model: LanguageModel
    desk: ToolDesk
    offer: ToolOffer
    channel: Channel
    turn: TurnId
    settings: ConversationSettings
    measured: Measured
    begun: str = ""
    silent: bool = False
    exhausted: bool = False
    rounds: list[ToolRound] = field(default_factory=list)
    _speech: ReplyFilter | None = None
    _open: bool = False
    _spoken: bool = False
    _added: list[Message] = field(default_factory=list)

    async def run(self) -> AsyncGenerator[str | ToolUsed, None]:
        """Yield the pieces of the reply, and each call when it is done; left early, `finish` has the rest."""
        self.measured.started = time.perf_counter()
        request = self.offer.prompt.request
        if (wish := await self._wish()) is not None:
            yield wish.done.used
            request = self._asked_again(request, wish.messages)
        for number in range(1, MAX_ROUNDS + 2):
            self.exhausted = number > MAX_ROUNDS
            this = Measured(started=time.perf_counter())
            native: list[ToolCall] = []
            async with aclosing(self._ask(request, this, native)) as pieces:
                async for piece in pieces:
                    yield piece
            if piece := self.finish():
                yield piece
            calls = self._calls(native)
            if not calls or self.exhausted:
                return
            done: list[Done] = []
            for call in calls:
                done.append(await self._carry_out(call))
                yield done[-1].used
            self.rounds.append(told_round(this, done))
            if self.silent:
                return
            more = next_messages(self.offer.form, self._said(), calls, done, last=number == MAX_ROUNDS)
            request = await fitted(self.model, self._asked_again(request, more), self.offer.prompt.trace.context_tokens)

    def finish(self) -> str:
        """Tell that no more comes of the answer at hand, and return what was still held back of it."""
        if self._speech is None or not self._open:
            return ""
        self._open = False
        return self._told(self._speech.finish())

    def traced(self, trace: PromptTrace) -> PromptTrace:
        """Return a prompt's trace with the rounds that followed it."""
        messages = (*trace.messages, *traced_messages(self._added))
        return trace.model_copy(update={"rounds": tuple(self.rounds), "messages": messages})

    async def _wish(self) -> Wish | None:
        if self.offer.form != "asked":
            return None
        wish = await wished_call(self.model, self.desk, self.offer.tools, self.channel, self.turn)
        if wish is not None:
            self.rounds.append(wish.traced)
        return wish

    async def _ask(self, request: ChatRequest, this: Measured, native: list[ToolCall]) -> AsyncGenerator[str, None]:
        speech = self._speech = self._filter()
        self._open = True
        async with aclosing(self.model.stream(request)) as events:
            async for event in events:
                this.note(event)
                self.measured.note(event)
                if len(self.measured.raw) > MAX_REPLY_CHARS:
                    raise OutsideError(
                        tr("The model's answer does not come to an end."), tr("Ask again, or choose another model.")
                    )
                if isinstance(event, ToolCallRequested):
                    native.append(event.call)
                elif isinstance(event, TextDelta) and (piece := self._told(speech.feed(event.text))):
                    yield piece
                if speech.ended:
                    self.silent = speech.silent
                    return

    def _filter(self) -> ReplyFilter:
        made = filter_for(self.offer.prompt, self.settings, calls_end=self.offer.form == "text", spoken=self._spoken)
        if self.begun:
            made.go_on(self.begun, fresh=not self.model.info.goes_on)
        return made

    def _told(self, piece: str) -> str:
        """Return a piece as it continues the reply."""
        if not piece:
            return ""
        opens = self._said() == piece
        gap = _GAP if opens and self._spoken else ""
        self._spoken = True
        return gap + piece

    def _said(self) -> str:
        return self._speech.text if self._speech is not None else ""

    def _calls(self, native: Sequence[ToolCall]) -> Sequence[ToolCall | Unreadable]:
        if self.silent or self._speech is None:
            return []
        if self.offer.form == "text":
            return [read_call(text, number) for number, text in enumerate(self._speech.calls[:MAX_CALLS])]
        return native[:MAX_CALLS] if self.offer.form == "native" else []

    async def _carry_out(self, call: ToolCall | Unreadable) -> Done:
        done = await self.desk.call(call, self.offer.tools, self.channel, self.turn, spoken=self._spoken)
        self.silent = self.silent or done.answer.silences
        return done

    def _asked_again(self, request: ChatRequest, more: Sequence[Message]) -> ChatRequest:
        self._added += more
        return replace(request, messages=(*request.messages, *more))
