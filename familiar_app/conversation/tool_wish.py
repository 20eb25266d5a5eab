"""Lets a model that cannot call tools keep what somebody plainly asks it to remember, and set a reminder.

A small model calls tools at random, and makes up what they are given. So the words that are kept are the speaker's own;
where they may be meant for everybody, the model says under a grammar for whom, and nothing else.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass

from familiar_app.conversation.tool import Tool
from familiar_app.conversation.tool_desk import Done, ToolDesk
from familiar_app.domain.chat import ChatRequest, Message, RequestSent, Sampling, TextDelta, ToolCall
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.plain_reminder import PlainReminder, wish_for_reminder
from familiar_app.domain.saved_memory.plain_wish import speaks_of_self, wish_to_remember
from familiar_app.domain.saved_memory.request import SERVER_WIDE, TARGET_USER
from familiar_app.domain.saved_memory.status import SAVE_TOOL
from familiar_app.domain.trace import ToolRound
from familiar_app.domain.turn import Author, Channel, Turn
from familiar_app.models.port import LanguageModel
from familiar_app.store.alarm_log import TOOL_SET

log = logging.getLogger(__name__)

_CALL_ID = "wish_0"
_MOST_TOKENS = 48
_EVERYBODY = "everybody here"
_SCHEMA = {
    "type": "object",
    "properties": {"about": {"enum": ["the speaker", _EVERYBODY]}},
    "required": ["about"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A memory that was asked for, kept or refused, and what the model is told of it."""

    done: Done
    traced: ToolRound
    messages: tuple[Message, ...]


async def wished_call(
    model: LanguageModel, desk: ToolDesk, tools: Mapping[str, Tool], channel: Channel, turn: TurnId
) -> Wish | None:
    """Do what the turn plainly asks to remember or to be reminded of; None where it asks for nothing of the kind."""
    answered = await desk.vault.turns.get(turn) if SAVE_TOOL in tools or TOOL_SET in tools else None
    if answered is None or answered.author is None:
        return None
    reminder = wish_for_reminder(answered.content, desk.clock.now(), desk.config.display.zone())
    if reminder is not None and TOOL_SET in tools:
        return await _reminded(desk, tools, channel, answered, answered.author, reminder)
    what = wish_to_remember(answered.content) if SAVE_TOOL in tools else None
    if what is None:
        return None
    own, sent = True, None
    if not speaks_of_self(what):
        own, sent = await _about_speaker(model, answered.author, what)
    call = ToolCall(_CALL_ID, SAVE_TOOL, json.dumps(_arguments(what, answered.author, own=own), ensure_ascii=False))
    done = await desk.call(call, tools, channel, turn, spoken=False)
    outcome = "You keep this in mind now." if done.answer.success else "You could not keep this in mind."
    traced = ToolRound(sent=sent, calls=(done.as_traced(),))
    return Wish(done, traced, (Message("user", f"({outcome} Answer {answered.author.name}.)"),))


async def _reminded(
    desk: ToolDesk, tools: Mapping[str, Tool], channel: Channel, answered: Turn, author: Author, wish: PlainReminder
) -> Wish:
    """Set the reminder that was asked for, in the speaker's own words."""
    given = json.dumps({"when": wish.when, "text": wish.text}, ensure_ascii=False)
    done = await desk.call(ToolCall(_CALL_ID, TOOL_SET, given), tools, channel, answered.id, spoken=False)
    outcome = "This reminder is set" if done.answer.success else "The reminder could not be set"
    told = f"({outcome}: {done.answer.text} Answer {author.name}.)"
    return Wish(done, ToolRound(calls=(done.as_traced(),)), (Message("user", told),))


async def _about_speaker(model: LanguageModel, author: Author, what: str) -> tuple[bool, str | None]:
    """Ask for whom words are meant; where the model fails at that, they are the speaker's."""
    told = f"{author.name} says: {what}\nIs this about {author.name} (the speaker), or for everybody here?"
    request = ChatRequest(
        slot="prose",
        purpose="reply",
        messages=(Message("system", "Answer in JSON."), Message("user", told)),
        max_tokens=_MOST_TOKENS,
        sampling=Sampling(temperature=0.0),
        schema=_SCHEMA,
    )
    said, sent = "", None
    try:
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    said += event.text
                elif isinstance(event, RequestSent):
                    sent = event.body
        return json.loads(said) != {"about": _EVERYBODY}, sent
    except (OutsideError, ValueError, RecursionError) as error:
        log.warning("the model did not say whom a memory is about: %s", type(error).__name__)
        return True, sent


def _arguments(what: str, author: Author, *, own: bool) -> dict[str, str]:
    if own:
        return {"memory_content": f"{{user}}: “{what}”", "memory_scope": TARGET_USER, "target_user": author.name}
    return {"memory_content": what, "memory_scope": SERVER_WIDE}
