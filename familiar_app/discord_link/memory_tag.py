"""Tags of memories as people on Discord write and see them.

A channel is a mention, of which Discord shows the name to those who may see the channel, and to nobody else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_MENTION = re.compile(r"<#(\d{1,20})>\Z")
_KEY = re.compile(r"#discord:(\d{1,20})\Z")


def read_tags(text: str) -> tuple[str, ...]:
    """Return the tags in a text, in which commas part them; mentioned channels by their key."""
    tags = (tag.strip() for tag in text.split(","))
    return tuple(_MENTION.sub(r"#discord:\1", tag) for tag in tags if tag)


def shown_tags(tags: Sequence[str]) -> str:
    """Return tags as they stand behind a memory; empty where there are none."""
    shown = ", ".join(_KEY.sub(r"<#\1>", tag) for tag in tags)
    return f" [{shown}]" if shown else ""
