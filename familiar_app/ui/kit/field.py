"""Input fields: a line with label, hint and error in their places; a passphrase field that can be shown; a search."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.label import column, label, set_property, set_role
from familiar_app.ui.kit.theme import Theme


class LabelledField(QWidget):
    """A widget with its label above and one line below it that shows the hint or, instead, what is wrong."""

    def __init__(self, title: str, inner: QWidget, *, hint: str = "") -> None:
        super().__init__()
        self.inner = inner
        self._hint = hint
        self._title = label(title, "strong")
        self._title.setBuddy(inner)
        self._below = label(hint, "faint", wrap=True)
        if not hint:
            self._below.hide()
        inner.setAccessibleName(title)
        inner.setAccessibleDescription(hint)
        layout = column(spacing=4)
        layout.addWidget(self._title)
        layout.addWidget(inner)
        layout.addWidget(self._below)
        self.setLayout(layout)

    def set_title(self, title: str) -> None:
        self._title.setText(title)
        self.inner.setAccessibleName(title)

    def set_hint(self, hint: str) -> None:
        self._hint = hint
        self.set_wrong("")

    def set_wrong(self, text: str) -> None:
        """Show what is wrong with the value, or nothing for an empty text."""
        set_property(self.inner, "state", "wrong" if text else "")
        self._below.setText(text or self._hint)
        self._below.setVisible(bool(text or self._hint))
        set_role(self._below, "danger" if text else "faint")
        self.inner.setAccessibleDescription(text or self._hint)


def line_edit(text: str = "", *, placeholder: str = "", name: str = "") -> QLineEdit:
    """Make a one-line field; `name` is its accessible name where no label stands beside it."""
    made = QLineEdit(text)
    made.setPlaceholderText(placeholder)
    made.setAccessibleName(name or placeholder)
    return made


class PasswordField(QLineEdit):
    """A secret that can be shown by its eye; tells while Caps Lock seems to be on."""

    caps_lock = Signal(bool)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
            | Qt.InputMethodHint.ImhHiddenText
        )
        self._eye = QAction(self)
        self._eye.triggered.connect(self.toggle)
        self.addAction(self._eye, QLineEdit.ActionPosition.TrailingPosition)
        self._refresh()
        follow(theme, self, self._refresh)

    @property
    def shown(self) -> bool:
        return self.echoMode() == QLineEdit.EchoMode.Normal

    @property
    def eyes(self) -> list[QWidget]:
        """The buttons inside the field, for the order of the Tab key."""
        return [inner for inner in self.children() if inner.metaObject().className() == "QLineEditIconButton"]

    def toggle(self) -> None:
        """Show or hide the characters."""
        self.setEchoMode(QLineEdit.EchoMode.Password if self.shown else QLineEdit.EchoMode.Normal)
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        if text.isalpha() and text.isascii():
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.caps_lock.emit(text.isupper() != shift)
        elif event.key() == Qt.Key.Key_CapsLock:
            self.caps_lock.emit(False)
        super().keyPressEvent(event)

    def _refresh(self) -> None:
        self._eye.setIcon(icon(self._theme, "eye_off" if self.shown else "eye"))
        self._eye.setText(tr("Hide") if self.shown else tr("Show"))
        self._eye.setToolTip(self._eye.text())
        for inner in self.eyes:
            name = self.accessibleName()
            inner.setAccessibleName(tr("Hide {name}", name=name) if self.shown else tr("Show {name}", name=name))
            inner.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class SearchField(QLineEdit):
    """A field for searching: Esc empties it, then gives up; Return and Shift+Return go on and back."""

    given_up = Signal()
    next_wanted = Signal()
    previous_wanted = Signal()

    def __init__(self, theme: Theme, name: str = "") -> None:
        super().__init__()
        name = name or tr("Search")
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self._glass = QAction(self)
        self._glass.setText(name)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)

        def refresh() -> None:
            self._glass.setIcon(icon(theme, "search", "text_3"))

        refresh()
        follow(theme, self, refresh)
        for inner in self.children():
            if inner.metaObject().className() == "QLineEditIconButton":
                inner.setAccessibleName(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.given_up.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.previous_wanted if back else self.next_wanted).emit()
        else:
            super().keyPressEvent(event)


class FocusWatcher(QObject):
    """Calls back when the watched widget loses the focus, to save what was typed."""

    def __init__(self, watched: QWidget, lost: Callable[[], object]) -> None:
        super().__init__(watched)
        self._lost = lost
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._lost()
        return False
