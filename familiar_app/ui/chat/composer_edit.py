"""The field for writing: it grows with its text, knows SillyTavern's keys, and never sends while a word is composed."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy

from familiar_app.domain.text import tr
from familiar_app.ui.chat.composer import Deed, Key, deed_of

_KEYS: dict[int, Key] = {
    Qt.Key.Key_Return: "enter",
    Qt.Key.Key_Enter: "enter",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Escape: "escape",
}
_MOST_LINES = 10


class ComposerEdit(QPlainTextEdit):
    """Sends out what a key means as `deed`; text is inserted by itself. `replying` changes the meaning of Esc."""

    deed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.replying = False
        self._composing = False
        self.setAccessibleName(tr("Message"))
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self._fit)
        self._fit()

    @property
    def composing(self) -> bool:
        """Tell whether an input method is in the middle of a word."""
        return self._composing

    def deed_for(self, event: QKeyEvent) -> Deed:
        """Return what a key press means here."""
        modifiers = event.modifiers()
        return deed_of(
            _KEYS.get(event.key(), "other"),
            ctrl=bool(modifiers & Qt.KeyboardModifier.ControlModifier),
            shift=bool(modifiers & Qt.KeyboardModifier.ShiftModifier),
            empty=not self.toPlainText(),
            composing=self._composing,
            replying=self.replying,
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        deed = self.deed_for(event)
        if deed == "pass":
            super().keyPressEvent(event)
        elif deed == "newline":
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            event.accept()
            self.deed.emit(deed)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if source.hasText():
            self.insertPlainText(source.text().replace("\r\n", "\n").replace("\r", "\n"))
            self.ensureCursorVisible()

    def put_text(self, text: str) -> None:
        """Show another text with the cursor at its end."""
        if self.toPlainText() != text:
            self.setPlainText(text)
            cursor = self.textCursor()
            cursor.movePosition(cursor.MoveOperation.End)
            self.setTextCursor(cursor)

    def sizeHint(self) -> QSize:
        return QSize(200, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        self._fit()

    def _height(self) -> int:
        # A plain text document's height is in lines, wrapped ones included.
        lines = max(1, min(_MOST_LINES, int(self.document().size().height())))
        return int(self.fontMetrics().lineSpacing() * lines + 2 * self.document().documentMargin() + 14)

    def _fit(self) -> None:
        height = self._height()
        if self.height() != height or self.maximumHeight() != height:
            self.setFixedHeight(height)
