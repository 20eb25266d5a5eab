"""The parts of the timeline's view and how they are laid out; what happens in them is in `view`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSplitter, QStackedWidget, QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.kit.wait import WaitStack
from familiar_app.ui.timeline.axis import Axis, Overview
from familiar_app.ui.timeline.belief_list import BeliefTable
from familiar_app.ui.timeline.canvas import Canvas
from familiar_app.ui.timeline.controls import Controls
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.square_view import SquareView

EVERYBODY = tr_later("Everybody")
_LEARNED = tr_later("What is learned in conversations appears here, with when it was true and when it was believed.")
_BY_ITSELF = tr_later(
    "It comes by itself: after some messages, or when the chat has been quiet for a while, the model in the background "
    "reads them and notes facts. One can also be added by hand."
)
_WEAK = tr_later(
    "The small model that comes along draws no memory by itself, because it would make things up. A better model does; "
    "a fact can also be added by hand with + above."
)


class TimelineParts(QWidget):
    """Picture, axis and overview with the controls at the left, the beliefs at the right, the head above.

    `weak` tells that memory is not drawn by itself.
    """

    do: Callable[[str], None]
    """Does something by its word; the class that is built on this one has it."""

    def __init__(self, theme: Theme, model: TimelineModel, *, weak: bool) -> None:
        super().__init__()
        surface(self, 1)
        self.theme, self.model = theme, model
        self.notice = Notice(theme)
        self._make_picture()
        self._make_filter()
        self._make_empty(weak=weak)
        self._lay_out()

    def _make_picture(self) -> None:
        theme, model = self.theme, self.model
        self.canvas, self.square = Canvas(theme, model), SquareView(theme, model)
        self.axis = Axis(theme, model, self.canvas.span)
        self.overview = Overview(theme, model, self.canvas.span)
        self.controls = Controls(theme, model, lambda word: self.do(word))
        self.beliefs = BeliefTable(theme, model, copy=lambda: self.do("copy"))
        self.beliefs.deed.connect(lambda word: self.do(word))
        self.asked = label("", "quiet", wrap=True)
        self.counts = label("", "faint", wrap=True)
        self.count = label("", "faint")

    def _make_filter(self) -> None:
        self.search = SearchField(self.theme, tr("Search facts"))
        for given in (self.search.next_wanted, self.search.given_up):
            given.connect(self.beliefs.setFocus)
        self.search.setMinimumWidth(self.theme.px(100))
        self.people = QComboBox()
        self.people.setAccessibleName(tr("Whom the facts are about"))
        self.people.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.people.setMinimumContentsLength(8)
        self.people.addItem(tr(EVERYBODY), "")

    def _make_empty(self, *, weak: bool) -> None:
        word, step = ("choose_model", tr("Choose a model")) if weak else ("add", tr("Add a fact"))
        text = f"{tr(_LEARNED)} {tr(_WEAK if weak else _BY_ITSELF)}"
        self.empty = EmptyState(self.theme, "timeline", tr("No facts yet"), text, step=step, run=lambda: self.do(word))
        self.nothing = EmptyState(
            self.theme,
            "search",
            tr("No fact matches"),
            tr("No fact has this text and these people."),
            step=tr("Show all facts"),
            run=lambda: self.do("clear_filter"),
        )

    def _lay_out(self) -> None:
        head = PanelHeader(self.theme, tr("Timeline"))
        head.add(self.count)
        self.buttons = {
            word: icon_button(self.theme, icon, name, lambda word=word: self.do(word), shortcut=key)
            for word, icon, name, key in (
                ("add", "plus", tr("Add a fact"), "Ctrl+N"),
                ("undo", "undo", tr("Undo"), "Ctrl+Z"),
                ("redo", "redo", tr("Redo"), "Ctrl+Shift+Z"),
                ("read", "file", tr("The picture in words"), ""),
            )
        }
        for made in (*self.buttons.values(), self.people, self.search):
            head.add_end(made)
        self.pages = QStackedWidget()
        for page in (self._whole(), self.empty, self.nothing):
            self.pages.addWidget(page)
        self.wait = WaitStack(self.theme, self.pages, rows=12)
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = column(spacing=0)
        layout.addWidget(head)
        layout.addLayout(told)
        layout.addWidget(self.wait, 1)
        self.setLayout(layout)
        self._order()

    def _order(self) -> None:
        """Let Tab go as the eye does: head, picture, axis, controls, beliefs."""
        parts = [*self.buttons.values(), self.people, self.search, self.canvas, self.square, self.axis]
        parts += [*self.controls.focusable(), self.beliefs]
        for before, after in pairwise(parts):
            QWidget.setTabOrder(before, after)

    def _whole(self) -> QWidget:
        self.shapes = QStackedWidget()
        self.lanes_page = QWidget()
        lanes = column(spacing=0)
        lanes.addWidget(self.canvas, 1)
        lanes.addWidget(self.axis)
        self.lanes_page.setLayout(lanes)
        self.shapes.addWidget(self.lanes_page)
        self.shapes.addWidget(self.square)
        picture = QWidget()
        left = column(spacing=0)
        left.addWidget(self.shapes, 1)
        left.addWidget(self.overview)
        left.addWidget(self.controls)
        picture.setLayout(left)
        listed = self.listed = QWidget()
        right = column(spacing=4)
        right.setContentsMargins(12, 8, 12, 0)
        right.addWidget(label(tr("Beliefs at this moment"), "strong", wrap=True))
        right.addWidget(self.asked)
        right.addWidget(self.counts)
        right.addWidget(self.beliefs, 1)
        listed.setLayout(right)
        listed.setMinimumWidth(self.theme.px(220))
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self.across.setChildrenCollapsible(False)
        self.across.setHandleWidth(1)
        self.across.addWidget(picture)
        self.across.addWidget(listed)
        self.across.setSizes([700, 330])
        self.across.setStretchFactor(0, 3)
        self.across.setStretchFactor(1, 1)
        return self.across
