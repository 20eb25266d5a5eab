"""A `lorebook.toml` as it was read: its text, what it says, its blocks. Reading it anew after a change costs little."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr
from familiar_app.interchange.json_text import is_deeper
from familiar_app.interchange.lorebook.entry_memo import EntryMemo, Raw
from familiar_app.interchange.lorebook.native_block import MAX_DEPTH, Blocks, split_blocks

_PLACE = re.compile(r"\(at (?:line (\d+), column \d+|end of document)\)")


@dataclass(frozen=True, slots=True)
class NativeText:
    """A text that was read. `blocks` is None where it is not written as one block for each entry.

    `known` is what its blocks say, and those that were written in their place.
    """

    text: str
    value: dict[str, Any]
    blocks: Blocks | None = field(repr=False)
    known: dict[str, Raw] = field(repr=False)
    memo: EntryMemo = field(repr=False)


def read_text(text: str, source: Path | str, before: NativeText | None = None) -> NativeText:
    """Read a text; what it has in common with the one `before` is taken from that. Raises BadInputError."""
    blocks = split_blocks(text, before.known if before is not None else {})
    if blocks is None:
        return NativeText(text, load_toml(text, source), None, {}, EntryMemo())
    known = dict(zip(blocks.entries, blocks.raws, strict=True))
    memo = EntryMemo() if before is None else before.memo.only(blocks.raws)
    return NativeText(text, {**blocks.around, "entries": list(blocks.raws)}, blocks, known, memo)


def load_toml(text: str, source: Path | str) -> dict[str, Any]:
    """Read a text as a whole. Raises BadInputError with the line."""
    try:
        value = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        reason = _PLACE.sub("", str(error)).strip()
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        raise BadInputError(tr("this is not valid TOML: {reason}.", reason=reason), source=source, line=line) from error
    except (ValueError, RecursionError) as error:
        raise BadInputError(tr("the TOML holds a number too long or is nested too deeply."), source=source) from error
    if is_deeper(value, MAX_DEPTH):
        raise BadInputError(tr("the TOML is nested more than {depth} levels deep.", depth=MAX_DEPTH), source=source)
    entries = value.get("entries", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadInputError(
            tr("entries have to be tables."),
            source=source,
            field="entries",
            next_step=tr("Begin each with [[entries]]."),
        )
    return value
