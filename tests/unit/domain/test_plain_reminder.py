"""Which sentences plainly ask for a reminder, of what and when."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.plain_reminder import wish_for_reminder

NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Remind me in 20 minutes to feed the cat.", ("in 20 minutes", "feed the cat")),
        ("Please remind me to feed the cat in 20 minutes!", ("in 20 minutes", "feed the cat")),
        ("Could you remind me tomorrow at 9 that Ben calls?", ("tomorrow at 9", "Ben calls")),
        ("remind us at 18:30, to light the lamp, please", ("at 18:30", "light the lamp")),
        ("Remind me on 2024-06-01T10:00 of the match", ("2024-06-01T10:00", "the match")),
        ("Remind me to be kind at heart", None),
        ("Remind me of the old days", None),
        ("You remind me in many ways to be kind", None),
        ("Remind me yesterday to sleep", None),
        ("She said: remind me in 5 minutes to go", None),
        ("", None),
    ],
)
def test_only_an_unmistakable_wish_with_a_readable_time_counts(said: str, found: tuple[str, str] | None) -> None:
    wish = wish_for_reminder(said, NOON, UTC)
    assert (None if wish is None else (wish.when, wish.text)) == found


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(said: str) -> None:
    wish_for_reminder(f"Remind me {said}", NOON, UTC)
