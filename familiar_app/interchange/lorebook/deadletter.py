"""Parts of an entry that mean something elsewhere and nothing under the default rules; the report names them."""

from __future__ import annotations

from familiar_app.domain.lorebook.decoration import idle_decorators
from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.lorebook.pattern import looks_like_path, parse_pattern_key, trim
from familiar_app.domain.lorebook.rules import FIXED
from familiar_app.domain.text import tr, tr_later
from familiar_app.interchange.report import Report

_PATH = tr_later("{key} has the form of a pattern but reads like a path; it counts as text")
_BROKEN = tr_later("{key} looks like a pattern but is none; it counts as text")


def note_dead_letters(entry: LoreEntry, report: Report) -> None:
    """Report keys that are not what they seem, and decorators without effect."""
    for key in (*entry.keys, *entry.secondary_keys):
        if not trim(key):
            report.add("keys", "ignored", tr("a blank key never matches"))
        elif entry.use_regex is None and looks_like_path(key):
            report.add("keys", "ignored", tr(_PATH, key=key))
        elif entry.use_regex is None and _is_broken_pattern(key):
            report.add("keys", "ignored", tr(_BROKEN, key=key))
    for idle in idle_decorators(entry, FIXED):
        report.add("content", "ignored", idle.text[0].lower() + idle.text[1:].removesuffix("."))


def _is_broken_pattern(key: str) -> bool:
    """Tell whether a key is written between slashes and cannot be compiled."""
    body = trim(key)
    inner = body[1:].rpartition("/")[0]
    written = body.startswith("/") and bool(inner) and body.rpartition("/")[2].isalpha()
    signs = any(sign in inner for sign in "()[]{}|\\*+?^$")
    return written and signs and parse_pattern_key(body, paths_are_patterns=True) is None
