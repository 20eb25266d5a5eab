"""What a search found: things with their words marked, in groups by kind. Knows nothing of Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from familiar_app.domain.text import tr
from familiar_app.ui.search.wanted import KINDS, more_words

FEW = 5
"""So many of a kind are shown while all kinds are."""
LONGEST = 220
_BEFORE = 40
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """One thing. `title` says whose or what it is, `place` where it was, `note` what one has to know about it.

    `ways` are panels with the place of the thing in them, the best one first; `("turn", ID)` stands for the place of
    a turn in the chat.
    """

    kind: str
    id: str
    title: str
    text: str
    ways: tuple[tuple[str, str], ...]
    at: datetime | None = None
    place: str = ""
    note: str = ""
    title_spans: Spans = ()
    text_spans: Spans = ()


@dataclass(frozen=True, slots=True)
class Group:
    """What was found of one kind, as much of it as is shown; `more` is how many are not, `cut` that nobody counted."""

    kind: str
    found: tuple[Found, ...]
    count: int
    cut: bool = False

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.count - len(self.found)

    @property
    def heading(self) -> str:
        """The kind and how many there are."""
        kind = tr(KINDS[self.kind])
        if self.cut:
            return tr("{kind} · {n} or more", kind=kind, n=self.count)
        return tr("{kind} · {n}", kind=kind, n=self.count)

    @property
    def rest(self) -> str:
        """What the row says that shows the others."""
        return more_words(self.kind, self.more)


def group(kind: str, found: Sequence[Found], *, few: bool, cut: bool = False) -> Group:
    """Make the group of a kind, with `few` only of its first things; one more is not worth a row that says so."""
    most = FEW if few and len(found) > FEW + 1 else len(found)
    return Group(kind, tuple(found[:most]), len(found), cut)


def excerpt(text: str, words: Sequence[str]) -> tuple[str, Spans]:
    """Return one line of `text` around the longest of the words, and where all of them stand in it."""
    line = " ".join(text.split())
    first = _first(line, words)
    if len(line) > LONGEST and first > _BEFORE:
        line = f"… {line[line.find(' ', first - _BEFORE) + 1 :]}"
    if len(line) > LONGEST:
        line = f"{line[:LONGEST].rstrip()} …"
    return line, marked(line, words)


def _first(line: str, words: Sequence[str]) -> int:
    """Return where the longest word stands first, or else any of them, or else the beginning."""
    by_length = sorted(words, key=len, reverse=True)
    return next((spans[0][0] for word in by_length if (spans := marked(line, [word]))), 0)


def marked(text: str, words: Sequence[str]) -> Spans:
    """Return where any of the words stands, without overlaps, in order."""
    if not words:
        return ()
    longest_first = sorted(set(words), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    return tuple(one.span() for one in pattern.finditer(text))


def made(
    kind: str,
    number: str,
    title: str,
    text: str,
    ways: tuple[tuple[str, str], ...],
    words: Sequence[str],
    *,
    at: datetime | None = None,
    place: str = "",
) -> Found:
    """Make a found thing, its text one line around the words."""
    shown, spans = excerpt(text, words)
    return Found(kind, number, title, shown, ways, at, place, title_spans=marked(title, words), text_spans=spans)
