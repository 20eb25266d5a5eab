"""The text of a `lorebook.toml` in blocks, one for each entry, so that a change rewrites no more than its own block."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*entries[ \t]*\]\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Blocks:
    """What stands before the first entry, and for each entry the text from its header to the next one."""

    head: str
    entries: tuple[str, ...]


def split_blocks(text: str, count: int) -> Blocks | None:
    """Split the text of a book with `count` entries; None where it is not written as one block for each."""
    starts = [found.start() for found in _HEADER.finditer(text)]
    if not starts or len(starts) != count:
        return None
    ends = [*starts[1:], len(text)]
    return Blocks(text[: starts[0]], tuple(text[start:end] for start, end in zip(starts, ends, strict=True)))


def holds_alone(block: str, raw: Mapping[str, Any]) -> bool:
    """Tell whether a block holds this entry and nothing else."""
    try:
        return tomllib.loads(block) == {"entries": [raw]}
    except tomllib.TOMLDecodeError:
        return False


def join_blocks(head: str, blocks: list[str]) -> str:
    """Put blocks behind each other, each on a line of its own."""
    text = head
    parts = [text] if text else []
    for block in blocks:
        if parts and not parts[-1].endswith("\n"):
            parts.append("\n")
        parts.append(block)
    return "".join(parts)
