"""Search and replace in the side view: what would change is listed while it is typed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QListView, QListWidget, QListWidgetItem, QWidget

from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.lorebook.control import ChoiceBox
from familiar_app.ui.lorebook.entry_rows import one_line
from familiar_app.ui.lorebook.replacing import FIELDS, Plan, Wanted
from familiar_app.ui.lorebook.tip import plain_tip

LOOK_AFTER_MS = 150
MOST_SHOWN = 300
SCOPES = (("all", "In all entries"), ("rows", "In the entries that are shown"), ("selected", "In the chosen entries"))


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
        self.setAccessibleName("Search and replace")
        self._look, self._use = look, use
        self._plan = Plan()
        self.find = line_edit(name="Search for")
        self.put = line_edit(name="Replace with")
        self.pattern = QCheckBox("Pattern")
        self.pattern.setToolTip(r"A regular expression; \1 in the replacement is its first group.")
        self.capitals = QCheckBox("Capitals count")
        self.fields = {name: QCheckBox(title) for name, title in FIELDS}
        for one in self.fields.values():
            one.setChecked(True)
        self.scope = ChoiceBox()
        self.scope.setAccessibleName("Where")
        for name, title in SCOPES:
            self.scope.addItem(title, name)
        self.scope.setCurrentIndex([name for name, _title in SCOPES].index(scope))
        self.told = label("", "quiet", wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName("What would change")
        self.list.setWordWrap(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemActivated.connect(lambda item: choose(item.data(Qt.ItemDataRole.UserRole)))
        self.do = button("Replace", lambda: self._use(self._plan), role="primary")
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
        for title, widget in (("Search for", self.find), ("Replace with", self.put)):
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
        in_entries = f"in {entries:,} {'entry' if entries == 1 else 'entries'}"
        if plan.problem:
            self.told.setText(plan.problem)
        elif not self.find.text():
            self.told.setText("What would change is listed here before anything is changed.")
        elif not entries:
            self.told.setText("Nothing would change.")
        else:
            more = f" The first {MOST_SHOWN} are listed." if len(plan.places) > MOST_SHOWN else ""
            self.told.setText(f"{plan.count:,} {'place' if plan.count == 1 else 'places'} {in_entries}.{more}")
        self.do.setText(f"Replace {in_entries}" if entries else "Replace")
        self.do.setAccessibleName(self.do.text())
        self.do.setEnabled(bool(entries))
