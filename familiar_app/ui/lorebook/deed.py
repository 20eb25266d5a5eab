"""What can be done in a lorebook's view, each by its word: buttons, keys and the palette say the same ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.text import tr
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import Said
from familiar_app.ui.lorebook.word import as_sentence

if TYPE_CHECKING:
    from familiar_app.ui.lorebook.view import LorebookView

TakeTurns = Callable[[str], Awaitable[Said]]
"""Gives what was said in a channel by its key, or with "" in the one that is open in the chat."""


class Deeds:
    """Does things for one view."""

    def __init__(self, view: LorebookView, take_turns: TakeTurns) -> None:
        self._view, self._take_turns = view, take_turns
        self._slow: dict[str, Callable[[], Awaitable[object]]] = {
            "import": view.exchange.choose,
            "export": view.exchange.show_formats,
            "turns": self._fill,
            "case": self._save_case,
            "about": view.library.about,
            "make": view.library.make,
            "deleted": view.trash.show,
        }

    def do(self, deed: str) -> None:
        """Do something by its word; without a book, or without chosen entries where it needs some, nothing."""
        view, model = self._view, self._view.model
        if not model.loaded:
            return
        if deed == "add":
            view.choosing.show_all()
            model.add()
            view.edit()
        elif deed in ("undo", "redo"):
            view.context.tell(_undo(model) if deed == "undo" else _redo(model))
        elif deed in self._slow:
            view.tasks.start(self._slow[deed], name=f"lorebook.{deed}")
        elif deed == "replace":
            view.replacer.show()
        elif deed == "elsewhere":
            view.library.show_found(view.search.text())
        elif model.selected:
            self._do_to(deed, model.selected)

    def _do_to(self, deed: str, chosen: Sequence[Uid]) -> None:
        model, context = self._view.model, self._view.context
        if deed == "delete":
            step = model.delete(chosen)
            if step is not None:
                context.offer_undo(as_sentence(step.title), lambda: model.revert(step))
        elif deed in ("up", "down"):
            if model.in_file_order:
                model.move_by(chosen, -1 if deed == "up" else 1)
            else:
                context.tell(tr("Entries can be moved while all are shown by their place (#)."))
        elif deed == "duplicate":
            model.duplicate(chosen)
        elif deed == "toggle":
            model.toggle(chosen)
        else:
            model.set_enabled(chosen, deed == "enable")

    async def _fill(self) -> None:
        said = await self._take_turns(self._view.view.wanted_channel)
        if said.moments:
            self._view.tester.fill(said)
        else:
            self._view.context.tell(tr("The chat has no turns yet."))

    async def _save_case(self) -> None:
        run = self._view.tester.trial.run
        if run is not None:
            await self._view.exchange.save_case(run)


def _undo(model: LorebookModel) -> str:
    what = model.undo()
    return tr("Undone: {what}.", what=what) if what else tr("Nothing to undo.")


def _redo(model: LorebookModel) -> str:
    what = model.redo()
    return tr("Done again: {what}.", what=what) if what else tr("Nothing to do again.")
