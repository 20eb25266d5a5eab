"""Changes single values in the block of an entry, and leaves the rest of its text as it is.

The new text is read back: where it does not say exactly what it should, there is no result, and the block has to be
changed another way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import tomlkit

from familiar_app.interchange.lorebook.entry_memo import Raw
from familiar_app.interchange.lorebook.native_block import read_alone

_STRING = r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'"
_VALUE = (
    r'(?:"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}|'
    + r"'''[\s\S]*?'{3,5}|"
    + _STRING
    + r"|\[(?:[^\]\[\"'#]|"
    + _STRING
    + r")*\]|[^\s#\"'\[{][^\n#]*?)(?=[ \t]*(?:#|\r?$))"
)
_SUBTABLE = re.compile(r"^[ \t]*\[\[?[ \t]*entries[ \t]*\.", re.MULTILINE)


def edit_block(block: str, raw: Raw, changes: Mapping[str, Any]) -> tuple[str, Raw] | None:
    """Return the block with these values (None removes one), and what it says then."""
    wanted = dict(raw)
    text: str | None = block
    for name, value in changes.items():
        if text is None or isinstance(value, dict):
            return None
        if value is None:
            wanted.pop(name, None)
            text = _without(text, name) if name in raw else text
        else:
            wanted[name] = value
            written = tomlkit.item(value).as_string()
            text = _replaced(text, name, written) if name in raw else _with(text, raw, f"{name} = {written}")
    if text is None:
        return None
    found = read_alone(text, {})
    return (text, found) if found == wanted and found is not None else None


@lru_cache(maxsize=256)
def _line(name: str) -> re.Pattern[str]:
    return re.compile(rf"^([ \t]*{re.escape(name)}[ \t]*=[ \t]*){_VALUE}", re.MULTILINE)


def _replaced(text: str, name: str, written: str) -> str | None:
    found = _line(name).search(text)
    return None if found is None else text[: found.end(1)] + written + text[found.end() :]


def _without(text: str, name: str) -> str | None:
    """Remove a value with its line and the comment behind it."""
    found = _line(name).search(text)
    if found is None:
        return None
    end = text.find("\n", found.end())
    return text[: found.start()] + (text[end + 1 :] if end >= 0 else "")


def _with(text: str, raw: Raw, line: str) -> str:
    """Add a line at the end of the entry's own table, before the comments that lead over to what follows."""
    below = _SUBTABLE.search(text) if any(isinstance(value, dict | list) for value in raw.values()) else None
    end = below.start() if below else len(text)
    lines = text[:end].splitlines(keepends=True)
    kept = len(lines)
    while kept > 1 and (not lines[kept - 1].strip() or lines[kept - 1].lstrip().startswith("#")):
        kept -= 1
    before, behind = "".join(lines[:kept]), "".join(lines[kept:])
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if before.endswith("\n") else newline
    return f"{before}{gap}{line}{newline}{behind}{text[end:]}"
