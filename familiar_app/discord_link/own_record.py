"""What a familiar knows about whoever asks, as far as that person alone may be told it where they ask.

A fact is told where the person can read what it was learned from, or said it themselves; of what is held back, the
number is told. Facts that are about somebody else as well who wants nothing kept are left out, as everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from familiar_app.discord_link.asker import Asker
from familiar_app.discord_link.command_desk import Host
from familiar_app.discord_link.page import mark_of
from familiar_app.domain.audience import Audience
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory import placeholder
from familiar_app.domain.saved_memory.memory import SavedMemory, Scope
from familiar_app.domain.saved_memory.named import names_somebody
from familiar_app.store.portrait import Glimpse
from familiar_app.store.saved_memory import MemoryQuestion

MOST_FACTS = 500


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that may be told. `withheld` counts what was learned where this person may not read."""

    level: PrivacyLevel
    dossier: str = ""
    facts: tuple[Fact, ...] = ()
    memories: tuple[SavedMemory, ...] = ()
    named_in: tuple[SavedMemory, ...] = ()
    withheld: int = 0


async def identities(host: Host, asker: Asker) -> tuple[PersonKey, ...]:
    """Return all keys of whoever asks."""
    found = (await host.vault.person_pages.merged([asker.key])).get(asker.key)
    return (asker.key,) if found is None else found.identities


async def known_of(host: Host, asker: Asker) -> Known:
    """Read what may be told."""
    vault, keys = host.vault, await identities(host, asker)
    level = await vault.privacy.get(asker.key)
    if not level.allows_memories:
        return Known(level)
    audience = await _audience(host, asker, keys)
    facts, held_facts = await _facts(host, keys, audience)
    memories, held_memories = await _memories(host, keys, audience)
    return Known(
        level,
        await _dossier(host, keys, audience),
        tuple(facts),
        tuple(memories),
        tuple(await _named_in(host, asker, keys, audience)),
        held_facts + held_memories,
    )


async def memories_for(host: Host, asker: Asker) -> tuple[list[SavedMemory], int]:
    """Return the memories about whoever asks that they may be told, whatever their level, and how many they may not."""
    keys = await identities(host, asker)
    return await _memories(host, keys, await _audience(host, asker, keys))


async def own_memories(host: Host, keys: Sequence[PersonKey]) -> list[SavedMemory]:
    """Return every memory about a person that this familiar has, the newest first."""
    found: list[SavedMemory] = []
    for key in keys:
        question = MemoryQuestion(
            host.conversation.config.lineage, scope=Scope.PERSONAL, owner=key, include_private=True
        )
        found.extend(await host.vault.saved_memories.list(question))
    return sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)


async def server_memories(host: Host, guild: str) -> list[SavedMemory]:
    """Return the memories about a server, the newest first."""
    question = MemoryQuestion(host.conversation.config.lineage, scope=Scope.SERVER, owner=guild)
    return await host.vault.saved_memories.list(question)


def memory_mark(memory: SavedMemory) -> str:
    """Return a mark that is another one once the memory reads otherwise or is retired."""
    return mark_of(memory.content, memory.place.owner, memory.active)


def memory_text(memory: SavedMemory, *, char: str, user: str) -> str:
    """Return a memory with the names filled in."""
    return placeholder.fill(memory.content, char=char, user=user)


def when(moment: datetime) -> str:
    """Return a day as Discord shows it, in the zone of whoever reads."""
    return f"<t:{int(moment.timestamp())}:d>"


async def _audience(host: Host, asker: Asker, keys: tuple[PersonKey, ...]) -> Audience:
    channel = await host.vault.channels.find(asker.channel)
    return await host.vault.audiences.of_reader(
        host.familiar, asker.reader(keys), None if channel is None else channel.id
    )


async def _facts(host: Host, keys: Sequence[PersonKey], audience: Audience) -> tuple[list[Fact], int]:
    found: dict[int, Fact] = {}
    for key in keys:
        for fact in await host.vault.facts.page(host.familiar, subject=key, limit=MOST_FACTS):
            found.setdefault(fact.id, fact)
    known = await host.vault.audiences.provenance(found)
    own = set(keys)

    def may_be_told(fact: Fact) -> bool:
        source = known.get(fact.id)
        said_it = source is not None and bool(source.said_by) and source.said_by <= own
        return said_it or fact.beliefs[0].begun_by in own or (source is not None and source.why_held(audience) is None)

    told = [fact for number, fact in sorted(found.items(), reverse=True) if may_be_told(fact)]
    return told, len(found) - len(told)


async def _memories(host: Host, keys: Sequence[PersonKey], audience: Audience) -> tuple[list[SavedMemory], int]:
    """Return the memories about a person, but for those that a familiar saved where this person may not read."""
    everything = await own_memories(host, keys)
    told = [
        one
        for one in everything
        if one.learned_in is None or one.taught_by in keys or audience.why_held([one.learned_in]) is None
    ]
    return told, len(everything) - len(told)


async def _dossier(host: Host, keys: Sequence[PersonKey], audience: Audience) -> str:
    glimpse = Glimpse(host.familiar, audience, host.conversation.clock.now())
    portraits = await host.vault.portraits.of(list(keys), glimpse, most_people=len(keys), most_facts=0)
    return "\n\n".join(one.text.strip() for one in portraits if one.text.strip())


async def _named_in(host: Host, asker: Asker, keys: Sequence[PersonKey], audience: Audience) -> list[SavedMemory]:
    """Return the memories about this server that name the person, but for those kept to certain channels."""
    if asker.guild is None:
        return []
    people = [await host.vault.people.get(key) for key in keys]
    names = {asker.name} | {span.name for one in people if one is not None for span in one.names}
    return [
        one
        for one in await server_memories(host, asker.guild)
        if names_somebody(one.content, names)
        and not any(tag.startswith("#") for tag in one.tags)
        and (one.learned_in is None or audience.why_held([one.learned_in]) is None)
    ]
