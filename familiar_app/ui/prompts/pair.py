"""Two prompts beside each other: rows that belong together, what became of each layer, and an answer to each.

Knows nothing of Qt.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from familiar_app.context.prompt import AssembledPrompt
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.trace_diff import Comparison, LayerChange, LineChange, compare
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.prompts.sheet import shown_text

PairMark = Literal["same", "changed", "only_left", "only_right", "folded"]
LEFT, RIGHT = 0, 1
MOST_MISSING = 4
AROUND = 2
"""So many equal lines are shown around each difference while the others are folded away."""

Make = Callable[[], Awaitable[AssembledPrompt]]
AnswerState = Literal["none", "then", "asking", "done", "stopped", "failed", "silent"]


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
        told = {
            "none": "Not asked yet",
            "then": "The answer then",
            "asking": "Answering…",
            "done": "Asked again",
            "stopped": "Stopped",
            "failed": "The model failed",
            "silent": "Chose to stay silent",
        }[self.state]
        return f"{told} · {self.note}" if self.note else told


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
            return "The model reads the same in both."
        changed = sum(row.mark != "same" for row in self._rows)
        lines = "1 line differs" if changed == 1 else f"{changed:,} lines differ"
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
            f"{words(name)}: {a or 'none'} → {b or 'none'}"
            for name, a, b in self.comparison.facts
            if name != "known_at" or not same_moment
        ]
        return told + self._missing()[:MOST_MISSING]

    def _missing(self) -> list[str]:
        """Say what the right alone had to leave out, such as a search that was not possible yet."""
        known = {(layer.name, one.what, one.reason) for layer in self.left.trace.layers for one in layer.left_out}
        return [
            f"left out at the right: {words(one.what)} ({one.reason})"
            for layer in self.right.trace.layers
            for one in layer.left_out
            if (layer.name, one.what, one.reason) not in known
        ]


def layer_line(change: LayerChange) -> str:
    """Say what became of a layer."""
    title = words(change.name)
    if change.state == "changed":
        return f"{title} {change.tokens_a or 0:,} → {change.tokens_b or 0:,} tokens"
    return f"{title} {change.state}"


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
    text = "1 line is the same" if count == 1 else f"{count:,} lines are the same"
    return PairRow(text, text, "folded", "", count)
