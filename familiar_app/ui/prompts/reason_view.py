"""Why a layer is here: its reasons, what the chosen line came from, what was left out, and the prompt as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QScrollArea, QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import clear_layout, column, label, line
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.source import Source
from familiar_app.ui.prompts.stack import StackRow, left_out_line

MOST_LEFT_OUT = 40


class ReasonView(QScrollArea):
    """`go` shows where a line came from; `can_go` tells whether there is a panel for it."""

    def __init__(self, theme: Theme, go: Callable[[Source], object], can_go: Callable[[Source], bool]) -> None:
        super().__init__()
        self._theme, self._go, self._can_go = theme, go, can_go
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Why this layer is here"))
        self._title = label("", "heading", wrap=True)
        self._reasons = column(spacing=6)
        self._sources = QWidget()
        self._source_flow = FlowLayout(self._sources, spacing=4)
        self._source_title = label(tr("This line"), "strong")
        self._left_title = label(tr("Left out"), "strong")
        self._left = column(spacing=4)
        self._facts = QFormLayout()
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._facts.setVerticalSpacing(4)
        self._facts.setHorizontalSpacing(12)
        self._facts.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        layout = column(margins=16, spacing=8)
        layout.addWidget(self._title)
        layout.addLayout(self._reasons)
        for widget in (self._source_title, self._sources, self._left_title):
            layout.addWidget(widget)
        layout.addLayout(self._left)
        layout.addWidget(line())
        layout.addWidget(label(tr("This prompt"), "strong"))
        layout.addLayout(self._facts)
        layout.addStretch(1)
        inside = QWidget()
        inside.setLayout(layout)
        self.setWidget(inside)
        self.show_sources([])

    def show_layer(self, row: StackRow | None) -> None:
        """Tell of a layer."""
        self._title.setText(row.title if row is not None else tr("Without layers"))
        clear_layout(self._reasons)
        clear_layout(self._left)
        for reason in row.reasons if row is not None else ():
            self._reasons.addWidget(label(reason, "quiet", wrap=True))
        if row is None:
            told = tr("A request of the work in the background: an instruction, and what it is about.")
            self._reasons.addWidget(label(told, "quiet", wrap=True))
        left = row.left_out if row is not None else ()
        self._left_title.setVisible(bool(left))
        for one in left[:MOST_LEFT_OUT]:
            self._left.addWidget(label(left_out_line(one), "quiet", wrap=True, selectable=True))
        if len(left) > MOST_LEFT_OUT:
            self._left.addWidget(label(ntr("and {n} more", "and {n} more", len(left) - MOST_LEFT_OUT), "faint"))

    def show_sources(self, sources: Sequence[Source]) -> None:
        """Offer what the chosen line came from."""
        clear_layout(self._source_flow)
        for source in sources:
            made = button(source.title, lambda chosen=source: self._go(chosen), role="link")
            made.setAccessibleName(tr("Show {what}", what=source.title))
            made.setEnabled(self._can_go(source))
            self._source_flow.addWidget(made)
        for widget in (self._source_title, self._sources):
            widget.setVisible(bool(sources))
        self._sources.updateGeometry()

    def show_facts(self, facts: Sequence[tuple[str, str]]) -> None:
        """Tell of the prompt as a whole."""
        while self._facts.rowCount():
            self._facts.removeRow(0)
        for name, value in facts:
            self._facts.addRow(label(name, "faint"), label(value, wrap=True, selectable=True))
