"""The button under a notice: shows what was saved, to those it concerns, and to them alone.

What is about the server may be seen by whoever reads the notice, what is about a person by that person and by whoever
said it; where notices show everything anyway, by everybody.
"""

from __future__ import annotations

import json

from familiar_app.discord_link.notice import SHOW
from familiar_app.discord_link.own_record import identities
from familiar_app.discord_link.page import Ask, Page, Routes, number_in
from familiar_app.domain.ids import TurnId
from familiar_app.domain.saved_memory.memory import MemoryId, Scope
from familiar_app.domain.saved_memory.notice import ATTACHMENT, MemoryNotice, notice_of
from familiar_app.domain.saved_memory.placeholder import fill
from familiar_app.domain.saved_memory.status import ToolResult

_MAX_CHARS = 1900
_GONE = "That memory is not kept any more."


def add_routes(routes: Routes) -> None:
    """Say what the button does."""
    routes.aside[SHOW] = show


async def show(ask: Ask) -> Page:
    """Show the whole notice."""
    turn = await ask.host.vault.turns.get(TurnId(number_in(ask.args)))
    notice = None if turn is None or turn.deleted else _notice(turn.tool_calls)
    if turn is None or notice is None:
        return Page(_GONE)
    memory = await ask.host.vault.saved_memories.get(MemoryId(notice.memory))
    if memory is None or (memory.persona != ask.host.familiar and turn.familiar != ask.host.familiar):
        return Page(_GONE)
    if turn.channel_key != ask.asker.channel:
        return Page("That was saved in another channel.")
    open_to_all = ask.host.conversation.config.saved_memories.notice_visibility == "verbose"
    keys = await identities(ask.host, ask.asker)
    concerned = memory.place.scope is Scope.SERVER or memory.place.owner in keys or memory.taught_by in keys
    if not (open_to_all or concerned):
        return Page("That is about somebody else, who can look at it themselves.")
    card = fill(notice.card, user=notice.about or ask.asker.name, char=ask.host.name)
    if len(card) > _MAX_CHARS:
        return Page(f"**{notice.title}**", file=(ATTACHMENT, card))
    return Page(f"**{notice.title}**\n{card}".strip())


def _notice(tool_calls: str | None) -> MemoryNotice | None:
    """Read the notice back from what the log has of the tool's call."""
    call = json.loads(tool_calls or "{}")
    result = call.get("result")
    if not isinstance(result, dict):
        return None
    return notice_of(ToolResult(bool(result["success"]), str(result["message"]), result["data"]))
