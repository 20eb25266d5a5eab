"""Decorator lines (`@@name value`) at the head of an entry's content: which they are, and what text is left.

What they ask for is read by `decoration`.
"""

from __future__ import annotations

ACTIVATE = "@@activate"
DONT_ACTIVATE = "@@dont_activate"
_KNOWN = (ACTIVATE, DONT_ACTIVATE)
SIGN = "@@"
FALLBACK_SIGN = "@@@"


def parse_decorators(content: str) -> tuple[tuple[str, ...], str]:
    """Return the decorators that SillyTavern understands and the content without any, as it reads them.

    A line with `@@@` stands in for the line above where that is not understood. Content of nothing but decorators is
    left as it is.
    """
    if not content.startswith(SIGN):
        return (), content
    found: list[str] = []
    fallback = False
    lines = content.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith(SIGN):
            return tuple(found), "\n".join(lines[number:])
        if line.startswith(FALLBACK_SIGN) and not fallback:
            continue
        name = line[1:] if line.startswith(FALLBACK_SIGN) else line
        fallback = not name.startswith(_KNOWN)
        if not fallback:
            found.append(name)
    return tuple(found), content


def has_decorators(content: str) -> bool:
    """Tell whether a content begins with decorator lines."""
    return SIGN in content and content.lstrip().startswith(SIGN)


def split_decorators(content: str) -> tuple[list[str], str]:
    """Return all leading decorator lines, and the content without them and the blank lines around them."""
    if not has_decorators(content):
        return [], content
    found: list[str] = []
    lines = content.split("\n")
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith(SIGN):
            found.append(text)
        elif text:
            return found, "\n".join(lines[number:])
    return found, ""


def strip_decorators(content: str) -> str:
    """Return the content without any leading decorator lines and the blank lines around them."""
    return split_decorators(content)[1]


def chains(lines: list[str]) -> list[list[str]]:
    """Put each decorator line together with the fallbacks (`@@@name value`) right below it."""
    found: list[list[str]] = []
    for line in lines:
        if found and line.startswith(FALLBACK_SIGN):
            found[-1].append(line)
        else:
            found.append([line])
    return found
