"""`/forget`: one message, one memory, or everything about whoever asks. Nothing goes before it was said what goes.

What is forgotten here is erased for good. Whoever asks may have their own messages forgotten, and the answers to them;
those who may remove messages in a channel, every message of it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping

from familiar_app.discord_link.asker import Asker
from familiar_app.discord_link.command_desk import Host
from familiar_app.discord_link.command_memory import named
from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.own_record import identities, memory_mark, memory_text, own_memories, when
from familiar_app.discord_link.page import (
    STALE,
    Ask,
    DeclinedError,
    Form,
    Page,
    Press,
    Routes,
    mark_of,
    number_in,
    shortened,
)
from familiar_app.domain.erasure import OfMessage, OfPerson, in_words
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.text import in_english
from familiar_app.domain.turn import Role, Turn

_MEMORY, _MEMORY_GONE = "forget.memory", "forget.memorygone"
_MESSAGE_GONE, _KEEP = "forget.messagegone", "forget.keep"
_EVERYTHING, _CONFIRM, _EVERYTHING_GONE = "forget.everything", "forget.confirm", "forget.everythinggone"
_WORD = "ERASE"
log = logging.getLogger(__name__)
_LINK = re.compile(r"\s*<?https?://[^\s/]+/channels/(?:@me|\d{1,20})/(\d{1,20})/(\d{1,20})>?\s*\Z")
_NUMBER = re.compile(r"\s*(\d{15,20})\s*\Z")
_NO_MESSAGE = (
    "No message that you may have forgotten is kept by that name. Copy its link (Copy Message Link); it has to be "
    "yours, or an answer to you."
)


def add_routes(routes: Routes) -> None:
    """Say what the buttons of these pages do."""
    routes.does |= {_MEMORY: ask_about_memory, _MEMORY_GONE: _forget_memory, _MESSAGE_GONE: _forget_message}
    routes.does |= {_KEEP: _keep, _EVERYTHING: ask_about_everything, _EVERYTHING_GONE: _forget_everything}
    routes.opens[_CONFIRM] = _confirm


async def ask_about_memory(ask: Ask) -> Page:
    """Ask whether one memory is to be erased. `ask.args` has its number and mark."""
    memory = await named(ask)
    if memory is None:
        return Page(f"{STALE} `/memories` shows them.")
    text = memory_text(memory, char=ask.host.name, user=ask.asker.name)
    return Page(
        f"This memory is erased, with everything that holds its words, and cannot be brought back:\n"
        f"> {shortened(text, 1200)}",
        (_choice(Press("Erase it", _MEMORY_GONE, ask.args[:2], "danger")),),
    )


async def ask_about_numbered_memory(ask: Ask) -> Page:
    """Do the same for the memory that stands at a place in the list of `/memories`, from 1."""
    found = await own_memories(ask.host, await identities(ask.host, ask.asker))
    place = number_in(ask.args)
    if not 1 <= place <= len(found):
        raise DeclinedError(f"There is no memory {place}. `/memories` shows them with their numbers.")
    memory = found[place - 1]
    return await ask_about_memory(Ask(ask.host, ask.asker, (str(memory.id), memory_mark(memory))))


async def _forget_memory(ask: Ask) -> Page:
    memory = await named(ask)
    if memory is None:
        return Page(f"{STALE} `/memories` shows them.")
    history = await ask.host.vault.saved_memories.history(memory.id)
    learned = None if history is None else await ask.host.vault.turns.get(history.states[0].turn)
    if learned is not None and learned.role is Role.TOOL:
        # The call of the tool goes along, and does not come back with a backup.
        await ask.host.vault.erasure.erase(OfMessage(learned.id))
    await ask.host.vault.saved_memories.erase([memory.id])
    log.info("memory %d was erased, as somebody asked on Discord", memory.id)
    return Page("It is erased.")


async def ask_about_message(ask: Ask) -> Page:
    """Ask whether one message is to be erased. `ask.text` is its link or number."""
    turn = await _linked(ask)
    if turn is None:
        raise DeclinedError(_NO_MESSAGE)
    return Page(
        f"This message of {when(turn.at)} is erased from what {ask.host.name} remembers, with every note and memory "
        "that rests on it alone. It cannot be brought back. On Discord it stays until you delete it there.\n"
        f"> {shortened(turn.content or '(no text)', 1000)}",
        (_choice(Press("Erase it", _MESSAGE_GONE, (str(turn.id), _turn_mark(turn)), "danger")),),
    )


async def _forget_message(ask: Ask) -> Page:
    turn = await ask.host.vault.turns.get(TurnId(number_in(ask.args)))
    mark = ask.args[1] if len(ask.args) > 1 else ""
    if turn is None or turn.deleted or _turn_mark(turn) != mark or not await _may(ask.host, ask.asker, turn):
        return Page("That message is not kept any more, or reads otherwise now. Ask again to see it.")
    await ask.host.vault.erasure.erase(OfMessage(turn.id))
    log.info("turn %d was erased, as somebody asked on Discord", turn.id)
    return Page("It is erased.")


async def ask_about_everything(ask: Ask) -> Page:
    """Tell what the erasure of whoever asks would take, and ask for it to be confirmed."""
    try:
        plan = await ask.host.vault.erasure.plan(OfPerson(ask.asker.key))
    except UserError:
        return Page("Nothing is kept about you.")
    removed, redacted = _words(plan.removed), _words(plan.redacted)
    if not removed and not redacted:
        return Page("Nothing is kept about you.")
    lines = ["**Everything about you is erased, of all familiars here. It cannot be brought back.**"]
    if removed:
        lines.append(f"This goes: {', '.join(removed)}.")
    if redacted:
        lines.append(f"In this your name gives way to a word that means nobody: {', '.join(redacted)}.")
    if len(plan.keys) > 1:
        lines.append(f"The owner counts {len(plan.keys)} accounts as you; all of them go.")
    lines.append("Messages on Discord itself stay until you delete them there. Your choice in `/privacy` stays.")
    return Page("\n".join(lines), (_choice(Press("Erase everything about me", _CONFIRM, style="danger")),))


async def _confirm(_ask: Ask) -> Form:
    label = f"Write {_WORD} to have everything erased"
    return Form("Everything about you", label, _EVERYTHING_GONE, max_chars=20, long=False)


async def _forget_everything(ask: Ask) -> Page:
    if ask.text.strip().casefold() != _WORD.casefold():
        return Page(f"Nothing was changed: that was not {_WORD}.")
    wish = await _own_wish(ask)
    receipt = await ask.host.vault.erasure.erase(OfPerson(ask.asker.key))
    if wish is not PrivacyLevel.NONE:
        await ask.host.vault.privacy.set(ask.asker.key, wish, familiar=ask.host.familiar, by=ask.asker.key)
    log.info("erasure %d was asked for on Discord by the person themselves", receipt.id)
    gone = ", ".join(_words(receipt.removed)) or "nothing"
    return Page(
        f"Everything about you is erased (receipt {receipt.id}): {gone}.\n"
        "What you say from now on is remembered again as far as `/privacy` lets it."
    )


async def _own_wish(ask: Ask) -> PrivacyLevel:
    """Return the strictest level that whoever asks has set, under any of their keys."""
    levels = await ask.host.vault.privacy.own_levels()
    order = list(PrivacyLevel)
    keys = await identities(ask.host, ask.asker)
    return max((levels.get(key, PrivacyLevel.NONE) for key in keys), key=order.index)


async def _keep(_ask: Ask) -> Page:
    return Page("Nothing was changed.")


async def _linked(ask: Ask) -> Turn | None:
    channel, number = _named_message(ask.text, ask.asker.channel)
    if number is None:
        return None
    found = await ask.host.vault.channels.find(channel)
    turn = None if found is None else await ask.host.vault.messages.find(found.id, number)
    if turn is None or turn.deleted or not await _may(ask.host, ask.asker, turn):
        return None
    return turn


def _named_message(text: str, here: ChannelKey) -> tuple[ChannelKey, str | None]:
    """Return the channel and number of a message that is named by its link, or by its number in this channel."""
    if link := _LINK.match(text):
        return channel_key(int(link[1])), link[2]
    number = _NUMBER.match(text)
    return here, None if number is None else number[1]


async def _may(host: Host, asker: Asker, turn: Turn) -> bool:
    """Tell whether somebody may have a turn forgotten: it is theirs, answers them, or they moderate here."""
    keys = await identities(host, asker)
    if turn.role is Role.USER and turn.author is not None and turn.author.key in keys:
        return True
    if turn.role is Role.ASSISTANT and turn.answers is not None:
        asked = await host.vault.turns.get(turn.answers)
        if asked is not None and asked.author is not None and asked.author.key in keys:
            return True
    said = turn.role in (Role.USER, Role.ASSISTANT)
    return said and asker.moderates and turn.channel_key == asker.channel


def _turn_mark(turn: Turn) -> str:
    return mark_of(turn.id, turn.revision, turn.content)


def _choice(doing: Press) -> tuple[Press, ...]:
    return doing, Press("Keep it", _KEEP)


def _words(counts: Mapping[str, int]) -> list[str]:
    """Count in English, as all that is said on Discord, whatever the window speaks."""
    return [in_english(one) for one in in_words(counts)]
