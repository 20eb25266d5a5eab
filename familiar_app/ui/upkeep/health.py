"""The card with the figures of health, and the list behind a figure at the side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout

from familiar_app.domain.fact import Fact
from familiar_app.domain.text import number, tr, tr_later
from familiar_app.store.health import MemoryHealth
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import label
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.side_page import SidePage
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.upkeep.card import Card

FIGURES = (
    ("facts", tr_later("Facts that hold now")),
    ("never_recalled", tr_later("Never brought back into a prompt")),
    ("duplicates", tr_later("Said twice")),
    ("failures", tr_later("Runs that failed")),
    ("malformed", tr_later("Answers in a wrong form, counted as empty")),
    ("rejected", tr_later("Items dropped by guards")),
)
LISTED = ("never_recalled", "duplicates")


class HealthCard(Card):
    """The figures; those with a list behind them have a button that shows it."""

    def __init__(self, theme: Theme, show: Callable[[str], object]) -> None:
        super().__init__(tr("Health"), tr("How good what is remembered is. Nothing here is changed by itself."))
        self.state.hide()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(0, 1)
        self.values = {}
        self.buttons = {}
        for line, (name, words) in enumerate(FIGURES):
            self._grid.setRowMinimumHeight(line, theme.px(30))
            self._grid.addWidget(label(tr(words), wrap=True), line, 0)
            self.values[name] = label("–", "strong")
            self._grid.addWidget(self.values[name], line, 1, Qt.AlignmentFlag.AlignRight)
            if name in LISTED:
                made = button(tr("Show"), lambda name=name: show(name), role="link")
                made.setAccessibleName(tr("Show: {what}", what=tr(words)))
                self.buttons[name] = made
                self._grid.addWidget(made, line, 2)
        self.column.addLayout(self._grid)

    def show_health(self, health: MemoryHealth, failures: int) -> None:
        """Show the figures."""
        values = {
            "facts": health.facts,
            "never_recalled": health.never_recalled,
            "duplicates": health.duplicates,
            "failures": failures,
            "malformed": sum(one.malformed for one in health.projectors),
            "rejected": sum(sum(one.rejected.values()) for one in health.projectors),
        }
        for name, value in values.items():
            self.values[name].setText(number(value))
            if name in self.buttons:
                self.buttons[name].setEnabled(value > 0)


class FactList(SidePage):
    """Groups of facts as chips that lead to the timeline, where they can be merged or retired."""

    def __init__(self, text: str, groups: Sequence[Sequence[Fact]], context: PanelContext) -> None:
        super().__init__(tr("Facts"))
        self.text(text, "quiet")
        for group in groups:
            self.rule()
            for fact in group:
                self.chip(fact.text, partial(context.go_to, "timeline", str(fact.id)))
        self.end()
