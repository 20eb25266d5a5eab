"""Sends a stored reply: cut into messages, addressed to whom it names, as an answer to what it answers."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from familiar_app.discord_link.button import Buttons
from familiar_app.discord_link.ping import address, pinged_in
from familiar_app.discord_link.reply_mark import Marked, read_mark
from familiar_app.discord_link.split import LIMIT, split_message
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, PersonKey, TurnId
from familiar_app.domain.text import in_english
from familiar_app.domain.turn import Turn
from familiar_app.store.vault import Vault

_RENEW_S = 8.0
_LONGEST_S = 90.0
_KNOWN_TURNS = 50
_LAST_WAIT_S = 5.0
# Discord allows a nonce 25 characters.
_NONCE_CHARS = 24
# Messages of Discord have numbers of seventeen digits and more; a smaller one in a mark is a turn of the log.
_FIRST_MESSAGE = 10**15
log = logging.getLogger(__name__)


class Line(Protocol):
    """What sends messages, and changes and removes what it sent. See `GatewayClient`.

    `reserved` is the room in each message for what the line itself puts there.
    """

    @property
    def reserved(self) -> int: ...

    async def send(
        self,
        channel: int,
        text: str,
        *,
        people: Sequence[int] = (),
        answers: int | None = None,
        file: str = "",
        nonce: str = "",
        buttons: Buttons | None = None,
    ) -> int: ...

    async def edit(
        self,
        channel: int,
        message: int,
        text: str,
        *,
        people: Sequence[int] = (),
        file: str = "",
        buttons: Buttons | None = None,
    ) -> None: ...

    async def remove(self, channel: int, message: int) -> None: ...

    async def own_since(self, channel: int, after: int, limit: int = 100) -> list[tuple[int, str]]: ...

    async def type_once(self, channel: int) -> None: ...


@dataclass(frozen=True, slots=True)
class _Part:
    """One message of a reply as it is to be shown."""

    text: str
    people: tuple[int, ...]
    file: str
    buttons: Buttons | None
    nonce: str


async def send_reply(
    vault: Vault,
    line: Line,
    channel: int,
    reply: Turn,
    asked: int | None,
    buttons: Buttons | None = None,
    *,
    quote: bool = True,
) -> int:
    """Send a reply and note its messages; returns how many there are. Raises what kept one of them from being sent.

    It is shown as a reply to the message `asked` with `quote`, or where it says so. Messages that are noted already are
    not sent again.
    """
    marked = read_mark(reply.content)
    answers = asked if quote or marked.marked else None
    if marked.marked:
        answers = await _named(vault, reply.channel, marked.answers) or asked
    parts = await _parts(vault, line, reply, marked, buttons)
    there = len(await vault.messages.parts(reply.id))
    for number, part in enumerate(parts[there:], there):
        await _send(vault, line, channel, reply, part, answers if number == 0 else None)
    return len(parts)


async def edit_reply(
    vault: Vault, line: Line, channel: int, old: TurnId, reply: Turn, buttons: Buttons | None = None
) -> int:
    """Show a reply in the place of an older one: its messages change, and are more or fewer. Returns how many.

    As long as none of them has changed, the messages are the older reply's.
    """
    shown = await vault.messages.parts(old)
    parts = await _parts(vault, line, reply, read_mark(reply.content), buttons)
    for number, (message, part) in enumerate(zip(shown, parts, strict=False)):
        await line.edit(channel, int(message), part.text, people=part.people, file=part.file, buttons=part.buttons)
        if number == 0:
            await vault.deliveries.hand_over(old, reply.id, len(parts))
    for part in parts[len(shown) :]:
        await _send(vault, line, channel, reply, part, None)
    await remove_withdrawn(vault, line, channel, reply.channel)
    return len(parts)


async def remove_withdrawn(vault: Vault, line: Line, channel: int, place: ChannelId) -> None:
    """Remove the messages that no reply of a channel has any more."""
    for message in await vault.deliveries.withdrawn(place):
        await line.remove(channel, int(message))
        await vault.deliveries.removed(place, message)


async def find_sent(vault: Vault, line: Line, channel: int, reply: Turn, asked: int) -> None:
    """Note those messages of a reply that were sent after the message `asked` and are not noted yet."""
    there = len(await vault.messages.parts(reply.id))
    parts = await _parts(vault, line, reply, read_mark(reply.content), None)
    missing = iter(parts[there:])
    wanted = next(missing, None)
    for message, text in await line.own_since(channel, asked):
        fits = wanted is not None and text.strip() == wanted.text.strip()
        if fits and await vault.messages.find(reply.channel, str(message)) is None:
            await vault.messages.sent(reply.id, [str(message)])
            wanted = next(missing, None)


async def _parts(vault: Vault, line: Line, reply: Turn, marked: Marked, buttons: Buttons | None) -> list[_Part]:
    """Cut a reply into messages. The mark it begins with is taken out of the log as well."""
    if marked.marked:
        await vault.turns.revise(reply.id, marked.text)
    sent = address(marked.text, await _known(vault, reply.channel))
    split = split_message(sent.text, limit=LIMIT - line.reserved)
    last = len(split.parts) - 1
    return [
        _Part(
            text,
            tuple(pinged_in(text, sent.people)),
            split.rest if number == last else "",
            buttons if number == last else None,
            _nonce(reply, number),
        )
        for number, text in enumerate(split.parts)
    ]


async def _send(vault: Vault, line: Line, channel: int, reply: Turn, part: _Part, answers: int | None) -> None:
    """Send one message and note it. Once that is under way, an end of the program waits for it, for a while."""
    sending = asyncio.ensure_future(_send_and_note(vault, line, channel, reply, part, answers))
    try:
        await asyncio.shield(sending)
    except asyncio.CancelledError:
        await asyncio.wait([sending], timeout=_LAST_WAIT_S)
        if not sending.cancel() and not sending.cancelled() and (error := sending.exception()) is not None:
            log.warning("the last message was not sent (%s)", type(error).__name__)
        raise


async def _send_and_note(vault: Vault, line: Line, channel: int, reply: Turn, part: _Part, answers: int | None) -> None:
    message = await line.send(
        channel,
        part.text,
        people=part.people,
        answers=answers,
        file=part.file,
        nonce=part.nonce,
        buttons=part.buttons,
    )
    await vault.messages.sent(reply.id, [str(message)])


def _nonce(reply: Turn, number: int) -> str:
    """Return what makes Discord recognise one message of a reply that is sent a second time."""
    text = f"{reply.channel_key} {reply.id} {reply.arrived_at.timestamp()} {number}"
    return hashlib.sha256(text.encode()).hexdigest()[:_NONCE_CHARS]


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
                    log.info("the typing indicator could not be shown: %s", in_english(error.message))
                    return
                await asyncio.sleep(_RENEW_S)


async def _named(vault: Vault, channel: ChannelId, number: int | None) -> int | None:
    """Return the message that a reply names by its own number or its turn's, if there is such a one in its channel."""
    if number is None:
        return None
    turn = await vault.messages.find(channel, str(number))
    if turn is None:
        turn = await vault.turns.get(TurnId(number)) if number < _FIRST_MESSAGE else None
    if turn is None or turn.deleted or turn.channel != channel or turn.message_id is None:
        return None
    return int(turn.message_id) if number < _FIRST_MESSAGE else number


async def _known(vault: Vault, channel: ChannelId) -> Mapping[PersonKey, str]:
    """Return those who have spoken in the conversation lately, by the name they last had there."""
    turns = await vault.turns.page(channel, limit=_KNOWN_TURNS)
    return {turn.author.key: turn.author.name for turn in turns if turn.author is not None and not turn.author.bot}
