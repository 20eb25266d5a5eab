"""Decorator lines (`@@name value`) at the head of an entry's content: which of them count, and what text is left."""

from __future__ import annotations

ACTIVATE = "@@activate"
DONT_ACTIVATE = "@@dont_activate"
_KNOWN = (ACTIVATE, DONT_ACTIVATE)


def parse_decorators(content: str) -> tuple[tuple[str, ...], str]:
    """Return the decorators that are understood and the content without any.

    A line with `@@@` stands in for the line above where that is not understood. Content of nothing but decorators is
    left as it is.
    """
    if not content.startswith("@@"):
        return (), content
    found: list[str] = []
    fallback = False
    lines = content.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("@@"):
            return tuple(found), "\n".join(lines[number:])
        if line.startswith("@@@") and not fallback:
            continue
        name = line[1:] if line.startswith("@@@") else line
        fallback = not name.startswith(_KNOWN)
        if not fallback:
            found.append(name)
    return tuple(found), content


def strip_decorators(content: str) -> str:
    """Return the content without any leading decorator lines and the blank lines around them."""
    lines = content.split("\n")
    start = 0
    while start < len(lines) and (lines[start].startswith("@@") or (start and not lines[start].strip())):
        start += 1
    return "\n".join(lines[start:]) if lines[0].startswith("@@") else content
