"""The words for what a prompt is made of, the same wherever one is shown."""

from __future__ import annotations


def words(name: str) -> str:
    """Turn an internal name into words."""
    return name.replace("_", " ")


def meter(tokens: int, context: int, *, exact: bool) -> str:
    """Say how much of the model's context a prompt takes."""
    sign = "" if exact else "about "
    share = f" ({tokens * 100 // context} %)" if context > 0 else ""
    return f"{sign}{tokens:,} of {context:,} tokens{share}" if context > 0 else f"{sign}{tokens:,} tokens"
