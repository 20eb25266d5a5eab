"""Words of the lorebook that come as data, or that mean something else elsewhere in the program. Without Qt."""

from __future__ import annotations

from collections.abc import Callable

from familiar_app.domain.text import ptr, tr, tr_later

_OWN: dict[str, Callable[[], str]] = {
    "All": lambda: ptr("keys of a lorebook entry", "All"),
    "Depth": lambda: ptr("lorebook entry", "Depth"),
    "How": lambda: ptr("lorebook entry", "How"),
    "Keys": lambda: ptr("lorebook entry", "Keys"),
    "Last": lambda: ptr("lorebook entry", "Last"),
    "None": lambda: ptr("keys of a lorebook entry", "None"),
    "On": lambda: ptr("lorebook entry", "On"),
    "Order": lambda: ptr("lorebook entry", "Order"),
    "own": lambda: ptr("lorebook", "own"),
    "Role": lambda: ptr("lorebook entry", "Role"),
    "Test": lambda: ptr("lorebook entry", "Test"),
}
"""Short words with the sense that they have for an entry; tables have them without any mark."""
WHAT = {
    "defaulted": tr_later("defaulted"),
    "renamed": tr_later("renamed"),
    "merged": tr_later("merged"),
    "dropped": tr_later("dropped"),
    "repaired": tr_later("repaired"),
    "ignored": tr_later("ignored"),
}
"""What became of something in a report."""


def lore_word(text: str) -> str:
    """Translate a title, in the sense that it has for an entry of a lorebook."""
    own = _OWN.get(text)
    return tr(text) if own is None else own()


def as_sentence(what: str) -> str:
    """Write what was done as a sentence of its own."""
    return tr("{what}.", what=what)
