"""The tester below the table: a text or a moment of the chat on the left, what fires and why on the right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractListModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QListView, QPlainTextEdit, QSlider, QSplitter, QTextEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.icon import icon
from familiar_app.ui.kit.label import ElidedLabel, column, label, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.control import ChoiceBox
from familiar_app.ui.lorebook.entry_rows import one_line
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.tester import TrialModel
from familiar_app.ui.lorebook.tip import plain_tip
from familiar_app.ui.lorebook.trial import Verdict
from familiar_app.ui.lorebook.wrapped import wrap_rows

MANY = 400


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
            if one.fires:
                return icon(self._theme, "check", "good")
            return icon(self._theme, "info", "warning") if one.near else icon(self._theme, "close", "text_3")
        if role == roles.ForegroundRole:
            return self._theme.color("text_1" if one.fires else "text_2")
        return None


class TesterView(QWidget):
    """`typed` tells of another text, `chosen` carries the id of an entry; `take_turns` and `save_case` do so."""

    typed = Signal()
    chosen = Signal(object)

    def __init__(
        self, theme: Theme, tester: TrialModel, take_turns: Callable[[], object], save_case: Callable[[], object]
    ) -> None:
        super().__init__()
        self._theme, self._tester = theme, tester
        self._current: Uid | None = None
        self._make_left(take_turns)
        self._make_right(save_case)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self._left())
        self.split.addWidget(self._right())
        self.split.setSizes([400, 600])
        layout = column(spacing=0)
        layout.addWidget(self.split)
        self.setLayout(layout)
        self.show_moment()

    def _make_left(self, take_turns: Callable[[], object]) -> None:
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(tr("Text to test"))
        self.text.setPlaceholderText(tr("Type something that could be said. Entries that it wakes show at once."))
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._changed)
        self.wanted_channel = ""
        self._take_turns = take_turns
        self.turns = button(tr("Last turns"), lambda: self._take(""), theme=self._theme, icon="chat")
        self.turns.setToolTip(tr("Take the last turns of the chat that is open."))
        self.clear = icon_button(self._theme, "close", tr("Clear the text"), self.text.clear)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Moment of the chat"))
        self.slider.setToolTip(tr("Go back through the chat; at the right end is its newest turn."))
        self.slider.valueChanged.connect(lambda value: self._tester.go_back(self._tester.most_back - value))
        self.moment = ElidedLabel("", "faint")
        self.channels = ChoiceBox()
        self.channels.setAccessibleName(tr("Channel"))
        self.channels.setMinimumContentsLength(4)
        self.channels.activated.connect(lambda number: self._take(self._tester.said.channels[number][0]))

    def _make_right(self, save_case: Callable[[], object]) -> None:
        theme = self._theme
        self.model = VerdictModel(theme)
        self.model.setParent(self)
        self.list = QListView()
        self.list.setAccessibleName(tr("What fires and why"))
        self.list.setModel(self.model)
        wrap_rows(self.list)
        self.list.setIconSize(QSize(theme.px(16), theme.px(16)))
        self.list.activated.connect(self._open)
        self.list.clicked.connect(self._open)
        self.summary = ElidedLabel("", "quiet")
        self.before = icon_button(theme, "chevron_left", tr("Pass before"), lambda: self._step(-1))
        self.after = icon_button(theme, "chevron_right", tr("Pass after"), lambda: self._step(1))
        self.every = icon_button(theme, "eye", tr("List every entry, with the reason why not"), checkable=True)
        self.every.toggled.connect(self._tester.show_every)
        self.save = icon_button(theme, "save", tr("Save as a case…"), save_case)

    def _left(self) -> QWidget:
        made = QWidget()
        layout = column(spacing=8)
        layout.setContentsMargins(16, 8, 8, 12)
        head = row(spacing=8)
        head.addWidget(label(tr("Tester"), "strong"))
        head.addStretch(1)
        head.addWidget(self.turns)
        head.addWidget(self.clear)
        layout.addLayout(head)
        layout.addWidget(self.text, 1)
        when = row(spacing=8)
        when.addWidget(self.channels)
        when.addWidget(self.slider, 1)
        when.addWidget(self.moment, 3)
        layout.addLayout(when)
        made.setLayout(layout)
        return made

    def _right(self) -> QWidget:
        made = QWidget()
        layout = column(spacing=4)
        layout.setContentsMargins(8, 8, 8, 8)
        head = row(spacing=8)
        head.addWidget(self.summary, 1)
        for one in (self.before, self.after, self.every, self.save):
            head.addWidget(one)
        layout.addLayout(head)
        layout.addWidget(self.list, 1)
        made.setLayout(layout)
        return made

    # ---- showing

    def show_text(self) -> None:
        """Show the text the tester was filled with."""
        if self.text.toPlainText() != self._tester.text:
            self.text.blockSignals(True)
            self.text.setPlainText(self._tester.text)
            self.text.blockSignals(False)
            self.text.verticalScrollBar().setValue(self.text.verticalScrollBar().maximum())

    def show_moment(self) -> None:
        """Show which moment of the chat the text is, if it is one."""
        tester = self._tester
        on = bool(tester.said.moments)
        self.channels.setVisible(on and len(tester.said.channels) > 1)
        self.slider.setVisible(on)
        self.moment.setVisible(on)
        if not on:
            return
        self.channels.clear()
        for _key, title in tester.said.channels:
            self.channels.addItem(title)
        keys = [key for key, _title in tester.said.channels]
        self.channels.setCurrentIndex(keys.index(tester.said.channel) if tester.said.channel in keys else -1)
        self.slider.blockSignals(True)
        self.slider.setRange(0, tester.most_back)
        self.slider.setValue(tester.most_back - tester.back)
        self.slider.blockSignals(False)
        self.moment.set_text(tester.moment_words())
        self.slider.setAccessibleDescription(tester.moment_words())

    def show_trial(self) -> None:
        """Show the newest outcome, or the part of it that is wanted."""
        tester = self._tester
        verdicts = tester.listed()
        # Rows of equal height are laid out at once; thousands of wrapped ones would hold the window up.
        self.list.setUniformItemSizes(len(verdicts) > MANY)
        self.list.setWordWrap(len(verdicts) <= MANY)
        self.model.put(verdicts)
        self.summary.set_text(tester.summary())
        passes = len(tester.trial.passes)
        for one in (self.before, self.after):
            one.setVisible(passes > 1 or tester.step > 0)
        self.before.setEnabled(tester.step > 0)
        self.after.setEnabled(passes > 0 and tester.step < passes)
        self.every.setEnabled(tester.step == 0)
        self.save.setEnabled(tester.trial.run is not None)
        self.show_current(self._current)

    def show_current(self, uid: Uid | None) -> None:
        """Mark in the text what woke the entries, and most of all the one in the form."""
        self._current = uid
        marked = []
        for start, end, verdict in self._tester.marks():
            made = QTextEdit.ExtraSelection()
            made.cursor = QTextCursor(self.text.document())
            made.cursor.setPosition(_in_utf16(self._tester.text, start))
            made.cursor.setPosition(_in_utf16(self._tester.text, end), QTextCursor.MoveMode.KeepAnchor)
            made.format = self._format(verdict, strong=verdict.uid == uid)
            marked.append(made)
        self.text.setExtraSelections(marked)

    def _format(self, verdict: Verdict, *, strong: bool) -> QTextCharFormat:
        made = QTextCharFormat()
        color: QColor = self._theme.color("good" if verdict.fires else "warning")
        made.setForeground(color)
        made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        made.setUnderlineColor(color)
        if strong:
            made.setBackground(self._theme.color("background_3"))
        return made

    def _take(self, channel: str) -> None:
        self.wanted_channel = channel
        self._take_turns()

    def _step(self, step: int) -> None:
        self._tester.go_to(self._tester.step + step)

    def _changed(self) -> None:
        text = self.text.toPlainText()
        if text != self._tester.text:
            self._tester.put_text(text)
            self.typed.emit()

    def _open(self, index: QModelIndex) -> None:
        if index.isValid() and index.row() < len(self.model.verdicts):
            uid: Uid = self.model.verdicts[index.row()].uid
            self.chosen.emit(uid)


def _in_utf16(text: str, at: int) -> int:
    """Return a place in a text as Qt counts it, where characters beyond the first plane are two."""
    return len(text[:at].encode("utf-16-le")) // 2
