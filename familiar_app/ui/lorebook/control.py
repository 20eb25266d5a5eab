"""The controls of the form, one for each kind of field: they show a value quietly and report what was typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QPlainTextEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.chips import KeyChips
from familiar_app.ui.lorebook.control_more import FilterBox, SourcesBox
from familiar_app.ui.lorebook.field import Field, words_of
from familiar_app.ui.lorebook.word import lore_word

Changed = Callable[[str, Any], object]


class NumberBox(QDoubleSpinBox):
    """A number; whole ones are shown without decimals. The wheel moves the form unless the person is in the field."""

    def __init__(self, *, decimals: int, least: float, most: float, blank: str = "") -> None:
        super().__init__()
        self.setDecimals(decimals)
        self.setRange(least, most)
        self.setGroupSeparatorShown(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(True)
        self.lineEdit().setTextMargins(8, 0, 0, 0)
        if blank:
            self.setSpecialValueText(blank)

    def textFromValue(self, value: float) -> str:
        if not self.decimals():
            return str(round(value))
        # What is typed is read by the locale, too: with another mark 1.5 would be read as 15.
        return f"{value:.2f}".rstrip("0").rstrip(".").replace(".", self.locale().decimalPoint())

    def wheelEvent(self, event) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceBox(QComboBox):
    """A choice; the wheel moves the form unless the person is in the field."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def wheelEvent(self, event) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class TextBox(QPlainTextEdit):
    """The content: several lines, as high as its pane gives it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setMinimumHeight(120)

    def wheelEvent(self, event) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Control:
    """One field's widget. `show` puts a value in without reporting it."""

    def __init__(self, theme: Theme, field: Field, changed: Changed) -> None:
        self.field, self._changed, self._quiet = field, changed, False
        self.widget = self._make(theme)
        self.widget.setAccessibleName(lore_word(field.title))
        self.widget.setAccessibleDescription(tr(field.hint))

    def _make(self, theme: Theme) -> QWidget:
        kind = self.field.kind
        if kind in ("line", "words"):
            made = QLineEdit()
            made.textEdited.connect(lambda text: self._report(words_of(text) if kind == "words" else text))
            return made
        if kind == "text":
            made = TextBox()
            made.textChanged.connect(lambda: self._report(made.toPlainText()))
            return made
        if kind == "keys":
            made = KeyChips(theme, lore_word(self.field.title))
            made.changed.connect(self._report)
            return made
        if kind == "flag":
            made = QCheckBox(lore_word(self.field.title))
            made.toggled.connect(self._report)
            return made
        if kind in ("choice", "inherit"):
            return self._make_choice()
        if kind in ("sources", "filter"):
            made = SourcesBox() if kind == "sources" else FilterBox()
            made.changed.connect(self._report)
            return made
        return self._make_number()

    def _make_choice(self) -> ChoiceBox:
        made = ChoiceBox()
        for _value, words in self.field.choices:
            made.addItem(lore_word(words))
        made.activated.connect(lambda number: self._report(self.field.choices[number][0]))
        return made

    def _make_number(self) -> NumberBox:
        field = self.field
        if field.kind == "blank":
            made = NumberBox(decimals=2, least=-field.most, most=field.most, blank=lore_word("None"))
        elif field.kind == "number":
            made = NumberBox(decimals=2, least=0 if field.most == 100 else -field.most, most=field.most)
        else:
            inherits = field.kind == "depth"
            blank = tr("As the book") if inherits else ""
            made = NumberBox(decimals=0, least=-1 if inherits else 0, most=field.most, blank=blank)
        made.valueChanged.connect(lambda value: self._report(self._number(value)))
        return made

    def _number(self, value: float) -> float | int | None:
        if (self.field.kind == "depth" and value < 0) or (self.field.kind == "blank" and value <= -self.field.most):
            return None
        return int(value) if self.field.kind not in ("number", "blank") or value == int(value) else value

    def show(self, value: Any, *, fresh: bool) -> None:
        """Show a value; `fresh` says that it belongs to another entry than before. The cursor stays where it can."""
        self._quiet = True
        widget = self.widget
        if isinstance(widget, KeyChips):
            widget.show_keys(value, fresh=fresh)
        elif isinstance(widget, SourcesBox | FilterBox):
            widget.show_value(value)
        elif isinstance(widget, QPlainTextEdit):
            if widget.toPlainText() != value:
                widget.setPlainText(value)
        elif isinstance(widget, QLineEdit):
            if self.field.kind != "words":
                if widget.text() != value:
                    widget.setText(value)
            elif fresh or words_of(widget.text()) != tuple(value):
                widget.setText(", ".join(value))
        elif isinstance(widget, QCheckBox):
            widget.setChecked(bool(value))
        elif isinstance(widget, QComboBox):
            values = [one for one, _words in self.field.choices]
            widget.setCurrentIndex(values.index(value) if value in values else 0)
        elif isinstance(widget, NumberBox):
            number = widget.minimum() if value is None else float(value)
            if widget.value() != number:
                widget.setValue(number)
        self._quiet = False

    def _report(self, value: Any) -> None:
        if not self._quiet:
            self._changed(self.field.name, value)
