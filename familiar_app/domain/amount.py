"""Sizes, speeds and times that are left, in words for people."""

from __future__ import annotations

from familiar_app.domain.text import ntr, number, tr


def size_text(size_bytes: float) -> str:
    """Write a size with two or three digits: `412 MB`, `4.9 GB`.

    >>> size_text(4_920_000_000)
    '4.9 GB'
    """
    for unit, bytes_ in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= bytes_ * 0.9995:
            amount = size_bytes / bytes_
            return f"{number(amount, 1 if amount < 10 and unit == 'GB' else 0)} {unit}"
    return ntr("{n} byte", "{n} bytes", round(size_bytes))


def left_text(left_s: float) -> str:
    """Write how long something takes yet, no more exactly than one can know.

    >>> left_text(310)
    '5 min left'
    """
    if left_s < 60:
        return tr("{seconds} s left", seconds=max(1, round(left_s)))
    if left_s < 90 * 60:
        return tr("{minutes} min left", minutes=round(left_s / 60))
    return tr("{hours} h left", hours=round(left_s / 3600))
