"""Makes any Python string storable: half surrogate pairs, which UTF-8 cannot hold, become the replacement character."""

from __future__ import annotations

from typing import overload


@overload
def storable(text: str) -> str: ...
@overload
def storable(text: None) -> None: ...
def storable(text: str | None) -> str | None:
    """Return `text`, with paired surrogates joined and lone ones replaced. Valid text comes back as it is."""
    if text is None or text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
