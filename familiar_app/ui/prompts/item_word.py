"""What the single things of a prompt are called. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Mapping

from familiar_app.domain.text import tr, tr_later

KINDS: Mapping[str, str] = {
    "turn": tr_later("turn {number}"),
    "fact": tr_later("fact {number}"),
    "memory": tr_later("memory {number}"),
    "reflection": tr_later("reflection {number}"),
    "dossier": tr_later("portrait {number}"),
    "lore": tr_later("lorebook entry {number}"),
}


def item_word(kind: str, number: int | str) -> str:
    """Name a thing by its kind and its id."""
    return tr(KINDS[kind], number=str(number)) if kind in KINDS else f"{kind} {number}"


def opened(text: str) -> str:
    """Begin a text with a capital and leave the rest as it is."""
    return text[:1].upper() + text[1:]
