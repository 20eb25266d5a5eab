"""What the person changes in saved memories: one or many at once, each with the way back. Knows no Qt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from familiar_app.conversation.memory_file import bring_in, outgoing
from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import OWNER
from familiar_app.domain.saved_memory.filed import FileMemory
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import MemoryId, MemoryPlace, SavedMemory
from familiar_app.domain.text import ntr, tr
from familiar_app.interchange.json_text import write_file
from familiar_app.interchange.memories import read_memories, write_memories
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.saved_memory_hand import Imported
from familiar_app.ui.memories.model import MOST, MemoriesModel

Deed = Literal["protect", "unprotect", "retire", "restore"]
Back = Callable[[], Awaitable[object]]
Told = Callable[[int], str]
"""Says what was done to so many memories."""
DONE: dict[Deed, Told] = {
    "protect": lambda n: ntr("One memory protected.", "{n} memories protected.", n),
    "unprotect": lambda n: ntr("One memory no longer protected.", "{n} memories no longer protected.", n),
    "retire": lambda n: ntr("One memory retired.", "{n} memories retired.", n),
    "restore": lambda n: ntr("One memory restored.", "{n} memories restored.", n),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done, what takes it back, what does it again, and the first error among those that refused."""

    text: str
    back: Back | None = None
    again: Back | None = None
    failed: FamiliarError | None = None


def can(deed: Deed, memory: SavedMemory) -> bool:
    """Tell whether a deed can be done to a memory as it stands."""
    if deed == "restore":
        return not memory.active
    if deed == "retire":
        return memory.active
    return memory.active and memory.manually_written is (deed == "unprotect")


@dataclass(frozen=True, slots=True)
class MemoryActs:
    """The acts of one panel. Each reads the model anew when it is done."""

    model: MemoriesModel

    async def do(self, deed: Deed, memories: Sequence[SavedMemory]) -> Outcome:
        """Do something to memories, one after the other; one that refuses does not stop the others."""
        return await self._each(memories, lambda one: self._one(deed, one), DONE[deed])

    async def move(self, memories: Sequence[SavedMemory], place: MemoryPlace) -> Outcome:
        """Let memories be about something else."""
        store, keeper = self.model.store, self.model.keeper

        async def one(memory: SavedMemory) -> Back:
            await store.move(keeper, memory.id, place, by=OWNER)
            return lambda: store.move(keeper, memory.id, memory.place, by=OWNER)

        moved = [memory for memory in memories if memory.place != place]
        name = self.model.names.place(place)

        def told(n: int) -> str:
            return ntr("One memory moved to {place}.", "{n} memories moved to {place}.", n, place=name)

        return await self._each(moved, one, told)

    async def add(self, place: MemoryPlace, content: str, tags: Sequence[str]) -> tuple[SavedMemory, Outcome]:
        """Write a memory down."""
        store, keeper = self.model.store, self.model.keeper
        known = {one.id for one in self.model.rows}
        made = await store.add(keeper, Wording(place, content, self.model.keyed(tags)), by=OWNER)
        await self.model.load()
        if made.id in known:
            return made, Outcome(tr("It was kept already, and is protected now."))
        back = partial(store.retire, keeper, made.id, by=OWNER)
        return made, Outcome(tr("Memory added."), back, partial(store.restore, keeper, made.id, by=OWNER))

    async def edit(self, memory: SavedMemory, content: str, tags: Sequence[str]) -> Outcome:
        """Change the text or the tags of a memory; it is protected from then on."""
        store, keeper = self.model.store, self.model.keeper
        change = partial(store.edit, keeper, memory.id, by=OWNER, content=content, tags=self.model.keyed(tags))
        await change()
        await self.model.load()

        async def back() -> None:
            await store.edit(keeper, memory.id, by=OWNER, content=memory.content, tags=memory.tags)
            await store.protect(keeper, memory.id, memory.manually_written, by=OWNER)

        return Outcome(tr("Memory changed."), back, change)

    async def tag(self, memories: Sequence[SavedMemory], tags: Sequence[str]) -> Outcome:
        """Add tags to memories."""
        store, keeper, new = self.model.store, self.model.keeper, self.model.keyed(tags)

        async def one(memory: SavedMemory) -> Back:
            await store.edit(keeper, memory.id, by=OWNER, tags=list(dict.fromkeys((*memory.tags, *new))))

            async def back() -> None:
                await store.edit(keeper, memory.id, by=OWNER, tags=memory.tags)
                await store.protect(keeper, memory.id, memory.manually_written, by=OWNER)

            return back

        return await self._each(memories, one, lambda n: ntr("One memory tagged.", "{n} memories tagged.", n))

    async def read(self, path: Path) -> tuple[list[FileMemory], Imported, Imported]:
        """Read a file and tell what merging it, and what replacing by it, would do. Nothing is changed."""
        found = await asyncio.to_thread(read_memories, path)
        whose = self.model.whose
        if whose.scope is None and any(one.scope is None or one.owner is None for one in found):
            raise UserError(
                tr("This file does not say whose its memories are."),
                tr("Choose a server or a person at the left first."),
            )
        merged = await self._bring_in(found, path, replace=False, dry_run=True)
        return found, merged, await self._bring_in(found, path, replace=True, dry_run=True)

    async def bring_in(self, found: list[FileMemory], path: Path, *, replace: bool) -> Outcome:
        """Take the memories of a file, all or none."""
        store, keeper = self.model.store, self.model.keeper
        before = await self._active()
        done = await self._bring_in(found, path, replace=replace, dry_run=False)
        after = await self._active()
        await self.model.load()

        async def swap(gone: frozenset[MemoryId], there: frozenset[MemoryId]) -> None:
            for number in gone - there:
                await store.retire(keeper, number, by=OWNER)
            for number in there - gone:
                await store.restore(keeper, number, by=OWNER)

        text = ntr(
            "{n} memory taken, {there} there already, {retired} retired.",
            "{n} memories taken, {there} there already, {retired} retired.",
            done.added,
            there=done.skipped,
            retired=done.retired,
        )
        if after == before:
            return Outcome(text)
        return Outcome(text, partial(swap, after, before), partial(swap, before, after))

    async def write_out(self, path: Path) -> int:
        """Write what is shown at the left into a file. Returns how many."""
        items = await outgoing(self.model.vault, self.model.keeper, self.model.whose)
        await asyncio.to_thread(write_file, path, write_memories(items))
        return len(items)

    async def _bring_in(self, found: list[FileMemory], path: Path, *, replace: bool, dry_run: bool) -> Imported:
        model = self.model
        return await bring_in(model.vault, model.keeper, found, path, model.whose, replace=replace, dry_run=dry_run)

    async def _active(self) -> frozenset[MemoryId]:
        found = await self.model.store.list(MemoryQuestion(self.model.keeper.lineage, limit=MOST, include_private=True))
        return frozenset(one.id for one in found)

    async def _one(self, deed: Deed, memory: SavedMemory) -> Back:
        store, keeper, number = self.model.store, self.model.keeper, memory.id
        match deed:
            case "retire":
                await store.retire(keeper, number, by=OWNER)
                return lambda: store.restore(keeper, number, by=OWNER)
            case "restore":
                await store.restore(keeper, number, by=OWNER)
                return lambda: store.retire(keeper, number, by=OWNER)
            case _:
                await store.protect(keeper, number, deed == "protect", by=OWNER)
                return lambda: store.protect(keeper, number, deed != "protect", by=OWNER)

    async def _each(
        self, memories: Sequence[SavedMemory], act: Callable[[SavedMemory], Awaitable[Back]], told: Told
    ) -> Outcome:
        backs: list[Back] = []
        changed: list[SavedMemory] = []
        failed: FamiliarError | None = None
        for memory in memories:
            try:
                backs.append(await act(memory))
            except FamiliarError as error:
                failed = failed or error
            else:
                changed.append(memory)
        await self.model.load()

        async def back() -> None:
            for one in reversed(backs):
                await one()

        async def again() -> None:
            for one in changed:
                await act(one)

        return Outcome(told(len(backs)), back, again, failed) if backs else Outcome(told(0), failed=failed)
