"""Who belongs to a server, where Discord lists nobody: those who spoke, the latest of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from familiar_app.discord_link.incoming import Heard, Spot
from familiar_app.discord_link.membership import MAX_SPEAKERS, Membership
from familiar_app.domain.ids import ChannelId, ChannelKey, PersonKey
from familiar_app.domain.turn import Author, Channel

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HERE = Channel(ChannelId(1), ChannelKey("discord:10"), None, "general", guild="discord:100")


def heard(number: int, guild: int | None = 100, **more: Any) -> Heard:
    author = Author(PersonKey(f"discord:{number}"), f"Person {number}")
    return Heard(Spot(10, "general", guild), number, author, "hello", NOON, **more)


def names(members: Membership, channel: Channel = HERE) -> list[str]:
    return [one.name for one in members.of(channel)]


def test_those_who_spoke_on_this_server_belong_to_it() -> None:
    members = Membership(lambda: None)
    for one in (heard(1), heard(2, guild=200), heard(3, guild=None), heard(4, own=True), heard(5, webhook=True)):
        members.note(one)
    assert names(members) == ["Person 1"]
    assert names(members, Channel(ChannelId(2), ChannelKey("local:main"), None, "Main")) == []


def test_the_latest_name_counts_and_only_so_many_are_remembered() -> None:
    members = Membership(lambda: None)
    members.note(heard(1))
    for number in range(2, MAX_SPEAKERS + 1):
        members.note(heard(number))
    members.note(heard(1))
    members.note(heard(MAX_SPEAKERS + 1))
    found = names(members)
    assert len(found) == MAX_SPEAKERS
    assert "Person 1" in found
    assert "Person 2" not in found
