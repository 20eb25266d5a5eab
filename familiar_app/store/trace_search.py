"""Finds words within packed prompt traces: in what was sent, answered and called. Nothing of it is kept unpacked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from familiar_app.store.trace_pack import unsqueeze
from familiar_app.store.trace_write import REMOVED

_AROUND = 300
"""So many characters before and behind the word come with it."""


def passage(body: bytes, words: Sequence[str]) -> str | None:
    """Return the piece around the longest word, or None where not every word stands in the trace.

    `words` are in lower case. Unpacks the trace, which takes milliseconds where the prompt is long.
    """
    plain = unsqueeze(body).decode("utf-8")
    # Most traces lack a word: to look into the packed form's text is much cheaper than to read it.
    whole = plain.casefold()
    if not words or not all(_in_json(word) in whole for word in words):
        return None
    texts = [text for text in _texts(json.loads(plain)) if text and text != REMOVED]
    missing = set(words)
    longest, piece = max(words, key=len), ""
    for text in texts:
        folded = text.casefold()
        missing -= {word for word in missing if word in folded}
        if not piece and longest in folded:
            piece = _around(text, longest)
        if not missing:
            return piece
    return None


def _in_json(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)[1:-1]


def _texts(fields: dict[str, Any]) -> Iterator[str]:
    """Give what was said, the most telling first: the answer, the calls, the newest message before the oldest."""
    yield fields.get("answer") or ""
    for one in fields.get("rounds") or ():
        yield one.get("said") or ""
        for call in one.get("calls") or ():
            yield from (str(call.get(name) or "") for name in ("arguments", "result"))
    for message in reversed(fields["messages"]):
        yield message["content"]


def _around(text: str, word: str) -> str:
    found = re.search(re.escape(word), text, re.IGNORECASE)
    at = found.start() if found is not None else max(0, text.casefold().find(word))
    return text[max(0, at - _AROUND) : at + len(word) + _AROUND]
