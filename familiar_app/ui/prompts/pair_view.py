"""Two prompts beside each other, how they differ, and what a model says to each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QPlainTextEdit, QSplitter, QWidget

from familiar_app.domain.text import ptr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import ElidedLabel, column, label, row
from familiar_app.ui.kit.layer_bar import BarPiece, LayerBar
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.pair import Pair, Side
from familiar_app.ui.prompts.pair_table import PairTable
from familiar_app.ui.prompts.sheet import layer_names
from familiar_app.ui.prompts.stack import stack_of


class AnswerView(QWidget):
    """The answer to one side, called `name`; `go` says what its button asks. Sends `ask_wanted` and `stop_wanted`."""

    ask_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, theme: Theme, name: str, go: str) -> None:
        super().__init__()
        self.title = ElidedLabel("", "strong")
        self.bar = LayerBar(theme, height=6)
        self.caption = label("", "faint", wrap=True)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(name)
        self.text.setPlaceholderText(tr("The model's answer will stand here."))
        self.go = button(tr("Ask"), self._press)
        self.go.setAccessibleName(go)
        self._asking = False
        over = row(spacing=8)
        over.addWidget(self.caption, 1)
        over.addWidget(self.go)
        layout = column(spacing=6)
        layout.addWidget(self.title)
        layout.addWidget(self.bar)
        layout.addLayout(over)
        layout.addWidget(self.text, 1)
        self.setLayout(layout)

    def show_side(self, side: Side, layers: Sequence[str]) -> None:
        """Show a side and its answer as far as it has come. The places in `layers` give the hues."""
        self.title.set_text(side.title)
        stack = stack_of(side.trace)
        pieces = [BarPiece(one.title, one.tokens, layers.index(one.name)) for one in stack.rows]
        self.bar.show_pieces(pieces, context=stack.context, answer=stack.answer)
        self.show_answer(side)

    def show_answer(self, side: Side) -> None:
        """Show how far the answer has come."""
        answer = side.answer
        self._asking = answer.state == "asking"
        self.caption.setText(answer.caption)
        shown = self.text.toPlainText()
        if answer.text.startswith(shown) and shown:
            cursor = self.text.textCursor()
            cursor.movePosition(cursor.MoveOperation.End)
            cursor.insertText(answer.text[len(shown) :])
        elif answer.text != shown:
            self.text.setPlainText(answer.text)
        again = answer.state in ("then", "done", "stopped", "failed", "silent")
        self.go.setText(tr("Stop") if self._asking else tr("Ask again") if again else tr("Ask"))
        self.go.setVisible(side.make is not None)

    def _press(self) -> None:
        (self.stop_wanted if self._asking else self.ask_wanted).emit()


class PairView(QWidget):
    """Sends `ask_wanted` and `stop_wanted` with 0 (left) or 1 (right), and words for everything else as `deed`."""

    ask_wanted = Signal(int)
    stop_wanted = Signal(int)
    whole_wanted = Signal(bool)
    deed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.summary = label("", wrap=True, selectable=True)
        self.facts = label("", "faint", wrap=True, selectable=True)
        self.whole = QCheckBox(tr("Show equal lines"))
        self.whole.toggled.connect(self.whole_wanted)
        self.both = button(tr("Ask both"), lambda: self.deed.emit("ask_both"), role="primary")
        self.keep = button(
            tr("Keep at the left"), lambda: self.deed.emit("take_left"), tip=tr("Compare the next trial with it")
        )
        self.back = button(
            tr("Close the comparison"), lambda: self.deed.emit("end_pair"), tip=ptr("key of the keyboard", "Esc")
        )
        self.table = PairTable(theme)
        self.answers = (
            AnswerView(theme, tr("Answer to the prompt at the left"), tr("Ask the model with the prompt at the left")),
            AnswerView(
                theme, tr("Answer to the prompt at the right"), tr("Ask the model with the prompt at the right")
            ),
        )
        for number, view in enumerate(self.answers):
            view.ask_wanted.connect(lambda number=number: self.ask_wanted.emit(number))
            view.stop_wanted.connect(lambda number=number: self.stop_wanted.emit(number))
        self._lay_out()

    def show_pair(self, pair: Pair) -> None:
        """Show a pair and its answers."""
        self.summary.setText(pair.summary())
        self.facts.setText(" · ".join(pair.facts()))
        self.facts.setVisible(bool(pair.comparison.facts))
        self.whole.blockSignals(True)
        self.whole.setChecked(pair.whole)
        self.whole.blockSignals(False)
        self.table.show_rows(pair.rows(), (pair.left.title, pair.right.title))
        layers = list(dict.fromkeys(name for side in pair.sides for name in layer_names(side.trace)))
        for view, side in zip(self.answers, pair.sides, strict=True):
            view.show_side(side, layers)
        self.both.setVisible(all(side.make is not None for side in pair.sides))
        self.keep.setVisible(pair.right.trace.id is None)

    def show_answers(self, pair: Pair) -> None:
        """Show how far the answers have come."""
        for view, side in zip(self.answers, pair.sides, strict=True):
            view.show_answer(side)

    def _lay_out(self) -> None:
        steps = QWidget()
        flow = FlowLayout(steps, spacing=8)
        for widget in (self.both, self.keep, self.back, self.whole):
            flow.addWidget(widget)
        head = column(spacing=6)
        head.setContentsMargins(16, 12, 16, 4)
        head.addWidget(self.summary)
        head.addWidget(self.facts)
        head.addWidget(steps)
        below = QWidget()
        answers = row(spacing=16)
        answers.setContentsMargins(16, 8, 16, 12)
        for view in self.answers:
            answers.addWidget(view, 1)
        below.setLayout(answers)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.table)
        self.split.addWidget(below)
        layout = column(spacing=4)
        layout.addLayout(head)
        layout.addWidget(self.split, 1)
        self.setLayout(layout)
