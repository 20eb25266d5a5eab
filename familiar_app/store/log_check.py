"""Tells damage in the log of changes (`vault.db-wal`) from a write that was cut off. Only reads.

SQLite takes whatever follows the first frame that does not fit its sum for a write that a crash cut off, and passes
over it without a word. Mostly it is. But a frame that follows a commit is written only after that commit has reached
the disk; so where such a pair lies behind what SQLite can read, something was lost that had been stored. Damage in the
very last commit cannot be told from a cut-off write, by nobody. Layout: https://sqlite.org/walformat.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_BIG_ENDIAN_SUMS = 0x377F0683
_READABLE = struct.Struct("=16xI")
_MASK = 0xFFFFFFFF


class _Frame(NamedTuple):
    """The head of a frame: whether it ends a commit, the two marks of its log, and the sums up to its end."""

    head: bytes
    commits: bool
    marks: tuple[int, int]
    sums: tuple[int, int]


def has_lost_commits(path: Path, page_size_bytes: int) -> bool:
    """Tell whether the log beside the database at `path` holds commits that cannot be read from it any more.

    A connection must have read the database just now, and the caller holds the vault's lock: closing the shared file
    gives up what SQLite has locked in it for this process. Raises OSError.
    """
    log, shared = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")
    if not log.exists() or not shared.exists():
        return False
    with shared.open("rb") as stream:
        begin = stream.read(_READABLE.size)
    if len(begin) < _READABLE.size:
        return False
    readable = int(_READABLE.unpack(begin)[0])
    with log.open("rb") as stream:
        return _chained_behind(stream, readable, page_size_bytes)


def _chained_behind(stream: BinaryIO, readable: int, page_size: int) -> bool:
    """Tell whether a commit and a frame that goes on from it lie behind the first `readable` frames."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return False
    words = _HEADER.unpack(header)
    order = ">" if words[0] == _BIG_ENDIAN_SUMS else "<"
    # The head reaches the disk before the first frame. Where it is damaged, the first frame tells the marks.
    whole = _sums(header[:24], order, (0, 0)) == (words[6], words[7])
    marks = (words[4], words[5]) if whole else None
    last: _Frame | None = None
    for frame, place in _frames(stream, readable, page_size):
        marks = marks or frame.marks
        if last is not None and last.commits and last.marks == frame.marks == marks:
            stream.seek(place + _FRAME.size)
            if _sums(frame.head[:8] + stream.read(page_size), order, last.sums) == frame.sums:
                return True
        last = frame
    return False


def _frames(stream: BinaryIO, first: int, page_size: int) -> Iterator[tuple[_Frame, int]]:
    """Yield the heads of all frames from `first` on, and where they begin."""
    size = stream.seek(0, 2)
    length = _FRAME.size + page_size
    for place in range(_HEADER.size + first * length, size - length + 1, length):
        stream.seek(place)
        head = stream.read(_FRAME.size)
        _page, pages, mark_1, mark_2, sum_1, sum_2 = _FRAME.unpack(head)
        yield _Frame(head, pages != 0, (mark_1, mark_2), (sum_1, sum_2)), place


def _sums(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """Go on with SQLite's two sums over `data`, whose length is a multiple of eight."""
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & _MASK
        second = (second + odd + first) & _MASK
    return first, second
