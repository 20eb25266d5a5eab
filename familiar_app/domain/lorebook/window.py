"""The text that entries are matched against: messages in reach, opted-in sources, injections, recursed content.

Pieces are joined by a line end and U+0001, which no key of several words can span. Literal keys are looked up piece by
piece; the joined text is built for patterns alone, once for each distinct reach.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from familiar_app.domain.lorebook.entry import SOURCES
from familiar_app.domain.lorebook.keytable import KeyTable, LiteralKey
from familiar_app.domain.lorebook.pattern import KeyPattern, TimeAllowance, trim
from familiar_app.domain.lorebook.rules import Rules
from familiar_app.domain.lorebook.scanner import Miss, Scanner, Span, find_literal
from familiar_app.domain.lorebook.scene import MAX_DEPTH, Scene

MARK = "\x01"
_JOINT = "\n" + MARK


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of searched text. `kind` is message, source, injection or recursion.

    `index` counts messages from the oldest, and other kinds in the order in which they are searched.
    """

    kind: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """Where a key matched: the offsets are within the piece."""

    piece: Piece
    start: int
    end: int

    def to_json(self) -> dict[str, Any]:
        """Return the place as JSON values."""
        return {"where": self.piece.kind, "index": self.piece.index, "start": self.start, "end": self.end}


@dataclass(slots=True)
class Reader:
    """What windows share during one evaluation. `slow` collects the patterns that ran out of time."""

    table: KeyTable
    scanner: Scanner
    rules: Rules
    allowance: TimeAllowance
    slow: set[int]


class Window:
    """The pieces that one reach covers, and which keys they hold. `before` is a window that this one prolongs."""

    def __init__(self, reader: Reader, pieces: Sequence[Piece], before: Window | None = None) -> None:
        self._reader = reader
        self._before = before
        self._own = pieces
        self.pieces: Sequence[Piece] = [*before.pieces, *pieces] if before else pieces
        self._patterns: dict[int, Match | None] = {}

    @cached_property
    def hits(self) -> dict[int, tuple[Piece, Span]]:
        """Literal keys by number, with their first match."""
        merged: dict[int, tuple[Piece, Span]] = dict(self._before.hits) if self._before else {}
        for piece in self._own:
            for number, span in self._reader.scanner.scan(piece.text).hits.items():
                if number not in merged:
                    merged[number] = (piece, span)
        return merged

    @cached_property
    def near(self) -> dict[int, tuple[Piece, Span, Miss]]:
        """Literal keys that are there in other letters' case or inside a longer word."""
        merged: dict[int, tuple[Piece, Span, Miss]] = {}
        for piece in self.pieces:
            for number, (span, miss) in self._reader.scanner.scan(piece.text).near.items():
                merged.setdefault(number, (piece, span, miss))
        return merged

    @cached_property
    def text(self) -> str:
        """The joined text; empty where nothing is in reach."""
        return MARK + _JOINT.join(piece.text for piece in self.pieces) if self.pieces else ""

    def find(self, number: int | None) -> Match | None:
        """Return where a key first matches."""
        if number is None:
            return None
        hit = self.hits.get(number)
        if hit is not None:
            return Match(hit[0], *hit[1])
        form = self._reader.table.forms[number]
        if isinstance(form, KeyPattern):
            return self._find_pattern(number, form)
        return self._find_late(number, form)

    def _find_late(self, number: int, form: LiteralKey) -> Match | None:
        """Look for a key that came up after the automaton was built, or for a blank one."""
        if not form.text:
            return Match(self.pieces[0] if self.pieces else Piece("nothing", 0, ""), 0, 0)
        if number < self._reader.scanner.size:
            return None
        for piece in self.pieces:
            span = find_literal(form, piece.text, unicode_words=self._reader.rules.unicode_words)
            if span is not None:
                return Match(piece, *span)
        return None

    def _find_pattern(self, number: int, form: KeyPattern) -> Match | None:
        if number not in self._patterns:
            self._patterns[number] = self._search_pattern(number, form)
        return self._patterns[number]

    def _search_pattern(self, number: int, form: KeyPattern) -> Match | None:
        if number in self._reader.slow:
            return None
        try:
            span = self._reader.allowance.search(form, self.text)
        except TimeoutError:
            self._reader.slow.add(number)
            return None
        return None if span is None else self._place(span)

    def _place(self, span: Span) -> Match:
        if not self.pieces:
            return Match(Piece("nothing", 0, ""), *span)
        starts = [1]
        for piece in self.pieces[:-1]:
            starts.append(starts[-1] + len(piece.text) + len(_JOINT))
        index = max(bisect_right(starts, span[0]) - 1, 0)
        return Match(self.pieces[index], max(span[0] - starts[index], 0), max(span[1] - starts[index], 0))


@dataclass(frozen=True, slots=True)
class PassState:
    """What a pass knows before it starts. `depth` already includes the widening by min activations."""

    number: int
    recursing: bool
    level: int
    depth: int
    windows: Windows


class Surroundings:
    """The pieces that do not change during one evaluation."""

    def __init__(self, scene: Scene) -> None:
        self._texts = scene.messages
        self.count = len(scene.messages)
        self.injections = [Piece("injection", n, text) for n, text in enumerate(scene.injections)]
        self.sources = {
            name: Piece("source", n, scene.sources[name]) for n, name in enumerate(SOURCES) if scene.sources.get(name)
        }

    def messages(self, start: int, stop: int) -> list[Piece]:
        """Return messages counted from the newest, which is 0."""
        last = self.count - 1
        return [Piece("message", last - n, trim(self._texts[last - n])) for n in range(start, min(stop, self.count))]


class Windows:
    """Makes the windows of one pass, one for each distinct reach. `earlier` are those of the pass before."""

    def __init__(
        self, reader: Reader, around: Surroundings, recursed: Sequence[str], earlier: Windows | None = None
    ) -> None:
        self._reader = reader
        self._around = around
        self._recursed = [Piece("recursion", n, text) for n, text in enumerate(recursed)]
        self._made: dict[tuple[int, tuple[str, ...]], Window] = {}
        self._plain: dict[tuple[int, tuple[str, ...]], Window] = earlier._plain if earlier else {}
        self._beyond: dict[int, Window] = earlier._beyond if earlier else {}

    def get(self, depth: int, sources: tuple[str, ...]) -> Window:
        """Return the window over the newest `depth` messages and these sources."""
        depth = min(max(depth, 0), MAX_DEPTH)
        reach = (min(depth, self._around.count + 1), sources)
        if reach not in self._made:
            if reach not in self._plain:
                self._plain[reach] = Window(self._reader, self._pieces(depth, sources))
            blind = depth == 0 and self._reader.rules.depth_zero_is_blind
            plain = self._plain[reach]
            self._made[reach] = Window(self._reader, self._recursed, plain) if self._recursed and not blind else plain
        return self._made[reach]

    def beyond(self, depth: int) -> Window:
        """Return a window over the messages that are too old for `depth`, newest first."""
        depth = max(depth, 0)
        if depth not in self._beyond:
            self._beyond[depth] = Window(self._reader, self._around.messages(depth, self._around.count))
        return self._beyond[depth]

    def _pieces(self, depth: int, sources: tuple[str, ...]) -> list[Piece]:
        if depth == 0 and self._reader.rules.depth_zero_is_blind:
            return []
        around = self._around
        pieces = around.messages(0, depth)
        if not pieces and depth:
            pieces = [Piece("message", 0, "")]
        pieces += [around.sources[name] for name in SOURCES if name in sources and name in around.sources]
        return pieces + around.injections
