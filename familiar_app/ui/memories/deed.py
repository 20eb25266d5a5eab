"""What the person asks for in the Memories panel: asks back where that is needed, does it, and offers the way back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import UserError
from familiar_app.domain.saved_memory.memory import SavedMemory
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.dialog import ask, ask_text, choose_file
from familiar_app.ui.memories.act import MemoryActs, Outcome
from familiar_app.ui.memories.form import MemoryForm, choose_place, parted, write_memory
from familiar_app.ui.memories.model import file_name

if TYPE_CHECKING:
    from familiar_app.ui.memories.view import MemoriesView

_FILES = tr_later("Memories (*.json)")
Make = Callable[[], Coroutine[Any, Any, None]]


class MemoryDeeds:
    """The deeds of one view. `do` takes a deed by its word; it starts its own task."""

    def __init__(self, view: MemoriesView) -> None:
        self._view, self.acts = view, MemoryActs(view.model)
        self._numbers = itertools.count()
        self._asking: dict[str, Make] = {
            "add": self._add,
            "edit": self._edit,
            "tag": self._tag,
            "move": self._move,
            "import": self._import,
            "export": self._export,
        }

    def do(self, deed: str) -> None:
        """Do something, to what is chosen where it is done to memories."""
        view = self._view
        if deed not in ("add", "import", "export") and not view.fit_for(deed):
            view.context.tell(tr("Nothing chosen is open to that."))
            return
        view.notice.clear()
        if deed in self._asking:
            view.tasks.start(self._asking[deed], name="memories.ask")
            return
        memories = view.fit_for(deed)
        self._start(lambda: self._carry_out(deed, memories))

    def _start(self, make: Make) -> None:
        self._view.tasks.start(make, name=f"memories.do.{next(self._numbers)}")

    async def _carry_out(self, deed: str, memories: list[SavedMemory]) -> None:
        self._tell(await self.acts.do(deed, memories))

    def _tell(self, outcome: Outcome) -> None:
        """Say what was done and offer the way back; raises what stood against the rest."""
        view, back, again = self._view, outcome.back, outcome.again
        view.show_memory(only_if_open=True)
        if back is not None and again is not None:
            undo, redo = (partial(self._start, partial(self._step, act)) for act in (back, again))
            view.context.offer_undo(outcome.text, undo, redo)
        elif outcome.failed is None:
            view.context.tell(outcome.text)
        if outcome.failed is not None:
            raise outcome.failed

    async def _step(self, act: Callable[[], Any]) -> None:
        """Take something back, or do it again."""
        try:
            await act()
        finally:
            await self._view.model.load()
            self._view.show_memory(only_if_open=True)

    @property
    def _limits(self) -> tuple[int, int]:
        keeper = self._view.model.keeper
        return keeper.limits.max_length, keeper.max_tags

    async def _add(self) -> None:
        view, model = self._view, self._view.model
        form = MemoryForm(
            view, view.theme, tr("Write a memory down"), limits=self._limits, places=model.places(), here=model.here
        )
        written = await write_memory(form)
        if written is not None and written.place is not None:
            made, outcome = await self.acts.add(written.place, written.content, written.tags)
            view.reveal(made.id)
            self._tell(outcome)

    async def _edit(self) -> None:
        view, model = self._view, self._view.model
        memory = view.fit_for("edit")[0]
        form = MemoryForm(
            view,
            view.theme,
            tr("Change a memory"),
            content=memory.content,
            tags=model.tags_of(memory),
            limits=self._limits,
        )
        written = await write_memory(form)
        if written is not None:
            self._tell(await self.acts.edit(memory, written.content, written.tags))

    async def _tag(self) -> None:
        view = self._view
        memories = view.fit_for("tag")
        words = tr("Tags to add, separated by commas. #channel keeps a memory to a channel.")
        typed = await ask_text(view, tr("Tag the chosen memories"), words, accept=tr("Add"), name=tr("Tags"))
        if typed:
            self._tell(await self.acts.tag(memories, parted(typed)))

    async def _move(self) -> None:
        view = self._view
        memories = view.fit_for("move")
        place = await choose_place(view, tr("Move the chosen memories"), view.model.places(), memories[0].place)
        if place is not None:
            self._tell(await self.acts.move(memories, place))

    async def _import(self) -> None:
        view = self._view
        path = await choose_file(view, tr("Import memories"), filters=(tr(_FILES),))
        if path is not None:
            await self.import_file(path)

    async def import_file(self, path: Path) -> None:
        """Say what a file would do, ask how to take it, and take it."""
        view = self._view
        found, merged, replaced = await self.acts.read(path)
        if not found:
            raise UserError(tr("There are no memories in this file."), tr("Choose another one."))
        words = ntr(
            "Merging takes {n} memory; {there} are there already. Replacing also retires {retired} that are not in the "
            "file.",
            "Merging takes {n} memories; {there} are there already. Replacing also retires {retired} that are not in "
            "the file.",
            merged.added,
            there=merged.skipped,
            retired=replaced.retired,
        )
        choices = (("", tr("Cancel"), "plain"), ("replace", tr("Replace"), "plain"), ("merge", tr("Merge"), "primary"))
        chosen = await ask(view, tr("Take memories from {name}?", name=path.name), words, choices, default="merge")
        if chosen:
            self._tell(await self.acts.bring_in(found, path, replace=chosen == "replace"))

    async def _export(self) -> None:
        view = self._view
        suggest = str(file_name(view.model.hosted.name))
        path = await choose_file(view, tr("Export memories"), filters=(tr(_FILES),), mode="save", suggest=suggest)
        if path is not None:
            written = await self.acts.write_out(path)
            view.context.tell(ntr("{n} memory written.", "{n} memories written.", written))
