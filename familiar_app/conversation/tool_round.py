"""What lies between two requests of one reply: the calls and their results as messages, and as a trace keeps them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from familiar_app.conversation.measured import Measured
from familiar_app.conversation.tool_desk import Done
from familiar_app.conversation.tool_offer import LAYER
from familiar_app.conversation.tool_text import Unreadable, written_call
from familiar_app.domain.chat import ChatRequest, Message, ToolCall, ToolForm
from familiar_app.domain.errors import UserError
from familiar_app.domain.text import tr
from familiar_app.domain.trace import ToolRound, TracedMessage
from familiar_app.models.port import LanguageModel

_LEAST_ANSWER_TOKENS = 32
_SLACK_TOKENS = 16
_ENOUGH = "(No more tools can be used now. Answer with what is known.)"


def next_messages(
    form: ToolForm, said: str, calls: Sequence[ToolCall | Unreadable], done: Sequence[Done], *, last: bool
) -> list[Message]:
    """Return what follows the prompt after a round: the model's own words and calls, and what the tools answered."""
    if form == "native":
        made = [call for call in calls if isinstance(call, ToolCall)]
        messages = [Message("assistant", said, tuple(_echo(call) for call in made))]
        answers = zip(made, done, strict=True)
        messages += [Message("tool", one.answer.text, tool_call_id=call.id) for call, one in answers]
        if last:
            messages[-1] = replace(messages[-1], content=f"{messages[-1].content}\n{_ENOUGH}")
        return messages
    written = "\n".join([*([said] if said else []), *(written_call(call) for call in calls)])
    answered = [f"({one.name or 'the program'} answered) {one.answer.text}" for one in done]
    return [Message("assistant", written), Message("user", "\n".join([*answered, *([_ENOUGH] if last else [])]))]


async def fitted(model: LanguageModel, request: ChatRequest, context_tokens: int) -> ChatRequest:
    """Shorten the answer to what the longer prompt leaves. Raises UserError where that is too little."""
    taken = await model.count_prompt_tokens(request.messages)
    if request.tools:
        (tools,) = await model.count_tokens([json.dumps([dict(tool.parameters) for tool in request.tools])])
        taken += 2 * tools
    room = context_tokens - taken - _SLACK_TOKENS
    if room < _LEAST_ANSWER_TOKENS:
        raise UserError(
            tr("What the tools answered leaves no room for a reply."),
            tr("Choose a model with a longer context, or ask again."),
        )
    return replace(request, max_tokens=min(request.max_tokens, room))


def told_round(measured: Measured, done: Sequence[Done]) -> ToolRound:
    """Return a round as a trace keeps it."""
    calls = tuple(one.as_traced() for one in done)
    return ToolRound(sent=measured.sent, said=measured.raw, usage=measured.as_usage(), calls=calls)


def traced_messages(added: Sequence[Message]) -> tuple[TracedMessage, ...]:
    """Return messages as a trace keeps them; calls in the provider's form are written out."""
    return tuple(
        TracedMessage(
            role=one.role,
            content="\n".join([*([one.content] if one.content else []), *map(written_call, one.tool_calls)]),
            layer=LAYER,
        )
        for one in added
    )


def _echo(call: ToolCall) -> ToolCall:
    """Return a call that can be sent back: servers refuse arguments that are no JSON object."""
    try:
        usable = isinstance(json.loads(call.arguments), dict)
    except (ValueError, RecursionError):
        usable = False
    return call if usable else replace(call, arguments="{}")
