"""What may be changed for a trial: layers in use and their order, single items, and what that comes to in words."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import clear_layout, column, label, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.item_word import item_word
from familiar_app.ui.prompts.trial import Trial

NAME = Qt.ItemDataRole.UserRole


class LayerChoice(QListWidget):
    """The layers with a tick each. Space switches, Alt+Up and Alt+Down move."""

    switched = Signal(str, bool)
    moved = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Layers of the trial"))
        self._quiet = False
        self.itemChanged.connect(self._changed)

    def show_layers(self, trial: Trial) -> None:
        """Show the choices, with the same layer chosen as before."""
        chosen = self.chosen()
        self._quiet = True
        self.clear()
        for one in trial.layers:
            item = QListWidgetItem(one.title)
            item.setData(NAME, one.name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if one.on else Qt.CheckState.Unchecked)
            self.addItem(item)
            if one.name == chosen:
                self.setCurrentItem(item)
        if self.currentRow() < 0 and self.count():
            self.setCurrentRow(0)
        self._quiet = False

    def chosen(self) -> str:
        """Return the layer that is chosen, "" where there is none."""
        item = self.currentItem()
        return item.data(NAME) if item is not None else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.chosen():
            self.moved.emit(self.chosen(), -1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def _changed(self, item: QListWidgetItem) -> None:
        if not self._quiet:
            self.switched.emit(item.data(NAME), item.checkState() == Qt.CheckState.Checked)


class TrialView(QWidget):
    """Sends `switched` and `moved` for layers, `item_back` with an item, `try_wanted` and `reset_wanted`."""

    switched = Signal(str, bool)
    moved = Signal(str, int)
    item_back = Signal(object)
    try_wanted = Signal()
    reset_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._intro = label(
            tr(
                "Switch layers off or move them, leave candidates out, move weights: then see the same message's "
                "prompt beside the original. Nothing is stored."
            ),
            "quiet",
            wrap=True,
        )
        self.layers = LayerChoice()
        self.layers.switched.connect(self.switched)
        self.layers.moved.connect(self.moved)
        self.up = icon_button(theme, "chevron_up", tr("Move the layer up"), lambda: self._move(-1), shortcut="Alt+↑")
        self.down = icon_button(
            theme, "chevron_down", tr("Move the layer down"), lambda: self._move(1), shortcut="Alt+↓"
        )
        self._items = QWidget()
        self._item_flow = FlowLayout(self._items, spacing=4)
        self._item_title = label(tr("Left out; press to take in again"), "strong", wrap=True)
        self.told = label("", "quiet", wrap=True)
        self.go = button(tr("Show beside the original"), self.try_wanted.emit, role="primary")
        self.reset = button(tr("Reset"), self.reset_wanted.emit)
        self._lay_out()

    def show_trial(self, trial: Trial, told: str, *, possible: bool) -> None:
        """Show the choices; without `possible` there is nothing to try."""
        self.layers.show_layers(trial)
        clear_layout(self._item_flow)
        for key in trial.items:
            made = button(item_word(*key), lambda chosen=key: self.item_back.emit(chosen))
            made.setAccessibleName(tr("Take in again: {what}", what=item_word(*key)))
            self._item_flow.addWidget(made)
        for widget in (self._item_title, self._items):
            widget.setVisible(bool(trial.items))
        self.told.setText(told if possible else tr("Only the prompt of a reply can be tried with changes."))
        for widget in (self.layers, self.up, self.down, self.go, self.reset):
            widget.setEnabled(possible)

    def _move(self, step: int) -> None:
        if self.layers.chosen():
            self.moved.emit(self.layers.chosen(), step)

    def _lay_out(self) -> None:
        over = row(spacing=4)
        over.addWidget(label(tr("Layers"), "strong"), 1)
        over.addWidget(self.up)
        over.addWidget(self.down)
        steps = QWidget()
        flow = FlowLayout(steps, spacing=8)
        flow.addWidget(self.go)
        flow.addWidget(self.reset)
        layout = column(spacing=8)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self._intro)
        layout.addLayout(over)
        layout.addWidget(self.layers, 1)
        layout.addWidget(self._item_title)
        layout.addWidget(self._items)
        layout.addWidget(self.told)
        layout.addWidget(steps)
        self.setLayout(layout)
