"""Compares two prompts: layer by layer, and line by line in the order in which the model reads them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from familiar_app.domain.trace import LayerTrace, PromptTrace, TracedMessage

Mark = Literal[" ", "-", "+"]
LayerState = Literal["same", "changed", "added", "removed", "moved"]

_FIELDS = ("model", "provider", "mode", "channel", "tokens", "context_tokens", "answer_tokens", "known_at", "as_of")


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line that stands in both prompts (` `), only in the first (`-`) or only in the second (`+`)."""

    mark: Mark
    text: str
    layer: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class LayerChange:
    """What became of one layer. `moved` says the same text in another place; tokens are None where it is missing."""

    name: str
    state: LayerState
    tokens_a: int | None
    tokens_b: int | None
    lines: tuple[LineChange, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two prompts beside each other. `facts` are the other things that differ: name, first, second."""

    layers: tuple[LayerChange, ...]
    lines: tuple[LineChange, ...]
    facts: tuple[tuple[str, str, str], ...]

    @property
    def same(self) -> bool:
        """Whether the model reads the same."""
        return all(line.mark == " " for line in self.lines)


_Line = tuple[str, str, int | None]


def compare(a: PromptTrace, b: PromptTrace) -> Comparison:
    """Compare two traces. Costs a line-wise difference of the prompts: milliseconds for some hundred lines."""
    return Comparison(
        layers=tuple(_layers(a, b)),
        lines=tuple(_changes(_lines(a.messages), _lines(b.messages))),
        facts=tuple(_facts(a, b)),
    )


def _lines(parts: Iterable[TracedMessage]) -> list[_Line]:
    """Return the lines of a prompt with where each comes from; what separates messages is no line."""
    return [(line, part.layer, part.turn) for part in parts for line in part.content.strip("\n").split("\n")]


def _changes(a: Sequence[_Line], b: Sequence[_Line]) -> Iterable[LineChange]:
    # Without `autojunk` a line that stands often (an empty one) still counts.
    matcher = difflib.SequenceMatcher(None, [line[:2] for line in a], [line[:2] for line in b], autojunk=False)
    for state, a1, a2, b1, b2 in matcher.get_opcodes():
        if state == "equal":
            yield from (LineChange(" ", *line) for line in b[b1:b2])
        else:
            yield from (LineChange("-", *line) for line in a[a1:a2])
            yield from (LineChange("+", *line) for line in b[b1:b2])


def _layers(a: PromptTrace, b: PromptTrace) -> Iterable[LayerChange]:
    """Tell of every layer of either prompt: in the second's order, then those that only the first has."""
    first, second = {layer.name: layer for layer in a.layers}, {layer.name: layer for layer in b.layers}
    stayed = _unmoved([name for name in first if name in second], [name for name in second if name in first])
    for name in [*second, *(name for name in first if name not in second)]:
        was, now = first.get(name), second.get(name)
        lines = tuple(_changes(_text_lines(was), _text_lines(now)))
        yield LayerChange(
            name=name,
            state=_state(was, now, name in stayed),
            tokens_a=None if was is None else was.tokens,
            tokens_b=None if now is None else now.tokens,
            lines=lines,
        )


def _state(was: LayerTrace | None, now: LayerTrace | None, stayed: bool) -> LayerState:
    if was is None:
        return "added"
    if now is None:
        return "removed"
    if was.text != now.text:
        return "changed"
    return "same" if stayed else "moved"


def _unmoved(a: Sequence[str], b: Sequence[str]) -> set[str]:
    """Return the names that keep their order, as many as can be."""
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    return {name for block in matcher.get_matching_blocks() for name in a[block.a : block.a + block.size]}


def _text_lines(layer: LayerTrace | None) -> list[_Line]:
    if layer is None or not layer.text:
        return []
    return [(line, layer.name, None) for line in layer.text.split("\n")]


def _facts(a: PromptTrace, b: PromptTrace) -> Iterable[tuple[str, str, str]]:
    pairs = [(name, getattr(a, name), getattr(b, name)) for name in _FIELDS]
    names = dict.fromkeys((*a.sampling, *b.sampling))
    pairs += [(f"sampling.{name}", a.sampling.get(name), b.sampling.get(name)) for name in names]
    return ((name, _told(one), _told(other)) for name, one, other in pairs if one != other)


def _told(value: object) -> str:
    return "" if value is None else str(value)
