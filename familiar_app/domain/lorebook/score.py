"""How well an entry matches, for groups that keep their best match."""

from __future__ import annotations

from familiar_app.domain.lorebook.entry import SecondaryLogic
from familiar_app.domain.lorebook.prepared import Candidate, Expand, Key, PreparedBooks
from familiar_app.domain.lorebook.window import Window


def score(candidate: Candidate, window: Window, books: PreparedBooks, expand: Expand) -> int:
    """Count the matching keys of an entry; an entry without primary keys scores 0."""
    if not candidate.primary:
        return 0
    raw = books.rules.scores_raw_keys
    counts_secondary = raw or candidate.entry.selective
    primary = _numbers(candidate.primary, candidate, books, expand)
    secondary = _numbers(candidate.secondary, candidate, books, expand) if counts_secondary else []
    points = sum(1 for number in primary if window.find(number) is not None)
    extra = sum(1 for number in secondary if window.find(number) is not None)
    logic = candidate.entry.logic
    if secondary and (logic is SecondaryLogic.AND_ANY or (logic is SecondaryLogic.AND_ALL and extra == len(secondary))):
        return points + extra
    return points


def _numbers(keys: tuple[Key, ...], candidate: Candidate, books: PreparedBooks, expand: Expand) -> list[int | None]:
    """Return the numbers of keys: exactly as they are written, or expanded and each key once."""
    if books.rules.scores_raw_keys:
        return [books.table.untrimmed_number(key.text, candidate.options) for key in keys]
    return list(dict.fromkeys(books.number(key, candidate, expand) for key in keys))
