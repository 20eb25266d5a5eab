"""A new passphrase, typed twice, with an honest word on its strength while it is typed."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr
from familiar_app.store.passphrase import Strength, passphrase_strength
from familiar_app.ui.kit.field import LabelledField, PasswordField
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme

_COLORS = ("danger", "danger", "warning", "good", "good")


def passphrase_problem(first: str, second: str) -> tuple[str, str] | None:
    """Return which field (`first` or `second`) can't stay so and why. A weak one is allowed, a short one not."""
    if not first:
        return "first", tr("Choose a passphrase.")
    if len(first) < 8:
        return "first", tr("Take at least eight characters.")
    if second != first:
        again, other = tr("Type the same passphrase once more."), tr("This is not the same passphrase.")
        return "second", again if not second else other
    return None


class NewPassphrase(QWidget):
    """Two fields and a strength bar. `changed` follows every key; `entered` tells that Return was pressed."""

    changed = Signal()
    entered = Signal()

    def __init__(self, theme: Theme, *, name: str = "") -> None:
        super().__init__()
        name = name or tr("Passphrase")
        again = tr("{name}, again", name=name)
        self._first = PasswordField(theme, name)
        self._second = PasswordField(theme, again)
        self._fields = {
            "first": LabelledField(name, self._first),
            "second": LabelledField(again, self._second),
        }
        self._bar = StrengthBar(theme)
        self._caps = label(tr("Caps Lock seems to be on."), "warning")
        self._caps.hide()
        layout = column(spacing=8)
        layout.addWidget(self._fields["first"])
        layout.addWidget(self._bar)
        layout.addSpacing(4)
        layout.addWidget(self._fields["second"])
        layout.addWidget(self._caps)
        self.setLayout(layout)
        self._first.textChanged.connect(self._typed)
        self._second.textChanged.connect(self._typed)
        # Whoever tabs on wants the other field, not the eye of this one.
        for before, after in pairwise((self._first, self._second, *self._first.eyes, *self._second.eyes)):
            QWidget.setTabOrder(before, after)
        for field in (self._first, self._second):
            field.caps_lock.connect(self._caps.setVisible)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return leads from the first field to the second, and from there on; nobody above sees it."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self._first.hasFocus():
            self._second.setFocus()
        else:
            self.entered.emit()

    @property
    def passphrase(self) -> str:
        return self._first.text()

    def check(self) -> bool:
        """Mark what can't stay so and put the focus there; True where both fields are well."""
        problem = passphrase_problem(self._first.text(), self._second.text())
        for name, field in self._fields.items():
            field.set_wrong(problem[1] if problem is not None and problem[0] == name else "")
        if problem is not None:
            self._fields[problem[0]].inner.setFocus()
        return problem is None

    def focus(self) -> None:
        self._first.setFocus()

    def clear(self) -> None:
        self._first.clear()
        self._second.clear()

    def _typed(self) -> None:
        for field in self._fields.values():
            field.set_wrong("")
        self._bar.show_strength(passphrase_strength(self._first.text()) if self._first.text() else None)
        self.changed.emit()


class StrengthBar(QWidget):
    """Four pieces and a sentence; the number of filled pieces says the same as their colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._pieces = _Pieces(theme)
        self._hint = label(
            tr("Five or more words that do not belong together are easy to type and hard to guess."), "faint", wrap=True
        )
        layout = column(spacing=4)
        layout.addWidget(self._pieces)
        layout.addWidget(self._hint)
        self.setLayout(layout)
        self._first_hint = self._hint.text()

    def show_strength(self, strength: Strength | None) -> None:
        self._pieces.score = strength.score if strength is not None else -1
        self._hint.setText(strength.hint if strength is not None else self._first_hint)
        self._pieces.setAccessibleDescription(self._hint.text())
        self._pieces.update()


class _Pieces(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.score = -1
        self.setFixedHeight(4)
        self.setAccessibleName(tr("Strength"))
        follow(theme, self, self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        width = (self.width() - 12) / 4
        filled = max(1, self.score) if self.score >= 0 else 0
        for number in range(4):
            role = _COLORS[self.score] if number < filled else "line"
            painter.fillRect(round(number * (width + 4)), 0, round(width), 4, self._theme.color(role))
        painter.end()
