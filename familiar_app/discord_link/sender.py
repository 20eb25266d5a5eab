"""Sends a stored reply: cut into messages, addressed to whom it names, as an answer to what it answers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from familiar_app.discord_link.ping import address, pinged_in
from familiar_app.discord_link.reply_mark import read_mark
from familiar_app.discord_link.split import split_message
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.domain.turn import Turn
from familiar_app.store.vault import Vault

_RENEW_S = 8.0
_LONGEST_S = 90.0
_KNOWN_TURNS = 50
log = logging.getLogger(__name__)


class Line(Protocol):
    """What sends messages."""

    async def send(
        self, channel: int, text: str, *, people: Sequence[int] = (), answers: int | None = None, file: str = ""
    ) -> int: ...

    async def type_once(self, channel: int) -> None: ...


async def send_reply(vault: Vault, line: Line, channel: int, reply: Turn, answers: int | None) -> int:
    """Send a reply and note its messages; returns how many there are. Raises what kept one of them from being sent."""
    marked = read_mark(reply.content)
    if marked.marked:
        answers = await _named(vault, reply.channel, marked.answers) or answers
        await vault.turns.revise(reply.id, marked.text)
    sent = address(marked.text, await _known(vault, reply.channel))
    split = split_message(sent.text)
    for number, part in enumerate(split.parts):
        message = await line.send(
            channel,
            part,
            people=pinged_in(part, sent.people),
            answers=answers if number == 0 else None,
            file=split.rest if number == len(split.parts) - 1 else "",
        )
        await vault.messages.sent(reply.id, [str(message)])
    return len(split.parts)


@contextlib.asynccontextmanager
async def typing(line: Line, channel: int) -> AsyncIterator[None]:
    """Show that the familiar is writing, for a minute and a half at most. That it cannot be shown is no error."""
    task = asyncio.get_running_loop().create_task(_type(line, channel), name="typing indicator")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _type(line: Line, channel: int) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST_S):
            while True:
                try:
                    await line.type_once(channel)
                except FamiliarError as error:
                    log.info("the typing indicator could not be shown: %s", error.message)
                    return
                await asyncio.sleep(_RENEW_S)


async def _named(vault: Vault, channel: ChannelId, number: int | None) -> int | None:
    """Return the message that a reply names, if there is such a one in its channel."""
    if number is None:
        return None
    turn = await vault.messages.find(channel, str(number))
    return None if turn is None or turn.deleted else number


async def _known(vault: Vault, channel: ChannelId) -> Mapping[PersonKey, str]:
    """Return those who have spoken in the conversation lately, by the name they last had there."""
    turns = await vault.turns.page(channel, limit=_KNOWN_TURNS)
    return {turn.author.key: turn.author.name for turn in turns if turn.author is not None and not turn.author.bot}
