"""How familiars that speak in the same channels keep out of each other's way, and under what names webhooks go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.floor import Floor
from familiar_app.discord_link.speak_rule import MAX_TURNS_IN_A_ROW
from familiar_app.discord_link.webhook import webhook_name


def test_few_answer_one_message_and_others_are_not_counted() -> None:
    floor = Floor()
    granted = [floor.grants(1) for _ in range(MAX_TURNS_IN_A_ROW + 2)]
    assert granted == [True] * MAX_TURNS_IN_A_ROW + [False, False]
    assert floor.grants(2)


async def test_one_speaks_at_a_time_in_a_channel() -> None:
    floor = Floor()
    async with floor.turn(10):
        assert floor.turn(10).locked()
        assert not floor.turn(11).locked()
    assert not floor.turn(10).locked()


def test_one_link_counts_for_a_channel_until_it_leaves() -> None:
    floor, one, other = Floor(), object(), object()
    assert floor.keeps(10, one)
    assert not floor.keeps(10, other)
    assert floor.keeps(11, other)
    floor.leave(one)
    assert floor.keeps(10, other)
    assert not floor.keeps(11, one)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Mira", "Mira"),
        ("  Discordia of Clyde ", "Dis-cordia of Cly-de"),
        ("DISCORD", "DIS-CORD"),
        ("", "Familiar"),
        ("@Mira: the #1", "Mira the 1"),
        ("Here", "“Here”"),
        ("x" * 90, "x" * 80),
    ],
)
def test_a_webhook_is_called_as_discord_allows(name: str, shown: str) -> None:
    assert webhook_name(name) == shown


@given(st.text(max_size=120) | st.from_regex(r"(dis|cord|cly|de|[ -]){0,20}", fullmatch=True))
def test_no_name_is_refused(name: str) -> None:
    shown = webhook_name(name)
    assert 1 <= len(shown) <= 80
    assert shown == shown.strip()
    assert "discord" not in shown.lower()
    assert "clyde" not in shown.lower()
    assert not set(shown) & set("@#:`")
