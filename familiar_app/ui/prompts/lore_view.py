"""What the lorebook decided, entry by entry, with the reason as a sentence."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.lore_row import LoreReport
from familiar_app.ui.prompts.row_table import Column, RowTable


class LoreView(QWidget):
    """Sends `opened` with the row of an entry to be shown in the lorebook."""

    opened = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.summary = label("", "quiet", wrap=True)
        self.table = RowTable(
            theme,
            "Verdicts of the lorebook",
            [
                Column("Verdict", lambda one: one.state, 70, lambda one: one.tone, lambda one: one.why),
                Column("Entry", lambda one: one.entry, 130, tip=lambda one: f"{one.entry} ({one.book})"),
                Column("Pass", lambda one: str(one.number), 48, lambda _one: "text_3", right=True),
                Column("Why", lambda one: one.why, 0, lambda _one: "text_2"),
            ],
        )
        self.table.current_changed.connect(lambda _index: self._tell())
        self.table.opened.connect(lambda _index: self.opened.emit(self.table.current()))
        self.why = label("", "quiet", wrap=True, selectable=True)
        layout = column(spacing=8)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.why)
        self.setLayout(layout)

    def show_report(self, report: LoreReport) -> None:
        """Show the verdicts of another prompt."""
        self.summary.setText(report.summary)
        self.table.fill(report.rows)
        self.table.setVisible(bool(report.rows))
        self._tell()

    def _tell(self) -> None:
        one = self.table.current()
        self.why.setText(f"{one.entry}: {one.why}" if one is not None else "")
        self.why.setAccessibleName(self.why.text() or "No entry chosen")
