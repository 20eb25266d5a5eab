"""Text on its way to a model."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.models.wire import whole_text, wire_text


def test_halves_of_characters_are_joined_or_replaced() -> None:
    assert whole_text("a \ud83e\udd8a b") == "a 🦊 b"
    assert whole_text("a \ud83e b") == "a \ufffd b"
    assert whole_text("\udcff") == "\ufffd"


@given(st.text())
def test_whole_text_stays_as_it_is(text: str) -> None:
    assert whole_text(text) == text
    assert json.loads(wire_text({"content": text})) == {"content": text}
