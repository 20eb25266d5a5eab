"""What the person does with one message: keys, the tools beside it, its menu, the bars below it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QMenu

from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Role, Turn
from familiar_app.ui.chat.row import Row, RowKey
from familiar_app.ui.chat.side_deed import SideDeeds

if TYPE_CHECKING:
    from familiar_app.ui.chat.view import ChatView


class RowDeeds:
    """The deeds at the rows of one chat view.

    `do_in_chat` does what is no matter of one row, `start` starts a task, and `erase` asks before it erases.
    """

    def __init__(
        self,
        view: ChatView,
        side: SideDeeds,
        do_in_chat: Callable[[str], None],
        start: Callable[..., None],
        erase: Callable[[TurnId], Coroutine[Any, Any, None]],
    ) -> None:
        self._view, self._model, self._side = view, view.model, side
        self._do_in_chat = do_in_chat
        self._to_turn: dict[str, Callable[[Turn], object]] = {
            "edit": self._model.edits.begin,
            "take_back": lambda turn: start(lambda: self._model.notes.take_back(turn), "chat.take_back"),
            "memory": self._go_to_memory,
            "remove": lambda turn: start(lambda: self._model.edits.remove([turn]), "chat.remove"),
            "erase": lambda turn: start(lambda: erase(turn.id), "chat.erase"),
            "why": lambda turn: side.why(turn.id),
            "revisions": lambda turn: side.revisions(turn.id),
        }

    def do(self, deed: str, key: RowKey | None) -> None:
        """Do something with a row."""
        row = self._view.transcript.row(key)
        if deed in ("end", "beginning"):
            self._do_in_chat(deed)
        elif deed == "copy":
            self._copy(row)
        elif row is None or key is None:
            return
        elif deed == "whole":
            self._side.whole(row)
        elif deed == "menu":
            self.menu(key, QCursor.pos())
        elif row.turn is not None and deed in self._to_turn:
            self._to_turn[deed](row.turn)

    def _copy(self, row: Row | None) -> None:
        """Copy what is marked, else the whole message."""
        text = self._view.transcript.selected_text() or (row.text if row else "")
        if text:
            QGuiApplication.clipboard().setText(text)
            self._view.context.tell(tr("Copied."))

    def _go_to_memory(self, turn: Turn) -> None:
        note = self._model.open.note_of(turn) if self._model.open else None
        if note is not None:
            self._view.context.go_to("memories", str(note.memory))

    def menu(self, key: RowKey, place: QPoint) -> None:
        """Show what can be done with a message."""
        row = self._view.transcript.row(key)
        if row is None or row.turn is None:
            return
        turn = row.turn
        menu = QMenu(self._view)
        menu.setAccessibleName(tr("Message"))
        menu.aboutToHide.connect(menu.deleteLater)

        def add(caption: str, deed: str, *, on: bool = True) -> None:
            if on:
                menu.addAction(caption).triggered.connect(lambda: self.do(deed, key))

        if self._view.transcript.selected_text():
            add(tr("Copy marked text"), "copy")
        menu.addAction(tr("Copy message")).triggered.connect(lambda: QGuiApplication.clipboard().setText(row.text))
        add(tr("Why?"), "why", on=turn.trace is not None)
        menu.addSeparator()
        add(tr("Edit"), "edit", on=not turn.deleted)
        add(tr("Versions ({n})", n=turn.revision), "revisions", on=turn.revision > 1)
        self._add_answering(menu, row, turn)
        add(tr("Show on its own"), "whole")
        menu.addSeparator()
        add(tr("Remove"), "remove")
        add(tr("Erase for good…"), "erase", on=not turn.deleted)
        menu.popup(place)

    def _add_answering(self, menu: QMenu, row: Row, turn: Turn) -> None:
        if row.last_answer and turn.role is Role.ASSISTANT and turn.answers is not None:
            menu.addAction(tr("Answer again")).triggered.connect(lambda: self._do_in_chat("regenerate"))
        if row.last_answer and self._model.cut.holds(turn):
            menu.addAction(tr("Continue")).triggered.connect(lambda: self._do_in_chat("go_on"))
