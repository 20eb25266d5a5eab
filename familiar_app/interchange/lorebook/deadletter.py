"""Parts of an entry that mean something elsewhere and nothing under the default rules; the report names them."""

from __future__ import annotations

from familiar_app.domain.lorebook.decorators import parse_decorators
from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.lorebook.pattern import looks_like_path, parse_pattern_key, trim
from familiar_app.interchange.report import Report


def note_dead_letters(entry: LoreEntry, report: Report) -> None:
    """Report keys that are not what they seem, and decorators without effect."""
    for key in (*entry.keys, *entry.secondary_keys):
        if not trim(key):
            report.add("keys", "ignored", "a blank key never matches")
        elif entry.use_regex is None and looks_like_path(key):
            report.add("keys", "ignored", f"{key} has the form of a pattern but reads like a path; it counts as text")
        elif entry.use_regex is None and _is_broken_pattern(key):
            report.add("keys", "ignored", f"{key} looks like a pattern but is none; it counts as text")
    understood, _ = parse_decorators(entry.content)
    lines = [line for line in _decorator_lines(entry.content) if line.removeprefix("@") not in understood]
    for line in lines:
        if line not in understood:
            report.add("content", "ignored", f"the decorator {line.split(maxsplit=1)[0]} has no effect")


def _is_broken_pattern(key: str) -> bool:
    """Tell whether a key is written between slashes and cannot be compiled."""
    body = trim(key)
    inner = body[1:].rpartition("/")[0]
    written = body.startswith("/") and bool(inner) and body.rpartition("/")[2].isalpha()
    signs = any(sign in inner for sign in "()[]{}|\\*+?^$")
    return written and signs and parse_pattern_key(body, paths_are_patterns=True) is None


def _decorator_lines(content: str) -> list[str]:
    lines = []
    for line in content.split("\n"):
        if not line.startswith("@@"):
            break
        lines.append(line)
    return lines
