"""Sliders for the weights of memory's search; the order changes under the hand."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QSlider, QWidget

from familiar_app.domain.ranking import Weights
from familiar_app.domain.text import number, tr
from familiar_app.ui.kit.label import label, set_role
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.candidate import MOST_WEIGHT, SIGNALS

STEPS = 20
"""A slider moves by a twentieth; Page Up and Page Down by a fifth."""


class WeightView(QWidget):
    """Sends `moved` with a weight's name and its new value."""

    moved = Signal(str, float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        self.sliders: dict[str, QSlider] = {}
        self._values = {}
        self._quiet = False
        for at_row, (name, (title, tip)) in enumerate(SIGNALS.items()):
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, round(MOST_WEIGHT * STEPS))
            slider.setPageStep(STEPS // 5)
            slider.setMinimumWidth(60)
            slider.setToolTip(tr(tip))
            slider.setAccessibleName(tr("Weight of “{signal}”", signal=tr(title)))
            slider.setAccessibleDescription(tr(tip))
            slider.valueChanged.connect(lambda value, name=name: self._slid(name, value))
            word, value = label(tr(title)), label("", "faint")
            word.setBuddy(slider)
            word.setToolTip(tr(tip))
            value.setMinimumWidth(theme.px(34))
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for at, widget in enumerate((word, slider, value)):
                grid.addWidget(widget, at_row, at)
            self.sliders[name], self._values[name] = slider, value

    def show_weights(self, now: Weights, recorded: Weights) -> None:
        """Stand where the weights are; moved ones are told apart."""
        self._quiet = True
        for name, slider in self.sliders.items():
            weight, before = getattr(now, name), getattr(recorded, name)
            if round(slider.value() / STEPS, 2) != round(weight, 2):
                slider.setValue(round(weight * STEPS))
            self._values[name].setText(number(weight, 2))
            self._values[name].setToolTip(tr("The prompt was made with {weight}", weight=number(before, 2)))
            set_role(self._values[name], "strong" if weight != before else "faint")
        self._quiet = False

    def _slid(self, name: str, value: int) -> None:
        if not self._quiet:
            self.moved.emit(name, value / STEPS)
