"""The parts of the Reflections view and how they lie: head, filters, cards, empty states, the bar of thinking."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtWidgets import QComboBox, QProgressBar, QStackedWidget, QWidget

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import column, label, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.page_scroll import PageScroll
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.reflections.word import FILTERS

WIDTH = 760
_EMPTY = tr_later(
    "Now and then the familiar looks back at what was said, and keeps a few thoughts with what they rest on."
)
_WEAK = tr_later(
    "The small model that comes along does not think by itself, because it would make things up. A better model does."
)


class ReflectionParts(QWidget):
    """Lays the parts out; what is pressed comes to `do` by its word. `weak` tells that nothing is thought by itself."""

    do: Callable[[str], None]
    """Does something by its word; the class that is built on this one has it."""

    def __init__(self, theme: Theme, name: str, *, weak: bool, needed: int) -> None:
        super().__init__()
        surface(self, 1)
        self.theme = theme
        self.notice = Notice(theme)
        head = self._make_head()
        self._make_pages(f"{tr(_EMPTY)} {tr(_WEAK) if weak else _by_itself(needed)}", weak=weak)
        self._make_thinking(name)
        self._lay_out(head)

    def _make_head(self) -> PanelHeader:
        head = PanelHeader(self.theme, tr("Reflections"))
        self.counted = label("", "faint")
        head.add(self.counted)
        self.which, self.where = QComboBox(), QComboBox()
        self.which.setAccessibleName(tr("Which thoughts are shown"))
        for which, title in FILTERS:
            self.which.addItem(tr(title), which)
        self.where.setAccessibleName(tr("Channel of the thoughts"))
        for box in (self.which, self.where):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(14)
            box.activated.connect(lambda _at: self.do("filter"))
        self.think = button(tr("Reflect now"), lambda: self.do("reflect"), theme=self.theme, icon="reflections")
        head.add_end(self.think)
        self.filters = QWidget()
        flow = FlowLayout(self.filters, spacing=8)
        flow.setContentsMargins(16, 8, 16, 0)
        for box in (self.where, self.which):
            flow.addWidget(box)
        return head

    def _make_pages(self, text: str, *, weak: bool) -> None:
        word, step = ("choose_model", tr("Choose a model")) if weak else ("reflect", tr("Reflect now"))
        self.empty = EmptyState(
            self.theme, "reflections", tr("No thoughts yet"), text, step=step, run=lambda: self.do(word)
        )
        self.nothing = EmptyState(
            self.theme,
            "search",
            tr("No thought fits"),
            "",
            step=tr("Show all thoughts"),
            run=lambda: self.do("show_all"),
        )
        inside, across = surface(QWidget(), 1), row()
        self.cards_column = column(spacing=12)
        across.setContentsMargins(16, 16, 16, 16)
        held = QWidget()
        held.setMaximumWidth(self.theme.px(WIDTH))
        held.setLayout(self.cards_column)
        across.addWidget(held, 1)
        inside.setLayout(across)
        self.scroll = PageScroll()
        self.scroll.setAccessibleName(tr("Thoughts"))
        self.scroll.setWidget(inside)

    def _make_thinking(self, name: str) -> None:
        self.thinking = QWidget()
        bar = QProgressBar()
        bar.setAccessibleName(tr("The familiar is thinking"))
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        across = row(spacing=12)
        across.setContentsMargins(16, 8, 16, 0)
        across.addWidget(label(tr("{name} is thinking…", name=name), "quiet"))
        across.addWidget(bar, 1)
        across.addWidget(button(tr("Cancel"), lambda: self.do("stop")))
        self.thinking.setLayout(across)
        self.thinking.hide()

    def _lay_out(self, head: PanelHeader) -> None:
        self.pages = QStackedWidget()
        for page in (self.scroll, self.empty, self.nothing):
            self.pages.addWidget(page)
        self.wait = WaitStack(self.theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = column(spacing=0)
        layout.addWidget(head)
        layout.addWidget(self.filters)
        layout.addLayout(told)
        layout.addWidget(self.thinking)
        layout.addWidget(self.wait, 1)
        self.setLayout(layout)
        for before, after in pairwise((self.think, self.where, self.which)):
            QWidget.setTabOrder(before, after)


def _by_itself(needed: int) -> str:
    return ntr("It does so by itself after {n} message.", "It does so by itself after {n} messages.", needed)
