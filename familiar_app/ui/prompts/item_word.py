"""What the single things of a prompt are called. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, str] = {
    "turn": "turn",
    "fact": "fact",
    "memory": "memory",
    "reflection": "reflection",
    "dossier": "portrait",
    "lore": "lorebook entry",
}


def item_word(kind: str, number: int | str) -> str:
    """Name a thing by its kind and its id."""
    return f"{KINDS.get(kind, kind)} {number}"


def opened(text: str) -> str:
    """Begin a text with a capital and leave the rest as it is."""
    return text[:1].upper() + text[1:]
