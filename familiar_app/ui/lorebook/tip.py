"""Tool tips that show texts of others as they are: a tip that looks like markup would be taken for it."""

from __future__ import annotations

import html

MOST_CHARS = 1000


def plain_tip(text: str) -> str:
    """Return a text for a tool tip; nothing in it is taken for markup, and its lines stay."""
    shown = text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"
    return f'<p style="white-space: pre-wrap">{html.escape(shown)}</p>'
