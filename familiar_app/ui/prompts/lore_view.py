"""What the lorebook decided, entry by entry, with the reason as a sentence."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.lore_row import LoreReport, LoreRow
from familiar_app.ui.prompts.row_table import Column, ItemTable
from familiar_app.ui.prompts.trial import Trial

_PASS = 2
"""The column that says in which pass an entry was looked at; there mostly is one pass."""


class LoreView(QWidget):
    """Sends `opened` and `item_toggled` with the row of an entry: to be shown in the lorebook, to be left out."""

    opened = Signal(object)
    item_toggled = Signal(object)

    def __init__(self, theme: Theme, trial: Callable[[], Trial]) -> None:
        super().__init__()
        self._trial = trial
        self.summary = label("", "quiet", wrap=True)
        self.table = ItemTable(
            theme,
            tr("Verdicts of the lorebook"),
            [
                Column(
                    tr("Verdict"),
                    self._state,
                    0,
                    lambda one: one.tone,
                    lambda one: one.why,
                    words=(tr("out in trial"),),
                ),
                Column(tr("Entry"), lambda one: one.entry, 100, tip=lambda one: f"{one.entry} ({one.book})"),
                Column(tr("Pass"), lambda one: str(one.number), 48, lambda _one: "text_3", right=True),
                Column(tr("Why"), lambda one: one.why, 0, lambda _one: "text_2"),
            ],
        )
        self.table.current_changed.connect(lambda _index: self._tell())
        self.table.opened.connect(lambda _index: self._send(self.opened))
        self.table.toggled.connect(lambda: self._send(self.item_toggled))
        self.why = label("", "quiet", wrap=True, selectable=True)
        self.leave = button(tr("Leave out in the trial"), lambda: self._send(self.item_toggled))
        self.show_it = button(tr("Show it"), lambda: self._send(self.opened))
        self._steps = QWidget()
        flow = FlowLayout(self._steps, spacing=8)
        flow.addWidget(self.show_it)
        flow.addWidget(self.leave)
        layout = column(spacing=8)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.why)
        layout.addWidget(self._steps)
        layout.addStretch(0)
        self.setLayout(layout)

    def show_report(self, report: LoreReport) -> None:
        """Show the verdicts of another prompt."""
        self.summary.setText(report.summary)
        self.table.fill(report.rows)
        self.table.setColumnHidden(_PASS, all(row.number == 1 for row in report.rows))
        for widget in (self.table, self.why, self._steps):
            widget.setVisible(bool(report.rows))
        self._tell()

    def refresh(self) -> None:
        """Show anew what is left out of the trial."""
        self.table.viewport().update()
        self._tell()

    def _state(self, one: LoreRow) -> str:
        return tr("out in trial") if self._trial().is_out(one.key) else one.verdict

    def _send(self, signal: Signal) -> None:
        if (one := self.table.current()) is not None:
            signal.emit(one)

    def _tell(self) -> None:
        one = self.table.current()
        self.why.setText(f"{one.entry}: {one.why}" if one is not None else tr("Choose an entry to read its reason."))
        self.why.setAccessibleName(self.why.text())
        for made in (self.leave, self.show_it):
            made.setEnabled(one is not None)
        out = one is not None and self._trial().is_out(one.key)
        self.leave.setText(tr("Take in again") if out else tr("Leave out in the trial"))
        self.leave.setAccessibleName(self.leave.text())
