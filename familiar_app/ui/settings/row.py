"""One setting as a row: what it does at the left, its control at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QCompleter, QDoubleSpinBox, QLineEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import ElidedLabel, column, label, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.settings.model import find_zone
from familiar_app.ui.settings.setting import Setting, value_text

Changed = Callable[[Setting, Any], object]
CONTROL_WIDTH = 220
SAVE_AFTER_MS = 600


class SettingRow(QWidget):
    """Shows a setting; `show_value` never causes `changed` to be called."""

    def __init__(self, theme: Theme, setting: Setting, *buttons: tuple[str, Callable[[], object]]) -> None:
        super().__init__()
        self.setting = setting
        words = column(spacing=4)
        words.addWidget(label(tr(setting.title), "strong", wrap=True))
        words.addWidget(label(tr(setting.text), "quiet", wrap=True))
        self._words = words
        usual = tr("Default: {value}.", value=setting.default_text) if setting.default_text else ""
        below = f"{usual} {tr(setting.leaves)}".strip()
        self._controls = column(spacing=4)
        self._now = ElidedLabel("", "body")
        self._now.hide()
        words.addWidget(self._now)
        words.addWidget(label(below, "faint", wrap=True))
        line = row(spacing=24)
        line.setContentsMargins(16, 12, 16, 12)
        line.addLayout(words, 1)
        line.addLayout(self._controls)
        self.setLayout(line)
        self._width = theme.px(CONTROL_WIDTH)
        for caption, run in buttons:
            made = button(caption, run)
            made.setAccessibleName(tr("{part}: {act}", part=tr(setting.title), act=caption.rstrip("…").rstrip()))
            self._add(made)
        self._wrong = label("", "danger", wrap=True)
        self._wrong.setFixedWidth(self._width)
        self._wrong.hide()
        self._controls.addWidget(self._wrong)
        self._controls.addStretch(1)

    def show_value(self, value: Any) -> None:
        """Show the value in force."""
        self.show_text(value_text(self.setting, value))

    def show_text(self, text: str) -> None:
        self._now.setVisible(bool(text))
        self._now.set_text(text)

    def set_wrong(self, text: str) -> None:
        """Say below the control that the value was refused; cleared by the next `show_value`."""
        self._wrong.setText(text)
        self._wrong.setVisible(bool(text))

    def _add(self, control: QWidget) -> None:
        control.setFixedWidth(self._width)
        self._controls.insertWidget(self._controls.count(), control, 0, Qt.AlignmentFlag.AlignRight)

    def _name(self, control: QWidget) -> None:
        control.setAccessibleName(tr(self.setting.title))
        control.setAccessibleDescription(tr(self.setting.text))
        self._controls.insertWidget(0, control, 0, Qt.AlignmentFlag.AlignRight)
        control.setFixedWidth(self._width)


class ChoiceRow(SettingRow):
    """One of a few values."""

    def __init__(self, theme: Theme, setting: Setting, changed: Changed) -> None:
        super().__init__(theme, setting)
        self._box = QComboBox()
        for value, words in setting.choices:
            self._box.addItem(tr(words), value)
        self._name(self._box)
        self._box.activated.connect(lambda _index: changed(setting, self._box.currentData()))

    def show_value(self, value: Any) -> None:
        found = self._box.findData(value)
        if found < 0:
            # A value somebody wrote into the file by hand is kept as a choice of its own.
            self._box.addItem(f"{value:.0%}" if isinstance(value, float) else str(value), value)
            found = self._box.count() - 1
        self._box.setCurrentIndex(found)


class SwitchRow(SettingRow):
    """On or off."""

    def __init__(self, theme: Theme, setting: Setting, changed: Changed) -> None:
        super().__init__(theme, setting)
        self._box = QCheckBox(tr("On"))
        self._name(self._box)
        self._box.clicked.connect(lambda on: changed(setting, on))

    def show_value(self, value: Any) -> None:
        self._box.setChecked(bool(value))
        self._box.setText(tr("On") if value else tr("Off"))


class MeaningRow(SwitchRow):
    """The one switch over several keys, and how they stand, in as many lines as that takes."""

    def __init__(self, theme: Theme, setting: Setting, changed: Changed) -> None:
        super().__init__(theme, setting, changed)
        self._state = label("", wrap=True)
        self._words.insertWidget(2, self._state)

    def show_text(self, text: str) -> None:
        self._state.setText(text)


class NumberField(QDoubleSpinBox):
    """A number that the wheel changes only where it was chosen first, so that a page can be scrolled over it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class NumberRow(SettingRow):
    """A number, saved a moment after it was last moved."""

    def __init__(self, theme: Theme, setting: Setting, changed: Changed) -> None:
        super().__init__(theme, setting)
        self._changed, self._value = changed, 0.0
        self._whole = setting.step >= 1
        self._field = NumberField()
        self._field.lineEdit().setTextMargins(8, 0, 0, 0)
        self._field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._field.setDecimals(0 if self._whole else 2)
        self._field.setRange(*setting.bounds)
        self._field.setSingleStep(setting.step)
        self._field.setKeyboardTracking(False)
        self._field.setGroupSeparatorShown(True)
        self._name(self._field)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MS)
        self._timer.timeout.connect(self._finish)
        self._field.valueChanged.connect(lambda _value: self._timer.start())

    def show_value(self, value: Any) -> None:
        if self._timer.isActive():
            return  # it is being changed
        self._value = float(value)
        self._field.blockSignals(True)
        self._field.setValue(self._value)
        self._field.blockSignals(False)

    def _finish(self) -> None:
        value = round(self._field.value(), 2)
        if value != self._value:
            self._value = value
            self._changed(self.setting, int(value) if self._whole else value)


class TextRow(SettingRow):
    """A short text, saved when the field is left or Return is pressed."""

    def __init__(self, theme: Theme, setting: Setting, changed: Changed) -> None:
        super().__init__(theme, setting)
        self._changed, self._value = changed, ""
        self._field = QLineEdit()
        self._name(self._field)
        self._field.editingFinished.connect(self._finish)

    def show_value(self, value: Any) -> None:
        self._value = str(value)
        self._field.setText(self._value)
        self.set_wrong("")

    def _finish(self) -> None:
        typed = self._field.text().strip()
        if not typed:
            self._field.setText(self._value)
        elif typed != self._value:
            self._value = typed
            self._changed(self.setting, typed)


class ZoneRow(TextRow):
    """A time zone, found by typing a part of its name. Empty is this computer's zone."""

    def __init__(self, theme: Theme, setting: Setting, changed: Changed) -> None:
        super().__init__(theme, setting, changed)
        self._field.setPlaceholderText(tr("this computer's zone"))
        self._zones: tuple[str, ...] = ()
        self._field.textEdited.connect(lambda _text: self.set_wrong(""))

    def set_zones(self, zones: Sequence[str]) -> None:
        """Offer these names while typing; no other is taken."""
        self._zones = tuple(zones)
        completer = QCompleter(list(zones), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self._field.setCompleter(completer)

    def show_value(self, value: Any) -> None:
        super().show_value("" if value == "system" else value)

    def _finish(self) -> None:
        typed = self._field.text().strip()
        found = find_zone(typed, self._zones) if self._zones else typed
        if found is None:
            self.set_wrong(tr("No time zone is called {name}. Type a city such as Berlin, or nothing.", name=typed))
            return
        self._field.setText(found)
        self.set_wrong("")
        if found != self._value:
            self._value = found
            self._changed(self.setting, found or "system")
