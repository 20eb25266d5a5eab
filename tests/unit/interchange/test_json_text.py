"""JSON from outside: which numbers and how many levels are taken."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.interchange.json_text import MAX_JSON_DEPTH, parse_json


def test_what_is_no_number_or_too_large_for_one_becomes_null() -> None:
    text = "[1e999, -1e999, NaN, Infinity, -Infinity, 1e308, 0.5, 7]"
    assert parse_json(text, source="x") == [None, None, None, None, None, 1e308, 0.5, 7]


def test_levels_are_counted() -> None:
    parse_json("[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH, source="x")
    with pytest.raises(BadInputError, match="150 levels"):
        parse_json("[" * (MAX_JSON_DEPTH + 1) + "]" * (MAX_JSON_DEPTH + 1), source="x")
