"""The middle of the panel: the layers as a stack, the search, and the prompt as it was sent."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.find_bar import FindBar
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.layer_bar import BarPiece, LayerBar
from familiar_app.ui.kit.prompt_word import meter
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.model import PromptsModel
from familiar_app.ui.prompts.sheet_view import SheetView
from familiar_app.ui.prompts.stack_view import StackView


class Middle(QWidget):
    """Shows the open prompt of a `PromptsModel`; `show_source` goes where the line under the cursor came from."""

    def __init__(self, theme: Theme, model: PromptsModel, show_source: Callable[[], object]) -> None:
        super().__init__()
        self._model, self._divided = model, False
        self.bar = LayerBar(theme)
        self.told = label("", "faint", wrap=True)
        self.stack = StackView(theme)
        self.finder = FindBar(theme, tr("Find in this prompt"), (tr("Previous hit"), tr("Next hit")))
        self.sheet = SheetView(theme)
        self.stack.chosen.connect(model.choose_layer)
        self.stack.fold_wanted.connect(model.toggle_fold)
        self.sheet.line_chosen.connect(model.choose_line)
        self.sheet.fold_wanted.connect(model.toggle_fold)
        self.sheet.opened.connect(show_source)
        self.finder.wanted.connect(model.search)
        self.finder.stepped.connect(model.step_hit)
        self.finder.closed.connect(self.close_find)
        self._lay_out()

    def heard(self, what: str) -> None:
        """Follow a change of the model."""
        model = self._model
        if what == "opened":
            self._show_opened()
        elif what == "layer":
            self._choose(model.layer)
            self.sheet.go_to_line(model.line)
        elif what == "line":
            self._choose(model.layer)
        elif what == "folds":
            self.sheet.show_folds(model.folded)
        elif what == "find":
            self.sheet.show_hits(model.find)
            self.finder.show_counter(model.find.counter())

    def begin_find(self) -> None:
        """Open the search, with what is marked as its text."""
        marked = self.sheet.textCursor().selectedText()
        if marked and "\u2029" not in marked:
            self.finder.field.setText(marked)
        self.finder.begin()
        self._model.search(self.finder.field.text())

    def close_find(self) -> None:
        """Close the search and go on reading."""
        self.finder.hide()
        self._model.search("")
        self.sheet.setFocus()

    def _show_opened(self) -> None:
        model, stack = self._model, self._model.stack
        pieces = [BarPiece(one.title, one.tokens, one.hue) for one in stack.rows]
        if not pieces:
            # Work in the background has no layers: its prompt is one piece.
            pieces = [BarPiece(tr("Prompt"), stack.tokens, 0)]
        self.bar.show_pieces(pieces, context=stack.context, answer=stack.answer)
        told = meter(stack.tokens, stack.context, exact=stack.exact)
        self.told.setText(
            tr(
                "Context: {told} · {answer} for the answer · {free} free",
                told=told,
                answer=stack.answer,
                free=stack.free,
            )
        )
        self.stack.show_stack(stack, model.layer)
        for widget in (self.stack, self.stack.head):
            widget.setVisible(bool(stack.rows))
        if not self._divided:
            upper = self.split.widget(0).sizeHint().height()
            self.split.setSizes([upper, max(1, self.split.height() - upper)])
        self.sheet.show_sheet(model.sheet)
        self._choose(model.layer)
        if model.find.text:
            self.sheet.show_hits(model.find)
            self.finder.show_counter(model.find.counter())

    def _choose(self, layer: str) -> None:
        self.stack.select(layer)
        self.sheet.show_layer(layer)
        row = self._model.stack.row(layer)
        self.bar.show_chosen(row.hue if row is not None else -1)

    def _divide(self) -> None:
        """From now on the person's own division holds."""
        self._divided = True

    def _lay_out(self) -> None:
        over = QWidget()
        upper = column(spacing=6)
        upper.setContentsMargins(12, 12, 12, 4)
        upper.addWidget(self.bar)
        upper.addWidget(self.told)
        upper.addWidget(self.stack.head)
        upper.addWidget(self.stack, 1)
        over.setLayout(upper)
        under = QWidget()
        lower = column(spacing=0)
        lower.addWidget(self.finder)
        lower.addWidget(self.sheet, 1)
        under.setLayout(lower)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(over)
        self.split.addWidget(under)
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.split.splitterMoved.connect(lambda *_: self._divide())
        layout = column(spacing=0)
        layout.addWidget(self.split, 1)
        self.setLayout(layout)
