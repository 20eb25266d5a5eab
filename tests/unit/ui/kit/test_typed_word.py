"""What has to be typed before something is erased counts however it is composed, and nothing else does."""

from __future__ import annotations

import pytest

from familiar_app.ui.kit.typed_word import is_typed


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("Mira", " Mira "),
        ("Zoë", "Zoe\u0308"),
        ("Zoe\u0308", "Zoë"),
        ("Mira Lind", "Mira\u00a0 Lind"),
        ("Mira Lind", "Mira\nLind"),
        ("Mira", "\u200bMi\u00adra\u200e"),
        ("❤ Mira", "❤\ufe0f Mira"),
        ("각", "\u1100\u1161\u11a8"),
    ],
)
def test_a_name_may_be_typed_in_any_form(typed: str, wanted: str) -> None:
    assert is_typed(typed, wanted)


@pytest.mark.parametrize(
    ("typed", "wanted"), [("mira", "Mira"), ("", "Mira"), ("\u200b", "Mira"), ("Mir", "Mira"), ("", "\u200b")]
)
def test_anything_else_is_not_the_name(typed: str, wanted: str) -> None:
    assert not is_typed(typed, wanted)


def test_capitals_may_make_no_difference() -> None:
    wanted = "alles löschen"
    assert is_typed("Alles Lo\u0308schen", wanted, any_case=True)
    assert is_typed("ALLES  LÖSCHEN", wanted, any_case=True)
    assert not is_typed("alles loschen", wanted, any_case=True)
