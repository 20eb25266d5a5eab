"""The tester below the table: a text on the left, what fires and what nearly does on the right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QListView, QPlainTextEdit, QSplitter, QWidget

from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.icon import icon
from familiar_app.ui.kit.label import ElidedLabel, column, label, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.entry_rows import one_line
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.tester import TrialModel
from familiar_app.ui.lorebook.tip import plain_tip
from familiar_app.ui.lorebook.trial import Verdict

MOST_NEARLY = 200


class VerdictModel(QAbstractListModel):
    """Entries that fired, in the order of the prompt, then those that nearly did."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.verdicts: list[Verdict] = []

    def put(self, verdicts: list[Verdict]) -> None:
        """Show other verdicts."""
        self.beginResetModel()
        self.verdicts = verdicts
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.verdicts)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole):
        if not index.isValid() or not 0 <= index.row() < len(self.verdicts):
            return None
        one, roles = self.verdicts[index.row()], Qt.ItemDataRole
        if role in (roles.DisplayRole, roles.AccessibleTextRole):
            place = f"{index.row() + 1}. " if one.fires else ""
            return f"{place}{one_line(one.name)} — {one_line(one.why)}"
        if role == roles.ToolTipRole:
            return plain_tip(f"{one.name}\n{one.why}")
        if role == roles.DecorationRole:
            return icon(self._theme, "check", "good") if one.fires else icon(self._theme, "info", "warning")
        if role == roles.ForegroundRole:
            return self._theme.color("text_1" if one.fires else "text_2")
        return None


class TesterView(QWidget):
    """`typed` tells of another text, `chosen` carries the id of an entry, `take_turns` fills in the chat's turns."""

    typed = Signal()
    chosen = Signal(object)

    def __init__(self, theme: Theme, tester: TrialModel, take_turns: Callable[[], object]) -> None:
        super().__init__()
        self._tester = tester
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Text to test")
        self.text.setPlaceholderText("Type something that could be said. Entries that it wakes show at once.")
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._changed)
        self.turns = button("Take the last turns", take_turns, theme=theme, icon="chat")
        self.clear = button("Clear", self.text.clear)
        self.model = VerdictModel(theme)
        self.model.setParent(self)
        self.list = QListView()
        self.list.setAccessibleName("What fires and why")
        self.list.setModel(self.model)
        self.list.setWordWrap(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setIconSize(QSize(theme.px(16), theme.px(16)))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.activated.connect(self._open)
        self.list.clicked.connect(self._open)
        self.summary = ElidedLabel("", "quiet")
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self._left())
        self.split.addWidget(self._right())
        self.split.setSizes([400, 600])
        layout = column(spacing=0)
        layout.addWidget(self.split)
        self.setLayout(layout)

    def _left(self) -> QWidget:
        made = QWidget()
        layout = column(spacing=8)
        layout.setContentsMargins(16, 8, 8, 12)
        head = row(spacing=8)
        head.addWidget(label("Tester", "strong"))
        head.addStretch(1)
        head.addWidget(self.turns)
        head.addWidget(self.clear)
        layout.addLayout(head)
        layout.addWidget(self.text, 1)
        made.setLayout(layout)
        return made

    def _right(self) -> QWidget:
        made = QWidget()
        layout = column(spacing=8)
        layout.setContentsMargins(8, 12, 8, 8)
        layout.addWidget(self.summary)
        layout.addWidget(self.list, 1)
        made.setLayout(layout)
        return made

    def show_text(self) -> None:
        """Show the text the tester was filled with."""
        if self.text.toPlainText() != self._tester.text:
            self.text.setPlainText(self._tester.text)
            self.text.verticalScrollBar().setValue(self.text.verticalScrollBar().maximum())

    def show_trial(self) -> None:
        """Show the newest outcome."""
        trial = self._tester.trial
        nearly = list(trial.nearly[:MOST_NEARLY])
        self.model.put([*trial.fired, *nearly])
        if not self._tester.messages():
            self.summary.set_text("Nothing to test yet.")
            return
        fired, near = len(trial.fired), len(trial.nearly)
        words = f"{fired:,} {'entry fires' if fired == 1 else 'entries fire'}"
        words += f", {near:,} nearly" if near else ""
        words += f". {trial.used_tokens:,} of {trial.budget_tokens:,} tokens."
        if trial.overflowed:
            words += " The budget is used up."
        self.summary.set_text(words)

    def _changed(self) -> None:
        text = self.text.toPlainText()
        if text != self._tester.text:
            self._tester.put_text(text)
            self.typed.emit()

    def _open(self, index: QModelIndex) -> None:
        if index.isValid() and index.row() < len(self.model.verdicts):
            uid: Uid = self.model.verdicts[index.row()].uid
            self.chosen.emit(uid)
