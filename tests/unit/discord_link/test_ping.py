"""Nobody is pinged who was not named, whatever a reply says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.discord_link.ping import address, pinged_in, user_key, user_number
from familiar_app.domain.ids import PersonKey

KNOWN = {
    user_key(5): "77",
    user_key(1): "Ann",
    user_key(2): "Ben",
    user_key(3): "Cass",
    user_key(4): "cass",
    PersonKey("local:owner"): "Me",
}
PIECES = st.sampled_from(
    ["[@Ann]", "[@ben]", "[@Cass]", "[@Me]", "[@Zoe]", "<@1>", "<@!2>", "<@99>", "<@&7>", "@everyone", "@here", "[@",
     "]", "<@", ">", "1", "@Ann", "[@[@Ann]]", "[@<@99>]", "@", "everyone", "<", "&7", " ", "[@3]", "[@!3]", "[@&7]",
     "[@everyone]", "<<@5>>", "HERE", "[@HERE]", "\u200b", "[@ann ]"]
)  # fmt: skip
EVERYONE = re.compile(r"@(everyone|here)", re.IGNORECASE)


@settings(max_examples=1500)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_only_people_written_by_name_are_pinged(text: str) -> None:
    sent = address(text, KNOWN)
    named = {1} if "[@Ann]" in text or "[@ann ]" in text else set()
    named |= {2} if "[@ben]" in text else set()
    assert sent.people <= named
    assert {int(number) for number in re.findall(r"<@!?(\d+)>", sent.text)} <= sent.people
    assert not EVERYONE.search(sent.text)
    assert not re.search(r"<@&\d+>", sent.text)


@pytest.mark.parametrize("text", ["<[@3]>", "<[@!3]>", "<[@&7]>", "<<@5>>", "@[@everyone]", "[@[@HERE]]", "<<@&7>3>"])
def test_no_mention_comes_about_by_what_is_taken_out(text: str) -> None:
    sent = address(text, KNOWN)
    assert not sent.people
    assert not re.search(r"<@[!&]?\d+>", sent.text)
    assert not EVERYONE.search(sent.text)


def test_names_become_mentions() -> None:
    sent = address("Hello [@Ann] and [@BEN], <@2> too. [@Cass]? [@Zoe]? @everyone!", KNOWN)
    assert sent.text == "Hello <@1> and <@2>, @Ben too. @Cass? @Zoe? @\u2060everyone!"
    assert sent.people == {1, 2}


def test_each_part_pings_those_it_mentions() -> None:
    assert pinged_in("Hello <@1>", {1, 2}) == [1]
    assert pinged_in("Hello", {1, 2}) == []


def test_numbers_are_of_discord_alone() -> None:
    assert user_number(user_key(12)) == 12
    assert [user_number(PersonKey(key)) for key in ("local:12", "discord:x", "discord:", "pk:12")] == [None] * 4


def test_no_more_than_twenty_people_at_once() -> None:
    many = {user_key(number): f"P{number}" for number in range(1, 40)}
    assert len(address(" ".join(f"[@P{number}]" for number in range(1, 40)), many).people) == 20
