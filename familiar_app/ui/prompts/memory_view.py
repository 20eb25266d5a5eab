"""What memory offered: weights to move, the candidates in their order, and the signals of the chosen one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QScrollArea, QSplitter, QWidget

from familiar_app.domain.ranking import Signal as RankSignal
from familiar_app.domain.text import number, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.candidate import SIGNALS, STATES, CandidateRow, Weighing
from familiar_app.ui.prompts.row_table import Column, ItemTable, RowTable
from familiar_app.ui.prompts.trial import Trial
from familiar_app.ui.prompts.weight_view import WeightView


def _moved(row: CandidateRow) -> str:
    if not row.place:
        return ""
    arrow = f" ↑{row.moved}" if row.moved > 0 else f" ↓{-row.moved}" if row.moved < 0 else ""
    return f"{row.place}{arrow}"


def _text(row: CandidateRow) -> str:
    return row.text[:300] or row.name


def _tip(row: CandidateRow) -> str:
    text = row.text if len(row.text) <= 300 else f"{row.text[:299]}…"
    return f"{row.name}: {text}"


class MemoryView(QWidget):
    """Sends `weight_moved`, `reset_wanted`, and `item_toggled` and `opened` with a candidate's row."""

    weight_moved = Signal(str, float)
    reset_wanted = Signal()
    item_toggled = Signal(object)
    opened = Signal(object)

    def __init__(self, theme: Theme, trial: Callable[[], Trial]) -> None:
        super().__init__()
        self._trial = trial
        self.weights = WeightView(theme)
        self.weights.moved.connect(self.weight_moved)
        self.summary = label("", "quiet", wrap=True)
        self.reset = button(tr("Reset"), self.reset_wanted.emit, tip=tr("The weights the prompt was made with"))
        self.table = ItemTable(theme, tr("Candidates of memory"), self._candidate_columns())
        self.table.current_changed.connect(lambda _index: self._show_signals())
        self.table.opened.connect(self._open)
        self.table.toggled.connect(self._toggle)
        self.why = label("", "quiet", wrap=True)
        self.signals = RowTable(theme, tr("Signals of the chosen candidate"), self._signal_columns())
        self.leave = button(tr("Leave out in the trial"), self._toggle)
        self.show_it = button(tr("Show it"), lambda: self._open(self.table.currentIndex()))
        self._lay_out()

    def show_weighing(self, weighing: Weighing) -> None:
        """Show the candidates under the present weights."""
        chosen = self.table.current()
        self.weights.show_weights(weighing.weights, weighing.recorded)
        self.weights.setEnabled(bool(weighing.rows))
        self.summary.setText(weighing.summary())
        self.reset.setEnabled(weighing.changed)
        self.table.fill(weighing.rows)
        keys = [one.key for one in weighing.rows]
        if chosen is not None and chosen.key in keys:
            self.table.setCurrentIndex(self.table.rows.index(keys.index(chosen.key), 0))
        self._show_signals()

    def refresh(self) -> None:
        """Show anew what is left out of the trial."""
        self.table.viewport().update()
        self._show_signals()

    # ---- inside

    def _lay_out(self) -> None:
        over = row(spacing=8)
        over.addWidget(self.summary, 1)
        over.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignTop)
        upper = QWidget()
        layout = column(spacing=8)
        layout.setContentsMargins(16, 12, 16, 8)
        layout.addLayout(over)
        layout.addWidget(self.weights)
        layout.addStretch(1)
        upper.setLayout(layout)
        scrolled = QScrollArea()
        scrolled.setWidgetResizable(True)
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scrolled.setAccessibleName(tr("Weights"))
        scrolled.setWidget(upper)
        steps = QWidget()
        flow = FlowLayout(steps, spacing=8)
        flow.addWidget(self.show_it)
        flow.addWidget(self.leave)
        lower = QWidget()
        below = column(spacing=8)
        below.setContentsMargins(8, 8, 8, 12)
        below.addWidget(self.why)
        below.addWidget(self.signals, 1)
        below.addWidget(steps)
        lower.setLayout(below)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        for part in (scrolled, self.table, lower):
            self.split.addWidget(part)
        whole = column(spacing=0)
        whole.addWidget(self.split, 1)
        self.setLayout(whole)

    def _candidate_columns(self) -> list[Column]:
        fates = (*(tr(state) for state in STATES), tr("out in trial"))
        return [
            Column("#", _moved, 56, lambda _one: "text_3"),
            Column(tr("Fate"), self._state, 0, lambda one: one.tone, lambda one: one.why, words=fates),
            Column(tr("Score"), lambda one: number(one.score, 2) if one.place else "", 60, right=True),
            Column(tr("Text"), _text, 0, lambda one: "text_1" if one.tone != "text_3" else "text_3", _tip),
        ]

    @staticmethod
    def _signal_columns() -> list[Column]:
        def part(name: str) -> Callable[[tuple[str, RankSignal]], str]:
            return lambda one: _number(getattr(one[1], name))

        return [
            Column(
                tr("Signal"), lambda one: _signal(one[0]), 0, words=tuple(tr(title) for title, _tip in SIGNALS.values())
            ),
            Column(tr("Raw"), part("raw"), 54, lambda _one: "text_2", right=True),
            Column("0–1", part("normalised"), 54, lambda _one: "text_2", right=True),
            Column(tr("Weight"), part("weight"), 70, lambda _one: "text_2", right=True),
            Column(tr("Adds"), part("share"), 0, lambda one: "text_1" if one[1].share else "text_3"),
        ]

    def _state(self, one: CandidateRow) -> str:
        return tr("out in trial") if self._trial().is_out(one.key) else tr(one.state)

    def _show_signals(self) -> None:
        one = self.table.current()
        self.signals.fill(sorted(one.signals.items(), key=lambda pair: -pair[1].share) if one is not None else [])
        self.why.setText(
            f"{_tip(one)} — {one.why}" if one is not None else tr("Choose a candidate to see its signals.")
        )
        for made in (self.leave, self.show_it):
            made.setEnabled(one is not None)
        out = one is not None and self._trial().is_out(one.key)
        self.leave.setText(tr("Take in again") if out else tr("Leave out in the trial"))
        self.leave.setAccessibleName(self.leave.text())

    def _toggle(self) -> None:
        if (one := self.table.current()) is not None:
            self.item_toggled.emit(one)

    def _open(self, _index: QModelIndex) -> None:
        if (one := self.table.current()) is not None:
            self.opened.emit(one)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return number(value, 0 if abs(value) >= 10 else 2)


def _signal(name: str) -> str:
    return tr(SIGNALS[name][0]) if name in SIGNALS else name
