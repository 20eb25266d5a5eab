"""Nobody is pinged who was not named, whatever a reply says."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.ping import address, pinged_in, user_key, user_number
from familiar_app.domain.ids import PersonKey

KNOWN = {
    user_key(1): "Ann",
    user_key(2): "Ben",
    user_key(3): "Cass",
    user_key(4): "cass",
    PersonKey("local:owner"): "Me",
}
PIECES = st.sampled_from(
    ["[@Ann]", "[@ben]", "[@Cass]", "[@Me]", "[@Zoe]", "<@1>", "<@!2>", "<@99>", "<@&7>", "@everyone", "@here", "[@",
     "]", "<@", ">", "1", "@Ann", "[@[@Ann]]", "[@<@99>]", "@", "everyone", "<", "&7", " "]
)  # fmt: skip
EVERYONE = re.compile(r"@(everyone|here)", re.IGNORECASE)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_only_people_written_by_name_are_pinged(text: str) -> None:
    sent = address(text, KNOWN)
    named = {1} if "[@Ann]" in text else set()
    named |= {2} if "[@ben]" in text else set()
    assert sent.people <= named
    assert {int(number) for number in re.findall(r"<@!?(\d+)>", sent.text)} <= sent.people
    assert not EVERYONE.search(sent.text)
    assert not re.search(r"<@&\d+>", sent.text)


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
