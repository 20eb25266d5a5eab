"""The tools that float beside one message: the one under the mouse, or the one that the keys speak of."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from familiar_app.domain.text import tr
from familiar_app.ui.chat.row import Row, RowKey
from familiar_app.ui.chat.transcript_view import TranscriptView
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.label import row, set_role, surface
from familiar_app.ui.kit.theme import Theme


class RowTools(QFrame):
    """Floats at the upper edge of a row of `transcript`; `do` gets the deed and the row it is for."""

    def __init__(self, theme: Theme, transcript: TranscriptView, do: Callable[[str, RowKey], None]) -> None:
        super().__init__(transcript.viewport())
        self._transcript, self._do = transcript, do
        self._key: RowKey | None = None
        set_role(self, "card")
        self.setAccessibleName(tr("What to do with this message"))
        layout = row(spacing=0)
        layout.setContentsMargins(2, 2, 2, 2)
        press = self._press
        self.why = icon_button(theme, "question", tr("Why?"), lambda: press("why"), side=16)
        self.copy = icon_button(theme, "copy", tr("Copy"), lambda: press("copy"), side=16, shortcut="Ctrl+C")
        self.edit = icon_button(theme, "edit", tr("Edit"), lambda: press("edit"), side=16, shortcut="F2")
        self.remove = icon_button(theme, "trash", tr("Remove"), lambda: press("remove"), side=16, shortcut="Del")
        self.more = icon_button(theme, "more", tr("More"), lambda: press("menu"), side=16)
        for widget in (self.why, self.copy, self.edit, self.remove, self.more):
            layout.addWidget(widget)
        self.setLayout(layout)
        surface(self, 1)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.hide()

    def place(self, *, edited: RowKey | None, focused: bool) -> None:
        """Stand beside the row one points at, not the one that is `edited`. While a tool is `focused`, they stay."""
        transcript = self._transcript
        key = transcript.hovered or (transcript.current if transcript.hasFocus() else None)
        found = transcript.row(key)
        box = transcript.box_of(key) if key is not None else None
        if found is None or box is None or found.turn is None or found.key == edited:
            if not focused:
                self.hide()
            return
        self._key = key
        self._show_row(found)
        left, width = transcript.look.column(transcript.viewport().width())
        number = transcript.stack.index[found.key]
        top = box.top() + transcript.layout_of(number).text_top - self.height() - 5
        self.move(int(left + width - self.width()), int(max(2, top)))
        self.show()
        self.raise_()

    def _show_row(self, shown: Row) -> None:
        """Offer what this row allows."""
        turn = shown.turn
        self.why.setVisible(turn is not None and turn.trace is not None)
        self.edit.setVisible(turn is not None and not turn.deleted)
        self.adjustSize()

    def _press(self, deed: str) -> None:
        if self._key is not None:
            self._do(deed, self._key)
