"""Cards of the upkeep panel: one for each projector, one for the search index. They show a row and pass presses on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QProgressBar, QWidget

from familiar_app.domain.text import tr
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, row, set_role
from familiar_app.ui.upkeep.focus import FocusKeeper
from familiar_app.ui.upkeep.word import Row, index_text

Do = Callable[[str, str], object]
"""Called with a word (`run`, `rebuild`, `fresh`, `pause`, `resume`, `cancel`, `model`) and the projector's name."""
_ROLES = {
    "danger": "danger",
    "good": "quiet",
    "text_1": "body",
    "text_2": "quiet",
    "accent": "body",
    "warning": "warning",
}


class Card(QFrame):
    """A framed part with a title, what it is, and how it stands."""

    def __init__(self, title: str, what: str) -> None:
        super().__init__()
        set_role(self, "card")
        self.column = column(spacing=4)
        self.column.setContentsMargins(16, 12, 16, 12)
        self.head = row(spacing=12)
        self.head.addWidget(label(title, "strong"))
        self.head.addStretch(1)
        self.column.addLayout(self.head)
        self.column.addWidget(label(what, "quiet", wrap=True))
        self.state = label("", wrap=True)
        self.column.addWidget(self.state)
        self.setLayout(self.column)


def bar(name: str) -> QProgressBar:
    """Make a thin bar that is hidden until something runs."""
    made = QProgressBar()
    made.setAccessibleName(name)
    made.setTextVisible(False)
    made.setRange(0, 0)
    made.hide()
    return made


class ProjectorCard(Card):
    """One projector."""

    def __init__(self, first: Row, do: Do) -> None:
        super().__init__(first.title, first.what)
        self._row, self._do = first, do
        self.setAccessibleName(first.title)
        self.paused = QCheckBox(tr("Paused"))
        self.paused.setAccessibleName(tr("{part}: paused", part=first.title))
        self.paused.clicked.connect(lambda on: do("pause" if on else "resume", first.name))
        self.head.addWidget(self.paused)
        self._error = label("", "danger", wrap=True, selectable=True)
        self._figures = label("", "faint", wrap=True)
        self._bar = bar(tr("{part}: at work", part=first.title))
        for widget in (self._error, self._bar, self._figures):
            self.column.addWidget(widget)
        self._focus = FocusKeeper()
        self.buttons = self._make_buttons()
        self.show_row(first)

    def _make_buttons(self) -> dict[str, QWidget]:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        words = [("run", tr("Run now")), ("rebuild", tr("Rebuild"))]
        words += [("fresh", tr("Ask the model again…"))] if self._row.asks else []
        words += [("model", tr("Choose a model…")), ("cancel", tr("Cancel"))]
        made = {}
        for word, title in words:
            made[word] = button(title, partial(self._do, word, self._row.name))
            made[word].setAccessibleName(tr("{part}: {act}", part=self._row.title, act=title.rstrip("…").rstrip()))
            flow.addWidget(made[word])
        made["rebuild"].setToolTip(tr("Brings it back from kept answers. No model is asked, and it costs nothing."))
        self.column.addSpacing(4)
        self.column.addWidget(holder)
        return made

    def show_row(self, shown: Row) -> None:
        """Show how it stands now."""
        self._row = shown
        self.state.setText(shown.work or shown.state)
        set_role(self.state, _ROLES[shown.tone])
        self._error.setText(shown.error)
        self._error.setAccessibleName(shown.error)
        self._error.setVisible(bool(shown.error) and not shown.work)
        self._figures.setText(" · ".join(shown.figures))
        self.paused.setChecked(shown.paused)
        self._bar.setVisible(bool(shown.work))
        self._focus.show({made: self._offers(word, shown) for word, made in self.buttons.items()})

    def _offers(self, word: str, shown: Row) -> bool:
        """Tell whether a button has a use now."""
        if word == "cancel":
            return bool(shown.work)
        return not shown.work and (word != "model" or bool(shown.error and shown.asks))


class IndexCard(Card):
    """The search index."""

    def __init__(self, build: Callable[[], object]) -> None:
        super().__init__(tr("Search index"), tr("Finds messages and facts by their words. It is kept in memory only."))
        self._error: QLabel = label("", "danger", wrap=True)
        self._bar = bar(tr("Search index: being built"))
        self.build = button(tr("Build again"), build)
        self.build.setAccessibleName(tr("Search index: build again"))
        holder = QWidget()
        FlowLayout(holder, spacing=8).addWidget(self.build)
        for widget in (self._error, self._bar, holder):
            self.column.addWidget(widget)

    def show_status(self, status: IndexStatus) -> None:
        """Show how it stands now."""
        self.state.setText(index_text(status))
        set_role(self.state, "danger" if status.state == "failed" else "body")
        self._error.setText("" if status.error is None else str(status.error))
        self._error.setVisible(status.error is not None)
        building = status.state == "building"
        self._bar.setVisible(building)
        self._bar.setRange(0, status.total if building else 0)
        self._bar.setValue(min(status.indexed, status.total))
        self.build.setVisible(not building)
