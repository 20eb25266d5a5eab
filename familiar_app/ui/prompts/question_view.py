"""Two questions: why is this not in the prompt, and would it be said there?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.domain.turn import ChannelSummary
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.field import SearchField, line_edit
from familiar_app.ui.kit.label import column, label, line, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.item_word import item_word
from familiar_app.ui.prompts.question import AudienceQuestion, WhyNotQuestion, named_line
from familiar_app.ui.prompts.row_table import Column, RowTable

SEARCH_AFTER_MS = 220


class WhyNotView(QWidget):
    """Sends `typed` a moment after typing, and `asked` with a kind and an id."""

    typed = Signal(str)
    asked = Signal(str, object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.search = SearchField(theme, tr("A turn, a fact, an entry…"))
        self.search.setAccessibleName(tr("Why is this not in the prompt?"))
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SEARCH_AFTER_MS)
        self._soon.timeout.connect(lambda: self.typed.emit(self.search.text()))
        self.search.textChanged.connect(lambda _text: self._soon.start())
        self.table = RowTable(
            theme,
            tr("What has these words"),
            [Column(tr("Found"), named_line, 0, tip=lambda named: named_line(named)[:600])],
        )
        self.table.horizontalHeader().hide()
        self.table.current_changed.connect(lambda _index: self._ask())
        self.search.next_wanted.connect(self._go_down)
        self.verdict = label("", wrap=True, selectable=True)
        layout = column(spacing=8)
        layout.addWidget(label(tr("Why is this not in the prompt?"), "strong", wrap=True))
        layout.addWidget(label(tr("Name it by some of its words; the verdict stands below."), "faint", wrap=True))
        layout.addWidget(self.search)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.verdict)
        self.setLayout(layout)

    def show_question(self, question: WhyNotQuestion, zone: tzinfo, *, possible: bool) -> None:
        """Show what was found, and the answer."""
        self.setEnabled(possible)
        if tuple(self.table.rows.rows) != question.found:
            self.table.fill(question.found)
            self.table.setCurrentIndex(self.table.rows.index(-1, 0))
        told = question.told(zone)
        if not told and question.text:
            told = tr("Choose one to learn why.") if question.found else tr("Nothing has these words.")
        self.verdict.setText(told)
        self.verdict.setAccessibleName(told or tr("No answer yet"))

    def _go_down(self) -> None:
        self.table.setFocus()
        if self.table.rows.rows:
            self.table.setCurrentIndex(self.table.rows.index(0, 0))

    def _ask(self) -> None:
        named = self.table.current()
        if named is not None:
            self.asked.emit(named.kind, named.id)


class AudienceView(QWidget):
    """Sends `asked` with a channel's summary and a text."""

    asked = Signal(object, str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._channels: Sequence[ChannelSummary] = ()
        self.channel = QComboBox()
        self.channel.setAccessibleName(tr("Where it would be said"))
        self.channel.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.channel.setMinimumContentsLength(8)
        self.text: QLineEdit = line_edit("", placeholder=tr("What is asked there"), name=tr("What is asked there"))
        self.text.returnPressed.connect(self._ask)
        self.go = button(tr("Ask"), self._ask)
        self.summary = label("", "quiet", wrap=True)
        self.table = RowTable(
            theme,
            tr("What memory has on this"),
            [
                Column(
                    tr("Told"),
                    lambda one: tr("told") if one.told else tr("held back"),
                    0,
                    lambda one: "good" if one.told else "warning",
                    lambda one: one.why,
                    words=(tr("told"), tr("held back")),
                ),
                Column(tr("Kind"), lambda one: item_word(one.kind, one.id), 82, lambda _one: "text_2"),
                Column(tr("Text"), lambda one: one.text[:300], 0, tip=lambda one: f"{one.text[:600]}\n{one.why}"),
            ],
        )
        fields = row(spacing=8)
        fields.addWidget(self.text, 1)
        fields.addWidget(self.go)
        layout = column(spacing=8)
        layout.addWidget(label(tr("Would it say this there?"), "strong", wrap=True))
        intro = tr("What memory would tell in a channel, and what it would hold back.")
        layout.addWidget(label(intro, "faint", wrap=True))
        layout.addWidget(self.channel)
        layout.addLayout(fields)
        layout.addWidget(self.summary)
        layout.addWidget(self.table, 1)
        self.setLayout(layout)

    def show_channels(self, channels: Sequence[ChannelSummary]) -> None:
        """Offer these channels, with the same one chosen as before."""
        if [one.channel.id for one in channels] == [one.channel.id for one in self._channels]:
            return
        chosen = self.channel.currentText()
        self._channels = tuple(channels)
        self.channel.clear()
        self.channel.addItems([channel_title(one.channel) for one in channels])
        self.channel.setCurrentIndex(max(0, self.channel.findText(chosen)))

    def show_question(self, question: AudienceQuestion) -> None:
        """Show what would be told and what held back."""
        self.summary.setText(question.summary)
        self.table.fill(question.rows)

    def _ask(self) -> None:
        at = self.channel.currentIndex()
        if 0 <= at < len(self._channels) and self.text.text().strip():
            self.asked.emit(self._channels[at], self.text.text().strip())


class QuestionView(QWidget):
    """Both questions, one above the other."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.why_not, self.audience = WhyNotView(theme), AudienceView(theme)
        layout = column(spacing=12)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addWidget(self.why_not, 1)
        layout.addWidget(line())
        layout.addWidget(self.audience, 1)
        self.setLayout(layout)
