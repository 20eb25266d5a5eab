"""Tells a memory tool where it is called from: the channel, who speaks, and who takes part, as the log has them."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.ids import FamiliarId, Lineage
from familiar_app.domain.privacy import Proxy
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.turn import Author, Channel, Role, Turn
from familiar_app.store.vault import Vault

PARTICIPANT_TURNS = 100
"""How far back somebody who spoke counts as taking part."""


async def caller_of(
    vault: Vault,
    familiar: FamiliarId,
    char: str,
    lineage: Lineage,
    channel: Channel,
    answered: Turn,
    *,
    members: Sequence[ChatPerson] = (),
) -> ToolContext:
    """Return the context of a call made while `answered` is answered. `members` are the server's others, if known."""
    turns = await vault.turns.page(channel.id, limit=PARTICIPANT_TURNS)
    authors = {
        turn.author.key: turn.author for turn in reversed(turns) if turn.role is Role.USER and turn.author is not None
    }
    return ToolContext(
        familiar=familiar,
        char=char,
        lineage=lineage,
        server=channel.guild or channel.key,
        channel=channel.key,
        speaker=None if answered.author is None else chat_person(answered.author),
        participants=tuple(chat_person(one) for one in reversed(authors.values())),
        members=tuple(members),
        direct=channel.guild is None,
        guild=channel.guild,
        source_turn=answered.id if answered.id > 0 else None,
    )


def chat_person(author: Author) -> ChatPerson:
    """Return an author as somebody who can be meant by a name."""
    return ChatPerson(
        author.key,
        author.name,
        username=author.username,
        nickname=author.nickname,
        global_name=author.global_name,
        bot=author.bot,
        # Whose proxy it is is not kept, so nothing is saved about it.
        proxy=Proxy(None) if author.key.startswith(("proxy:", "pk:")) else None,
    )
