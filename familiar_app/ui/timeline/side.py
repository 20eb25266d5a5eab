"""What the Timeline shows in the side view: one fact, several of them, a comparison of two moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QScrollArea, QVBoxLayout, QWidget

from familiar_app.domain.fact import FactId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.chip import ChipButton
from familiar_app.ui.kit.fact_detail import Chip, Detail
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, line, row
from familiar_app.ui.timeline.word import KINDS, SIGNS, Difference

Go = Callable[[str, str], object]
Deed = Callable[[str], object]
MOST_SHOWN = 500
EDIT, RETIRE = ("edit", tr_later("Change…")), ("retire", tr_later("Retire"))
ABOUT, RESTORE = ("about", tr_later("About somebody else…")), ("restore", tr_later("Restore"))
MERGE, REDATE = ("merge", tr_later("Merge into one…")), ("redate", tr_later("Change dates…"))


class Page(QScrollArea):
    """A column that scrolls up and down only."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.inside = QWidget()
        self.column: QVBoxLayout = column(margins=16, spacing=8)
        self.inside.setLayout(self.column)
        self.setWidget(self.inside)


class FactPage(Page):
    """One fact: what it is, when, where from, what followed, what can be done. `offers` tells if a panel exists."""

    def __init__(self, detail: Detail, go: Go, do: Deed, *, offers: Callable[[str], bool]) -> None:
        super().__init__(tr("Details of the fact"))
        self._go, self._offers = go, offers
        add = self.column.addWidget
        add(label(detail.fact.text, wrap=True, selectable=True))
        if detail.about:
            add(label(tr("About {people}", people=", ".join(detail.about)), "quiet", wrap=True))
        self._pairs(detail.facts)
        add(line())
        add(label(tr("When"), "strong"))
        add(label(tr("True in the world: {period}", period=detail.world), wrap=True))
        for one in detail.beliefs:
            add(label(one, "quiet", wrap=True))
        add(line())
        empty = tr("Nothing but your word.") if detail.fact.origin == "owner" else ""
        self._chips(tr("Where from"), detail.sources, empty)
        self._chips(tr("Took the place of"), detail.replaced)
        self._chips(tr("Followed by"), detail.successors)
        if detail.reason:
            add(label(tr("Because: {reason}", reason=detail.reason), "quiet", wrap=True))
        self._chips(tr("Reflections that rest on it"), detail.reflections)
        add(line())
        self._actions(detail, do)
        self.column.addStretch(1)

    def _pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        for name, value in pairs:
            self.column.addWidget(label(tr("{name}: {value}", name=name, value=value), "faint", wrap=True))

    def _chips(self, title: str, chips: Sequence[Chip], empty: str = "") -> None:
        if not chips and not empty:
            return
        self.column.addWidget(label(title, "strong"))
        if not chips:
            self.column.addWidget(label(empty, "quiet", wrap=True))
        for one in chips:
            if one.note:
                self.column.addWidget(label(one.note, "faint"))
            if not self._offers(one.panel):
                self.column.addWidget(label(one.text, "quiet", wrap=True))
                continue
            self.column.addWidget(ChipButton(one.text, lambda one=one: self._go(one.panel, one.key)))

    def _actions(self, detail: Detail, do: Deed) -> None:
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        for word, title in (RESTORE,) if detail.retired else (EDIT, ABOUT, RETIRE):
            flow.addWidget(button(tr(title), lambda word=word: do(word)))
        self.column.addWidget(holder)


class ManyPage(Page):
    """Several chosen facts, and what can be done to all of them at once."""

    def __init__(self, texts: Sequence[str], whole: int, *, retired: int, do: Deed) -> None:
        super().__init__(tr("Chosen facts"))
        add = self.column.addWidget
        believed = whole - retired
        add(label(tr("{believed} believed, {retired} retired", believed=believed, retired=retired), "quiet", wrap=True))
        for text in texts:
            add(label(f"• {text}", wrap=True))
        if whole > len(texts):
            add(label(tr("And {n} more.", n=whole - len(texts)), "faint"))
        add(line())
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        deeds = [MERGE] if believed > 1 else []
        deeds += [ABOUT, REDATE, RETIRE] if believed else []
        deeds += [RESTORE] if retired else []
        for word, title in deeds:
            flow.addWidget(button(tr(title), lambda word=word: do(word)))
        add(holder)
        self.column.addStretch(1)


class ComparePage(QWidget):
    """What B has gained, changed and lost against A. Return on a line chooses its fact."""

    def __init__(
        self, a: str, b: str, found: Sequence[Difference], *, choose: Callable[[FactId], object], do: Deed
    ) -> None:
        super().__init__()
        layout = column(margins=16, spacing=8)
        layout.addWidget(label(f"A: {a}", wrap=True))
        layout.addWidget(label(f"B: {b}", wrap=True))
        kinds = [one.kind for one in found]
        gained, changed, lost = (kinds.count(kind) for kind in ("gained", "changed", "lost"))
        told = tr("{gained} gained, {changed} changed, {lost} lost", gained=gained, changed=changed, lost=lost)
        layout.addWidget(label(told, "quiet", wrap=True))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Differences between A and B"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        for one in found[:MOST_SHOWN]:
            before = "\n" + tr("before: {words}", words=one.before) if one.prior is not None else ""
            item = QListWidgetItem(f"{SIGNS[one.kind]} {one.text}{before}")
            item.setData(Qt.ItemDataRole.UserRole, one.fact)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{tr(KINDS[one.kind])}: {one.text}{before}")
            self.list.addItem(item)
        self.list.itemActivated.connect(lambda item: choose(FactId(item.data(Qt.ItemDataRole.UserRole))))
        layout.addWidget(self.list, 1)
        if len(found) > MOST_SHOWN:
            more = tr("And {n} more; a copy and an export have them all.", n=len(found) - MOST_SHOWN)
            layout.addWidget(label(more, "faint", wrap=True))
        if not found:
            layout.addWidget(label(tr("Nothing differs."), "quiet"))
        steps = row(spacing=8)
        for word, title in (("compare_copy", tr("Copy")), ("compare_export", tr("Export…"))):
            steps.addWidget(button(title, lambda word=word: do(word)))
        steps.addStretch(1)
        layout.addLayout(steps)
        self.setLayout(layout)
