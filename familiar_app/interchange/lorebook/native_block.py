"""The text of a `lorebook.toml` in blocks, one for each entry, so that a change rewrites no more than its own block.

A block stands alone: read by itself it gives its entry and nothing else. So the text is read block by block, and a
block that was read before is not read again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from familiar_app.interchange.json_text import is_deeper
from familiar_app.interchange.lorebook.entry_memo import Raw

# What rewrites a text takes no more levels.
MAX_DEPTH = 100

_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*entries[ \t]*\]\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_OTHER_TABLE = re.compile(r"^[ \t]*\[\[?[ \t]*(?!entries\b)[^\[\]\n]+\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Blocks:
    """What stands before the first entry, for each entry the text from its header to the next one, and the rest.

    `raws` is what the blocks say, in order, `around` what head and tail say.
    """

    head: str
    entries: tuple[str, ...]
    tail: str
    raws: tuple[Raw, ...]
    around: Raw


def split_blocks(text: str, known: Mapping[str, Raw]) -> Blocks | None:
    """Split the text of a book; None where it is not written as one block for each entry, or is no TOML.

    `known` is what blocks say that were read before.
    """
    starts = [found.start() for found in _HEADER.finditer(text)]
    if not starts:
        return None
    ends = [*starts[1:], len(text)]
    entries = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    tail = ""
    if read_alone(entries[-1], known) is None:
        other = _OTHER_TABLE.search(entries[-1])
        at = other.start() if other else len(entries[-1])
        entries[-1], tail = entries[-1][:at], entries[-1][at:]
    raws: list[Raw] = []
    for block in entries:
        raw = read_alone(block, known)
        if raw is None:
            return None
        raws.append(raw)
    head = text[: starts[0]]
    around = _read_around(head, tail)
    return None if around is None else Blocks(head, tuple(entries), tail, tuple(raws), around)


def read_alone(block: str, known: Mapping[str, Raw]) -> Raw | None:
    """Return the entry that a block holds, None where it holds no entry, or something else too."""
    found = known.get(block)
    if found is not None:
        return found
    value = _read(block)
    if value is None or value.keys() != {"entries"} or not isinstance(value["entries"], list):
        return None
    entries = value["entries"]
    return entries[0] if len(entries) == 1 and isinstance(entries[0], dict) else None


def join_blocks(blocks: Iterable[str]) -> str:
    """Put blocks behind each other, each on a line of its own."""
    parts: list[str] = []
    for block in blocks:
        if parts and block and not parts[-1].endswith("\n"):
            parts.append("\n")
        if block:
            parts.append(block)
    return "".join(parts)


def _read_around(head: str, tail: str) -> Raw | None:
    before, behind = _read(head.removeprefix("\ufeff")), _read(tail)
    if before is None or behind is None or "entries" in before | behind or before.keys() & behind.keys():
        return None
    return before | behind


def _read(text: str) -> Raw | None:
    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    return None if is_deeper(value, MAX_DEPTH) else value
