"""How full the model's context is: a figure without Qt, and the thin bar over the field one writes in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from familiar_app.conversation.meter import DRAFT
from familiar_app.domain.text import number, tr
from familiar_app.domain.trace import PromptTrace
from familiar_app.ui.kit.label import label, row, set_role
from familiar_app.ui.kit.layer_bar import BarPiece, LayerBar
from familiar_app.ui.kit.prompt_word import meter, words
from familiar_app.ui.kit.theme import Theme

if TYPE_CHECKING:
    from familiar_app.conversation.meter import Meter as DraftMeter

NEARLY_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Meter:
    """The tokens of a prompt in the model's context; `parts` are pairs of a layer and its tokens.

    With `draft` it is the prompt that the message being written would get; the message itself is the last part.
    """

    tokens: int
    context_tokens: int
    exact: bool
    answer_tokens: int = 0
    parts: tuple[tuple[str, int], ...] = ()
    draft: bool = False

    @property
    def room(self) -> int:
        """What the context has without the answer."""
        return max(1, self.context_tokens - self.answer_tokens)

    @property
    def full(self) -> bool:
        """Whether older turns will have to go."""
        return self.tokens > self.room

    def told(self) -> str:
        """Say it in a sentence."""
        text = meter(self.tokens, self.context_tokens, exact=self.exact)
        if self.full:
            return tr("With this message {amount}: older turns will be left out.", amount=text)
        if self.draft:
            return tr("With this message the prompt takes {amount}.", amount=text)
        return tr("The last prompt took {amount}.", amount=text)


def meter_of_trace(trace: PromptTrace) -> Meter:
    """Return how full the context was with a prompt."""
    parts = tuple((one.name, one.tokens) for one in trace.layers)
    return Meter(trace.tokens, trace.context_tokens, trace.exact_tokens, trace.answer_tokens, parts)


def meter_of_draft(measured: DraftMeter) -> Meter:
    """Return how full the context would be with a message that is being written."""
    parts = tuple((one.layer, one.tokens) for one in measured.parts)
    drafted = any(one.layer == DRAFT and one.tokens for one in measured.parts)
    return Meter(measured.tokens, measured.context_tokens, measured.exact, measured.answer_tokens, parts, drafted)


class ContextMeter(QWidget):
    """A bar of the layers and a number. Hidden while there is nothing to tell."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.bar = LayerBar(theme, height=4)
        self.text = label("", "faint")
        layout = row(spacing=8)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.text)
        self.setLayout(layout)
        self.hide()

    def show_meter(self, value: Meter | None) -> None:
        """Show a figure, or nothing before there was one."""
        self.setVisible(value is not None)
        if value is None:
            return
        self.bar.show_pieces(_pieces(value), context=value.context_tokens, answer=value.answer_tokens)
        self.text.setText(_short(value))
        set_role(self.text, "warning" if value.tokens > NEARLY_FULL * value.room else "faint")
        told = value.told()
        self.text.setToolTip(told)
        self.setAccessibleName(tr("Context: {told}", told=told))


def _pieces(value: Meter) -> Sequence[BarPiece]:
    if not value.parts:
        return [BarPiece(tr("prompt"), value.tokens, 0)]
    # Hues go to what is there, as in the inspector.
    shown = [(name, tokens) for name, tokens in value.parts if tokens]
    return [BarPiece(_name(name), tokens, hue) for hue, (name, tokens) in enumerate(shown)]


def _name(layer: str) -> str:
    return tr("draft") if layer == DRAFT else words(layer)


def _short(value: Meter) -> str:
    sign = "" if value.exact else "≈ "
    return f"{sign}{_thousands(value.tokens)} / {_thousands(value.context_tokens)}"


def _thousands(count: int) -> str:
    return str(count) if count < 1000 else tr("{n}k", n=number(count / 1000, 1))
