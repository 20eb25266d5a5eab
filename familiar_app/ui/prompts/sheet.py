"""A prompt as one text to read, line by line, with what each line belongs to. Knows nothing of Qt.

Between the messages stand headings that are not part of the prompt, between layers empty lines; neither is of a piece.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from familiar_app.domain.trace import PromptTrace, TracedMessage
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.prompts.item_word import opened

# What a text field would take for the end of a paragraph, or for marks of its own.
_BREAK = re.compile(r"\r\n|[\r\u2028\u2029]")
_MARKS = str.maketrans({"\ufdd0": "\ufffd", "\ufdd1": "\ufffd", "\ufffc": "\ufffd"})


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines that came from one layer into one message. `hue` counts the layers in their order."""

    layer: str
    hue: int
    role: str
    turn: int | None
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring pieces of one layer: what folds as one."""

    layer: str
    hue: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """The lines and what they are. `heads` are the numbers of headings and of the empty lines between layers."""

    lines: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    runs: tuple[Run, ...] = ()
    heads: frozenset[int] = frozenset()
    _starts: tuple[int, ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def piece_at(self, line: int) -> Piece | None:
        """Return what a line belongs to, None for a heading."""
        at = bisect.bisect_right(self._starts, line) - 1
        found = self.pieces[at] if at >= 0 else None
        return found if found is not None and line < found.end else None

    def run_at(self, line: int) -> Run | None:
        """Return the run a line belongs to, headings between its messages included; None for the others."""
        return next((run for run in self.runs if run.first <= line < run.end), None)

    def first_line(self, layer: str) -> int | None:
        """Return the first line of a layer, None where it sent nothing."""
        return next((run.first for run in self.runs if run.layer == layer), None)

    def line_of_turn(self, turn: int) -> int | None:
        """Return the first line of a turn that stands in the prompt."""
        return next((piece.first for piece in self.pieces if piece.turn == turn), None)


def sheet_of(trace: PromptTrace) -> Sheet:
    """Lay out a prompt."""
    return _Layout(layer_names(trace)).lay(trace.messages)


def layer_names(trace: PromptTrace) -> list[str]:
    """Return the layers in the order of their hues: those that sent something first, so that few hues stand twice."""
    full, empty = [[one.name for one in trace.layers if bool(one.tokens) is sent] for sent in (True, False)]
    return list(dict.fromkeys([*full, *(one.layer for one in trace.messages), *empty]))


def shown_text(text: str) -> str:
    """Return a text whose lines a text field counts as we do."""
    return _BREAK.sub("\n", text).translate(_MARKS)


class _Layout:
    def __init__(self, layers: Sequence[str]) -> None:
        self._hues = {name: number for number, name in enumerate(layers)}
        self._lines: list[str] = []
        self._pieces: list[Piece] = []
        self._heads: set[int] = set()

    def lay(self, parts: Sequence[TracedMessage]) -> Sheet:
        for part in parts:
            self._add(part, continues=part.joined and bool(self._lines))
        starts = tuple(piece.first for piece in self._pieces)
        return Sheet(tuple(self._lines), tuple(self._pieces), self._runs(), frozenset(self._heads), starts)

    def _add(self, part: TracedMessage, *, continues: bool) -> None:
        text = shown_text(part.content)
        if continues:
            # A joined part begins with the line end that parts it from the one before.
            head, _, rest = text.partition("\n")
            if head or not _:
                self._lines[-1] += head
            new = rest.split("\n") if _ else []
        else:
            if self._lines:
                self._lines.append("")
                self._heads.add(len(self._lines) - 1)
            self._heads.add(len(self._lines))
            self._lines.append(opened(words(part.role)))
            new = text.split("\n")
        first = len(self._lines)
        self._lines += new
        while continues and first < len(self._lines) - 1 and not self._lines[first]:
            # What parts it from the layer before belongs to neither.
            self._heads.add(first)
            first += 1
        if new:
            hue = self._hues[part.layer]
            self._pieces.append(Piece(part.layer, hue, part.role, part.turn, first, len(self._lines)))

    def _runs(self) -> tuple[Run, ...]:
        runs: list[Run] = []
        for piece in self._pieces:
            last = runs[-1] if runs else None
            if (
                last is not None
                and last.layer == piece.layer
                and all(line in self._heads for line in range(last.end, piece.first))
            ):
                runs[-1] = Run(last.layer, last.hue, last.first, piece.end)
            else:
                runs.append(Run(piece.layer, piece.hue, piece.first, piece.end))
        return tuple(runs)
