"""Keys as chips with a field behind them. A chip turns green, with a tick, while its key is in the tester's text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QWidget

from familiar_app.domain.lorebook.keysplit import split_keys
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.label import set_property, set_role
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.tip import plain_tip

MOST_SHOWN = 60
LONGEST = 40


class Chip(QPushButton):
    """One key. Return or a click takes it into the field, Delete takes it out, the arrows go on."""

    removed = Signal(str)
    edited = Signal(str)
    stepped = Signal(int)

    def __init__(self, theme: Theme, key: str) -> None:
        super().__init__(_caption(key))
        self.key, self.matches, self._theme = key, False, theme
        self._whole = self.text()
        set_role(self, "chip")
        self.setAutoDefault(False)
        self.setToolTip(plain_tip("\n".join((key, tr("Click to change it, Delete to take it out.")))))
        self.clicked.connect(lambda _on=False: self.edited.emit(key))
        self.show_match(False)
        follow(theme, self, lambda: self.show_match(self.matches))

    def sizeHint(self) -> QSize:
        """As wide as the whole key asks for, also while less of it is shown."""
        hint, metrics = super().sizeHint(), self.fontMetrics()
        more = metrics.horizontalAdvance(self._whole) - metrics.horizontalAdvance(self.text())
        return hint + QSize(more, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        needed = self.sizeHint().width()
        if self.width() >= needed - 1:
            self.setText(self._whole)
            return
        room = self.width() - needed + self.fontMetrics().horizontalAdvance(self._whole)
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, max(room, 0)))

    def show_match(self, on: bool) -> None:
        """Show whether the key is in the text of the tester."""
        self.matches = on
        set_property(self, "match", "true" if on else "false")
        self.setIcon(icon(self._theme, "check", "good") if on else icon(self._theme, "key", "text_3"))
        self.setIconSize(QSize(self._theme.px(14), self._theme.px(14)))
        self.setAccessibleName(tr("Key {key}, matches", key=self.key) if on else tr("Key {key}", key=self.key))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        if event.key() in (keys.Key_Delete, keys.Key_Backspace):
            self.removed.emit(self.key)
        elif event.key() in (keys.Key_Return, keys.Key_Enter):
            self.edited.emit(self.key)
        elif event.key() in (keys.Key_Left, keys.Key_Right):
            self.stepped.emit(-1 if event.key() == keys.Key_Left else 1)
        else:
            super().keyPressEvent(event)


def _caption(key: str) -> str:
    """Return what stands on a chip; an ampersand there is no mnemonic."""
    text = " ".join(key.split())
    return (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…").replace("&", "&&")


class KeyField(QLineEdit):
    """Takes a key; a comma, Return or leaving the field ends it, a pasted list becomes several."""

    entered = Signal(str)
    back = Signal()
    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(tr("New of {name}", name=name))
        self.setPlaceholderText(tr("Add a key…"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textEdited.connect(self._typed)

    def sizeHint(self) -> QSize:
        return QSize(120, super().sizeHint().height())

    def commit(self) -> None:
        """End the key that stands in the field."""
        text = self.text().strip()
        if text:
            self.clear()
            self.entered.emit(text)

    def _typed(self, text: str) -> None:
        if text.endswith(",") and not _inside_pattern(text):
            self.commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.commit()
        elif event.matches(QKeySequence.StandardKey.Paste) and self._paste_list():
            event.accept()
        elif event.key() == Qt.Key.Key_Backspace and not self.text():
            self.back.emit()
        elif event.key() == Qt.Key.Key_Left and self.cursorPosition() == 0:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _paste_list(self) -> bool:
        """Take a list from the clipboard as several keys; a single one is pasted as text."""
        text = QGuiApplication.clipboard().text()
        if len(split_keys(text.replace("\n", ","))) < 2:
            return False
        self.commit()
        self.entered.emit(text)
        return True

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.commit()


def _inside_pattern(text: str) -> bool:
    """Tell whether a comma at the end may belong to a pattern between slashes that is not finished yet."""
    last = re.split(r",\s*(?=/)", text)[-1].strip()
    return last.startswith("/") and not re.fullmatch(r"/(?:\\.|[^/\\])+/[a-z]*\s*,", last)


class KeyChips(QWidget):
    """A list of keys. `changed` carries the new list."""

    changed = Signal(tuple)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.keys: tuple[str, ...] = ()
        self.chips: list[Chip] = []
        self._all = False
        self.setAccessibleName(name)
        # Never seen: it keeps the place of the chips in the order of the Tab key, at whose end new ones would be.
        self._first = QWidget(self)
        self._first.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._first.hide()
        self.field = KeyField(name)
        self.field.entered.connect(self.add_text)
        self.field.back.connect(lambda: self._edit(self.keys[-1]) if self.keys else None)
        self.field.left.connect(lambda: self.chips[-1].setFocus() if self.chips else None)
        self._more = QPushButton()
        set_role(self._more, "link")
        self._more.clicked.connect(lambda _on=False: self._show_all())
        self._more.hide()
        self._flow = FlowLayout(spacing=4, fill=True)
        self.setLayout(self._flow)
        self._flow.addWidget(self._more)
        self._flow.addWidget(self.field)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusProxy(self.field)

    def show_keys(self, keys: Sequence[str], *, fresh: bool = False) -> None:
        """Show keys without reporting them as changed; `fresh` says that they belong to another entry."""
        if fresh:
            self._all = False
            self.field.clear()
        if tuple(keys) != self.keys or fresh:
            self.keys = tuple(keys)
            self._rebuild()

    def show_matches(self, matching: frozenset[str]) -> None:
        """Show which keys are in the text of the tester."""
        for chip in self.chips:
            if chip.matches != (chip.key in matching):
                chip.show_match(chip.key in matching)

    def add_text(self, text: str) -> None:
        """Add the keys of a typed or pasted list; those that are there already stay once."""
        keys = dict.fromkeys([*self.keys, *(split_keys(text.replace("\n", ",")) if text.strip() else ())])
        self._put(tuple(keys))

    def _put(self, keys: tuple[str, ...]) -> None:
        if keys != self.keys:
            self.keys = keys
            self._rebuild()
            self.changed.emit(keys)

    def _remove(self, key: str) -> None:
        at = next((number for number, chip in enumerate(self.chips) if chip.key == key), 0)
        self._put(tuple(one for one in self.keys if one != key))
        (self.chips[min(at, len(self.chips) - 1)] if self.chips else self.field).setFocus()

    def _edit(self, key: str) -> None:
        self.field.commit()
        self._put(tuple(one for one in self.keys if one != key))
        self.field.setText(key)
        self.field.setFocus()

    def _step(self, chip: Chip, step: int) -> None:
        at = self.chips.index(chip) + step
        if at >= len(self.chips):
            self.field.setFocus()
        elif at >= 0:
            self.chips[at].setFocus()

    def _show_all(self) -> None:
        self._all = True
        self._rebuild()
        self.field.setFocus()

    def _rebuild(self) -> None:
        matching = frozenset(chip.key for chip in self.chips if chip.matches)
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        shown = self.keys if self._all else self.keys[:MOST_SHOWN]
        self.chips = [self._chip(key) for key in shown]
        self._flow.removeWidget(self._more)
        self._flow.insert_before_last(self._more)
        hidden = len(self.keys) - len(shown)
        self._more.setText(ntr("{n} more…", "{n} more…", hidden))
        self._more.setAccessibleName(ntr("Show {n} more key", "Show {n} more keys", hidden))
        self._more.setVisible(hidden > 0)
        self.show_matches(matching)
        self._order_tabs()
        self.updateGeometry()

    def _chip(self, key: str) -> Chip:
        chip = Chip(self._theme, key)
        chip.removed.connect(self._remove)
        chip.edited.connect(self._edit)
        chip.stepped.connect(lambda step: self._step(chip, step))
        self._flow.insert_before_last(chip)
        chip.show()
        return chip

    def _order_tabs(self) -> None:
        order = [self._first, *self.chips, self._more, self.field]
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)
