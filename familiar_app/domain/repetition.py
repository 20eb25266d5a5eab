"""Recognises a text that has fallen into repeating itself, as the answers of small models do until they are stopped."""

from __future__ import annotations

TAIL_CHARS = 400
LONGEST_PERIOD_CHARS = 80


def period_of(text: str) -> int | None:
    """Return after how many characters the end of a text repeats, over its last TAIL_CHARS; None where it does not."""
    tail = text[-TAIL_CHARS:]
    if len(tail) < TAIL_CHARS:
        return None
    return next((step for step in range(1, LONGEST_PERIOD_CHARS + 1) if tail[step:] == tail[:-step]), None)


def without_repetition(text: str) -> str:
    """Return a text without the end that repeats; all of it where it does not."""
    step = period_of(text)
    if step is None:
        return text
    start = len(text) - step
    while start > 0 and text[start - 1] == text[start - 1 + step]:
        start -= 1
    return text[:start].rstrip()
