"""A page of the side view: a column that scrolls up and down, with headed parts of labels, pairs and chips."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import TextRole, column, label, line, surface

Run = Callable[[], object]


class SidePage(QScrollArea):
    """Parts stand in the order in which they are added; `end` comes last."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.inside = surface(QWidget(), 2)
        self.column: QVBoxLayout = column(margins=16, spacing=8)
        self.inside.setLayout(self.column)
        self.setWidget(self.inside)

    def text(self, text: str, role: TextRole = "body", *, selectable: bool = False) -> None:
        """Add a paragraph."""
        self.column.addWidget(label(text, role, wrap=True, selectable=selectable))

    def rule(self) -> None:
        """Add a hairline."""
        self.column.addWidget(line())

    def part(self, title: str) -> None:
        """Begin a part under a hairline."""
        self.rule()
        self.column.addWidget(label(title, "strong", wrap=True))

    def chip(self, text: str, run: Run, *, note: str = "") -> None:
        """Add a way to something else, with a note above it."""
        if note:
            self.column.addWidget(label(note, "faint", wrap=True))
        self.column.addWidget(ChipButton(text, run))

    def buttons(self, pairs: Iterable[tuple[str, Run]]) -> None:
        """Add buttons in as many rows as they need; nothing where there are none."""
        made = [button(title, run) for title, run in pairs]
        if made:
            holder = QWidget()
            flow = FlowLayout(holder, spacing=8)
            for one in made:
                flow.addWidget(one)
            self.column.addWidget(holder)

    def end(self) -> None:
        """Keep what was added at the top."""
        self.column.addStretch(1)
