"""Search and replace in the side view: what would change is listed while it is typed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QListWidget, QListWidgetItem, QWidget

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.lorebook.control import ChoiceBox
from familiar_app.ui.lorebook.entry_rows import one_line
from familiar_app.ui.lorebook.replacing import FIELDS, Plan, Wanted
from familiar_app.ui.lorebook.tip import plain_tip
from familiar_app.ui.lorebook.word import lore_word
from familiar_app.ui.lorebook.wrapped import wrap_rows

LOOK_AFTER_MS = 150
MOST_SHOWN = 300
SCOPES = (
    ("all", tr_later("In all entries")),
    ("rows", tr_later("In the entries that are shown")),
    ("selected", tr_later("In the chosen entries")),
)


class ReplaceView(QWidget):
    """`look(wanted, scope)` works out what would change and calls `show_plan`; `use` does it, `choose` shows one."""

    def __init__(
        self,
        scope: str,
        look: Callable[[Wanted, str], object],
        use: Callable[[Plan], object],
        choose: Callable[[object], object],
    ) -> None:
        super().__init__()
        self.setAccessibleName(tr("Search and replace"))
        self._look, self._use = look, use
        self._plan = Plan()
        self.find = line_edit(name=tr("Search for"))
        self.put = line_edit(name=tr("Replace with"))
        self.pattern = QCheckBox(tr("Pattern"))
        self.pattern.setToolTip(tr("A regular expression; \\1 in the replacement is its first group."))
        self.capitals = QCheckBox(tr("Capitals count"))
        self.fields = {name: QCheckBox(lore_word(title)) for name, title in FIELDS}
        for one in self.fields.values():
            one.setChecked(True)
        self.scope = ChoiceBox()
        self.scope.setAccessibleName(tr("Where"))
        for name, title in SCOPES:
            self.scope.addItem(tr(title), name)
        self.scope.setCurrentIndex([name for name, _title in SCOPES].index(scope))
        self.told = label("", "quiet", wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("What would change"))
        wrap_rows(self.list)
        self.list.itemActivated.connect(lambda item: choose(item.data(Qt.ItemDataRole.UserRole)))
        self.do = button(tr("Replace"), lambda: self._use(self._plan), role="primary")
        self._lay_out()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(LOOK_AFTER_MS)
        self._soon.timeout.connect(self.ask)
        for text in (self.find, self.put):
            text.textChanged.connect(lambda _text: self._soon.start())
        for box in (self.pattern, self.capitals, *self.fields.values()):
            box.toggled.connect(lambda _on: self.ask())
        self.scope.activated.connect(lambda _number: self.ask())
        self.show_plan(Plan())

    def _lay_out(self) -> None:
        layout = column(margins=16, spacing=8)
        for title, widget in ((tr("Search for"), self.find), (tr("Replace with"), self.put)):
            heading = label(title, "strong")
            heading.setBuddy(widget)
            layout.addWidget(heading)
            layout.addWidget(widget)
        for box in (self.pattern, self.capitals, *self.fields.values()):
            box.setAccessibleName(box.text())
            layout.addWidget(box)
        layout.addWidget(self.scope)
        layout.addWidget(self.told)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.do, 0, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(layout)

    def wanted(self) -> Wanted:
        """Return what was typed."""
        fields = frozenset(name for name, box in self.fields.items() if box.isChecked())
        return Wanted(self.find.text(), self.put.text(), self.pattern.isChecked(), self.capitals.isChecked(), fields)

    def ask(self) -> None:
        """Have it worked out what would change."""
        self._soon.stop()
        self._look(self.wanted(), self.scope.currentData())

    def show_plan(self, plan: Plan) -> None:
        """Show what would change."""
        self._plan = plan
        self.list.clear()
        for place in plan.places[:MOST_SHOWN]:
            text = f"{one_line(place.entry)} · {place.where}\n{one_line(place.before)}\n→ {one_line(place.after)}"
            item = QListWidgetItem(text)
            item.setToolTip(plain_tip(f"{place.before}\n→ {place.after}"))
            item.setData(Qt.ItemDataRole.UserRole, place.uid)
            self.list.addItem(item)
        entries = len(plan.changes)
        self.told.setText(self._told(plan, entries))
        self.do.setText(ntr("Replace in {n} entry", "Replace in {n} entries", entries) if entries else tr("Replace"))
        self.do.setAccessibleName(self.do.text())
        self.do.setEnabled(bool(entries))

    def _told(self, plan: Plan, entries: int) -> str:
        if plan.problem:
            return plan.problem
        if not self.find.text():
            return tr("What would change is listed here before anything is changed.")
        if not entries:
            return tr("Nothing would change.")
        places = ntr(
            "{n} place {in_entries}.",
            "{n} places {in_entries}.",
            plan.count,
            in_entries=ntr("in {n} entry", "in {n} entries", entries),
        )
        more = tr("The first {count} are listed.", count=MOST_SHOWN) if len(plan.places) > MOST_SHOWN else ""
        return f"{places} {more}".rstrip()
