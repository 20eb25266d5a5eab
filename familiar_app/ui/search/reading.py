"""Reads each kind of thing for a search: messages and facts through the index, the rest as lists. Knows no Qt.

Everything runs in threads of the vault or of its own; a method returns at most `MOST` things, best or newest first.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from familiar_app.domain.fact import Fact, is_current
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.ranking import Kind, Weights
from familiar_app.domain.recall import Hit, Recall
from familiar_app.domain.text import ntr, tr
from familiar_app.domain.turn import Channel, Person, Turn
from familiar_app.interchange.lorebook.library import LoreLibrary
from familiar_app.store.book_shelf import BookShelf
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.search.found import Found, made
from familiar_app.ui.search.prompts import Looked, PromptSearch
from familiar_app.ui.search.wanted import Wanted

if TYPE_CHECKING:
    from datetime import tzinfo

    from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
    from familiar_app.domain.projection import Reflection
    from familiar_app.domain.saved_memory.memory import SavedMemory
    from familiar_app.services import Services

MOST = 200
DEEP = 800
"""So many are ranked where a filter takes some of them away again."""
LISTED = 3000
ENOUGH = 12
"""With fewer messages from the index, the log is read for the words as they were typed."""
# By words first, what is newer a little ahead of what is older.
_BY_WORDS = Weights(
    bm25=1.0, recency=0.1, importance=0.0, embedding=0.0, nearness=0.0, named=0.0, neighbours=0.0, facts=0.0
)


class Names:
    """What channels and people are called."""

    def __init__(self, channels: Sequence[Channel] = (), people: Sequence[Person] = ()) -> None:
        self.channels, self.people = channels, people
        self.keys: Mapping[ChannelKey, Channel] = {one.key: one for one in channels}
        self.titles: Mapping[ChannelId, str] = {one.id: channel_title(one) for one in channels}
        self.labels: Mapping[PersonKey, str] = {one.key: one.label for one in people}

    def channel_of(self, key: str) -> ChannelId | None:
        """Return the channel of a key, None where there is none any more."""
        channel = self.keys.get(ChannelKey(key))
        return None if channel is None else channel.id


class Reading:
    """Reads for one familiar. `names` is what `read_names` found last."""

    def __init__(self, services: Services, familiar: FamiliarId, zone: tzinfo) -> None:
        self._services, self._familiar = services, familiar
        self._library = LoreLibrary()
        self._prompts = PromptSearch(services, familiar, zone)
        self.names = Names()
        self.kinds: Mapping[str, Callable[[Wanted], Awaitable[list[Found]]]] = {
            "person": self.people,
            "turn": self.turns,
            "fact": self.facts,
            "memory": self.memories,
            "reflection": self.reflections,
            "lore": self.lore,
            "prompt": self.prompts,
        }

    async def read_names(self) -> None:
        """Look which channels and people there are."""
        vault = self._services.vault
        channels = await vault.channels.list(self._familiar)
        archived = await vault.channels.list(self._familiar, archived=True)
        people = await vault.people.list()
        self.names = Names([one.channel for one in (*channels, *archived)], people)

    async def turns(self, wanted: Wanted) -> list[Found]:
        """Return messages by their words, as the index ranks them."""
        hits = await self._ranked("turn", wanted)
        turns = [one.turn for one in hits if one.turn is not None]
        return [self._turn(one, wanted) for one in turns if _passes(one, wanted)][:MOST]

    async def turns_as_typed(self, wanted: Wanted, known: Iterable[Found]) -> list[Found]:
        """Return messages that hold the text just as it was typed, newest first, beyond the known ones.

        Reads on through the log until there are enough that pass the filters; whoever waits can give it up.
        """
        ids = {one.id for one in known}
        heard = {one.id for one in self.names.channels}
        most = DEEP if wanted.narrowed else MOST
        found: list[Found] = []
        before: TurnId | None = None
        while len(found) < MOST:
            turns = await self._services.vault.turns.search(
                wanted.text.strip(), channel=wanted.channel, limit=most, before=before
            )
            found += [
                self._turn(one, wanted)
                for one in turns
                if one.channel in heard and str(one.id) not in ids and _passes(one, wanted)
            ]
            if len(turns) < most:
                break
            before = min(one.id for one in turns)
        return found

    async def facts(self, wanted: Wanted) -> list[Found]:
        """Return facts: those believed today by their words, then whatever was believed at any time."""
        hits = await self._ranked("fact", wanted)
        believed = [one.fact for one in hits if one.fact is not None]
        page = await self._services.vault.facts.page(
            self._familiar, search=wanted.longest, include_retired=True, limit=DEEP
        )
        texts = {one.id: one for one in believed}
        texts |= {one.id: one for one in page if one.id not in texts and wanted.in_text(one.text)}
        return [self._fact(one, wanted) for one in texts.values() if self._fact_passes(one, wanted)][:MOST]

    async def memories(self, wanted: Wanted) -> list[Found]:
        """Return saved memories, retired ones too."""
        lineage = self._services.familiars[self._familiar].config.lineage
        question = MemoryQuestion(lineage, search=wanted.longest, include_retired=True, limit=LISTED)
        found = await self._services.vault.saved_memories.list(question)
        return [self._memory(one, wanted) for one in found if self._memory_passes(one, wanted)][:MOST]

    async def reflections(self, wanted: Wanted) -> list[Found]:
        """Return thoughts that hold every word."""
        if wanted.person is not None:
            return []
        found = await self._services.vault.projections.reflections(self._familiar, limit=LISTED)
        return [
            self._reflection(one, wanted)
            for one in found
            if wanted.in_text(one.text) and wanted.there(one.channel) and wanted.at(one.created_at)
        ][:MOST]

    async def people(self, wanted: Wanted) -> list[Found]:
        """Return people by any name they have or had."""
        if wanted.channel is not None:
            return []
        return [
            _person(one, wanted)
            for one in self.names.people
            if wanted.by(one.key)
            and wanted.at(one.last_seen_at)
            and wanted.in_text(one.key, one.label, *(span.name for span in one.names))
        ][:MOST]

    async def prompts(self, wanted: Wanted) -> list[Found]:
        """Return kept prompts by channel, model, purpose and day."""
        return (await self._prompts.headed(wanted, self.names, LISTED))[:MOST]

    def prompts_by_words(self, wanted: Wanted) -> AsyncGenerator[Looked]:
        """Look into the prompts that `prompts` does not return, newest first; whoever waits can give it up."""
        return self._prompts.worded(wanted, self.names, LISTED)

    async def lore(self, wanted: Wanted) -> list[Found]:
        """Return entries of every lorebook of the familiar."""
        if wanted.narrowed:
            return []
        return await asyncio.to_thread(self._lore, wanted)

    def _lore(self, wanted: Wanted) -> list[Found]:
        books = BookShelf(self._services.profile, self._familiar).books()
        shelved = self._library.read([one.path for one in books if one.entries])
        often = [one.book.name for one in shelved if one.book is not None]
        found: list[Found] = []
        for one in shelved:
            if one.book is None:
                continue
            # Where two books share a name, their files tell them apart.
            name = one.book.name if often.count(one.book.name) == 1 else f"{one.book.name} (file: {one.path.stem})"
            found += [_entry(entry, one.book, name, wanted) for entry in one.book.entries if _entry_has(entry, wanted)]
        return found[:MOST]

    async def _ranked(self, kind: Kind, wanted: Wanted) -> list[Hit]:
        channels = None if wanted.channel is None else (wanted.channel,)
        request = Recall(
            familiar=self._familiar,
            cue=wanted.text,
            weights=_BY_WORDS,
            limit=DEEP if wanted.narrowed else MOST,
            kinds=(kind,),
            channels=channels if kind == "turn" else None,
        )
        return await self._services.vault.retrieval.recall(request)

    def _turn(self, turn: Turn, wanted: Wanted) -> Found:
        name = turn.author.name if turn.author is not None else turn.role
        if turn.familiar is not None and turn.familiar in self._services.familiars:
            name = self._services.familiars[turn.familiar].name
        title = self.names.titles.get(turn.channel, "")
        ways = (("chat", f"{turn.channel}:{turn.id}"),)
        return made("turn", str(turn.id), name, turn.content, ways, wanted.words, at=turn.at, place=title)

    def _fact(self, fact: Fact, wanted: Wanted) -> Found:
        labels = self.names.labels
        about = ", ".join(labels.get(one.key, one.display_at_write) for one in fact.subjects) or tr(
            "Nobody in particular"
        )
        note = ""
        if not is_current(fact, self._services.clock.now()):
            note = tr("no longer true") if fact.superseded_at is None else tr("no longer believed")
        place = "" if fact.channel is None else self.names.titles.get(fact.channel, "")
        ways = (("timeline", str(fact.id)),)
        found = made("fact", str(fact.id), about, fact.text, ways, wanted.words, at=fact.created_at, place=place)
        return replace(found, note=note)

    def _fact_passes(self, fact: Fact, wanted: Wanted) -> bool:
        return (
            wanted.there(fact.channel) and wanted.by(*(one.key for one in fact.subjects)) and wanted.at(fact.created_at)
        )

    def _memory(self, memory: SavedMemory, wanted: Wanted) -> Found:
        owner = self.names.labels.get(PersonKey(memory.place.owner), memory.place.owner.partition(":")[2])
        ways = (("memories", str(memory.id)),)
        if memory.source_turn is not None:
            ways = (*ways, ("turn", str(memory.source_turn)))
        title = tr("About {name}", name=owner or memory.place.owner)
        found = made("memory", str(memory.id), title, memory.content, ways, wanted.words, at=memory.created_at)
        tags = " ".join(f"#{tag}" for tag in memory.tags)
        return replace(found, note="" if memory.active else tr("retired"), place=tags)

    def _memory_passes(self, memory: SavedMemory, wanted: Wanted) -> bool:
        return (
            wanted.in_text(memory.content, *memory.tags)
            and wanted.there(memory.learned_in)
            and wanted.by(PersonKey(memory.place.owner), memory.taught_by)
            and wanted.at(memory.created_at)
        )

    def _reflection(self, one: Reflection, wanted: Wanted) -> Found:
        place = "" if one.channel is None else self.names.titles.get(one.channel, "")
        ways = [("reflections", str(one.id))]
        ways += [("turn", str(turn)) for turn in one.cited_turns[:1]]
        ways += [("timeline", str(fact)) for fact in one.cited_facts[:1]]
        found = made("reflection", str(one.id), tr("Thought"), one.text, tuple(ways), wanted.words, at=one.created_at)
        return replace(found, place=place, note=tr("rests on what is no longer believed") if one.stale else "")


def _passes(turn: Turn, wanted: Wanted) -> bool:
    author = None if turn.author is None else turn.author.key
    return wanted.there(turn.channel) and wanted.by(author) and wanted.at(turn.at)


def _person(one: Person, wanted: Wanted) -> Found:
    earlier = [name for name in dict.fromkeys(span.name for span in one.names) if name != one.label]
    text = ntr("{n} message", "{n} messages", one.turns)
    if earlier:
        text = tr("{messages}; also {names}", messages=text, names=", ".join(earlier))
    ways = (("people", str(one.key)), ("timeline", f"person:{one.key}"))
    return made("person", str(one.key), one.label, text, ways, wanted.words, at=one.last_seen_at, place=str(one.key))


def _entry_has(entry: LoreEntry, wanted: Wanted) -> bool:
    return wanted.in_text(entry.comment, *entry.keys, *entry.secondary_keys, entry.group, entry.content)


def _entry(entry: LoreEntry, book: LoreBook, name: str, wanted: Wanted) -> Found:
    title = entry.comment or ", ".join(entry.keys) or tr("Entry {id}", id=str(entry.uid))
    ways = (("lorebook", f"{name}/{entry.uid}"),)
    found = made("lore", f"{name}/{entry.uid}", title, entry.content, ways, wanted.words, place=book.name)
    return replace(found, note="" if entry.enabled else tr("switched off"))
