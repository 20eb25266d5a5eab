"""Two prompts beside each other: rows that belong together, what became of each layer, and an answer to each.

Knows nothing of Qt.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from familiar_app.context.prompt import AssembledPrompt
from familiar_app.domain.text import ntr, number, ptr, tr, tr_later
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.trace_diff import Comparison, LayerChange, LineChange, compare
from familiar_app.domain.trace_word import error_text, reason_text
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.prompts.sheet import shown_text
from familiar_app.ui.prompts.stack import left_out_what

PairMark = Literal["same", "changed", "only_left", "only_right", "folded"]
LEFT, RIGHT = 0, 1
_STOPPED = "stopped"
MOST_MISSING = 4
AROUND = 2
"""So many equal lines are shown around each difference while the others are folded away."""

Make = Callable[[], Awaitable[AssembledPrompt]]
AnswerState = Literal["none", "then", "asking", "done", "stopped", "failed", "silent"]
_CAPTIONS: Mapping[AnswerState, str] = {
    "none": tr_later("Not asked yet"),
    "then": tr_later("The answer then"),
    "asking": tr_later("Answering…"),
    "done": tr_later("Asked again"),
    "stopped": tr_later("Stopped"),
    "failed": tr_later("The model failed"),
    "silent": tr_later("Chose to stay silent"),
}
_FACTS: Mapping[str, str] = {
    "model": tr_later("model"),
    "provider": tr_later("provider"),
    "mode": tr_later("mode"),
    "channel": tr_later("channel"),
    "tokens": tr_later("tokens"),
    "context_tokens": tr_later("context tokens"),
    "answer_tokens": tr_later("answer tokens"),
    "known_at": tr_later("known at"),
    "as_of": tr_later("as of"),
}


_LAYERS: Mapping[str, str] = {
    "same": tr_later("{layer} same"),
    "added": tr_later("{layer} added"),
    "removed": tr_later("{layer} removed"),
    "moved": tr_later("{layer} moved"),
}


@dataclass(frozen=True, slots=True)
class PairRow:
    """A line of each prompt, None where one has nothing there. `count` is the number of folded lines."""

    left: str | None
    right: str | None
    mark: PairMark
    layer: str = ""
    count: int = 0


@dataclass(slots=True)
class Answer:
    """What a model said to one of the two. `then` is the answer that was given at the time."""

    text: str = ""
    state: AnswerState = "none"
    note: str = ""

    @property
    def caption(self) -> str:
        """What it is, in words."""
        told = tr(_CAPTIONS[self.state])
        return f"{told} · {self.note}" if self.note else told

    def finish(self, trace: PromptTrace) -> None:
        """Take in how the answer ended."""
        if trace.error == _STOPPED:
            self.state = "stopped"
        elif trace.error:
            self.state, self.note = "failed", error_text(trace.error)
        elif trace.silent:
            self.state, self.text = "silent", ""
        else:
            self.state, self.text = "done", trace.answer or self.text
        usage = trace.usage or {}
        if self.state == "done" and usage.get("completion_tokens"):
            self.note = tr("{n} tokens", n=int(usage["completion_tokens"]))


@dataclass(slots=True)
class Side:
    """One of the two prompts. `make` builds it again to be asked; None where that cannot be done."""

    title: str
    trace: PromptTrace
    make: Make | None = None
    answer: Answer = field(default_factory=Answer)

    def __post_init__(self) -> None:
        if self.trace.silent:
            self.answer = Answer("", "silent")
        elif self.trace.answer:
            self.answer = Answer(self.trace.answer, "then")


@dataclass(slots=True)
class Pair:
    """Two sides and their differences."""

    left: Side
    right: Side
    comparison: Comparison = field(init=False)
    whole: bool = False
    _rows: tuple[PairRow, ...] = ()

    def __post_init__(self) -> None:
        self.comparison = compare(self.left.trace, self.right.trace)
        self._rows = tuple(pair_rows(self.comparison.lines))

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.left, self.right

    def rows(self) -> list[PairRow]:
        """Return the rows to show: all of them, or the differences with a little around."""
        return list(self._rows) if self.whole else list(folded(self._rows))

    def summary(self) -> str:
        """Say how the two differ."""
        if self.comparison.same:
            return tr("The model reads the same in both.")
        changed = sum(row.mark != "same" for row in self._rows)
        lines = ntr("{n} line differs", "{n} lines differ", changed)
        layers = [layer_line(one) for one in self.comparison.layers if one.state != "same"]
        return f"{lines} · {' · '.join(layers)}" if layers else lines

    def answers_text(self) -> str:
        """Return both answers under their titles."""
        return "\n\n".join(f"{side.title} ({side.answer.caption}):\n{side.answer.text}" for side in self.sides)

    def facts(self) -> list[str]:
        """Name what else differs."""
        left, right = self.left.trace, self.right.trace
        # A prompt that is made again is made as of its own moment: that is no difference.
        same_moment = (left.known_at or left.at) == (right.known_at or right.at)
        told = [
            tr(
                "{name}: {before} → {after}",
                name=fact_name(name),
                before=fact_value(name, a),
                after=fact_value(name, b),
            )
            for name, a, b in self.comparison.facts
            if name != "known_at" or not same_moment
        ]
        return told + self._missing()[:MOST_MISSING]

    def _missing(self) -> list[str]:
        """Say what the right alone had to leave out, such as a search that was not possible yet."""
        known = {(layer.name, one.what, one.reason) for layer in self.left.trace.layers for one in layer.left_out}
        return [
            tr("left out at the right: {what} ({reason})", what=left_out_what(one), reason=reason_text(one.reason))
            for layer in self.right.trace.layers
            for one in layer.left_out
            if (layer.name, one.what, one.reason) not in known
        ]


def layer_line(change: LayerChange) -> str:
    """Say what became of a layer."""
    layer = words(change.name)
    if change.state == "changed":
        before, after = change.tokens_a or 0, change.tokens_b or 0
        return tr("{layer} {before} → {after} tokens", layer=layer, before=before, after=after)
    return tr(_LAYERS[change.state], layer=layer)


def fact_name(name: str) -> str:
    """Name something else that two prompts differ in; `sampling.seed` is a setting of the draw."""
    return tr(_FACTS[name]) if name in _FACTS else words(name.removeprefix("sampling."))


def fact_value(name: str, value: str) -> str:
    """Write what one of the two has there."""
    if not value:
        return ptr("what one of two prompts has", "none")
    return number(int(value)) if name.endswith("tokens") and value.isdecimal() else value


def pair_rows(lines: Sequence[LineChange]) -> Iterator[PairRow]:
    """Put lines that replace each other into one row."""
    gone: list[LineChange] = []
    come: list[LineChange] = []
    for line in lines:
        if line.mark == " ":
            yield from _hunk(gone, come)
            gone, come = [], []
            text = shown_text(line.text)
            yield PairRow(text, text, "same", line.layer)
        elif line.mark == "-":
            if come:
                yield from _hunk(gone, come)
                gone, come = [], []
            gone.append(line)
        else:
            come.append(line)
    yield from _hunk(gone, come)


def _hunk(gone: Sequence[LineChange], come: Sequence[LineChange]) -> Iterator[PairRow]:
    for at in range(max(len(gone), len(come))):
        left = gone[at] if at < len(gone) else None
        right = come[at] if at < len(come) else None
        mark: PairMark = "changed" if left and right else "only_left" if left else "only_right"
        shown = left or right
        yield PairRow(
            shown_text(left.text) if left else None,
            shown_text(right.text) if right else None,
            mark,
            shown.layer if shown else "",
        )


def folded(rows: Sequence[PairRow]) -> Iterator[PairRow]:
    """Return the rows with long equal stretches folded into one."""
    near: set[int] = set()
    for at, row in enumerate(rows):
        if row.mark != "same":
            near.update(range(at - AROUND, at + AROUND + 1))
    hidden = 0
    for at, row in enumerate(rows):
        if at in near:
            if hidden:
                yield _fold(hidden)
                hidden = 0
            yield row
        else:
            hidden += 1
    if hidden:
        yield _fold(hidden)


def _fold(count: int) -> PairRow:
    text = ntr("{n} line is the same", "{n} lines are the same", count)
    return PairRow(text, text, "folded", "", count)
