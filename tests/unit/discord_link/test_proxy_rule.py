"""Which message can be a copy of which, what PluralKit says, and how long somebody who writes is waited for."""

from __future__ import annotations

import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.incoming import Heard, Spot
from familiar_app.discord_link.manners import LASTS_S, MOST_FOR_BOTS, MOST_FOR_PERSON_S, Manners
from familiar_app.discord_link.proxy import fits, key_of_proxy
from familiar_app.discord_link.proxy_lookup import PluralKit, read_member
from familiar_app.domain.ids import PersonKey, is_unverified
from familiar_app.domain.turn import Author
from familiar_app.models.network import NetworkPolicy

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
SPOT = Spot(10, "general", 1)
ANN = Heard(SPOT, 100, Author(PersonKey("discord:1"), "Ann"), "w: hello  there", NOON)
COPY = Heard(SPOT, 101, Author(PersonKey("discord:2"), "Wren", bot=True), "hello there", NOON, webhook=True)


@pytest.mark.parametrize(
    ("original", "copy", "fitting"),
    [
        ({}, {}, True),
        ({}, {"text": "w: hello there"}, True),
        ({}, {"text": "hello you"}, False),
        ({}, {"text": ""}, False),
        ({"text": "", "extras": "image cat.png"}, {"text": "", "extras": "image cat.png"}, True),
        ({"text": "", "extras": "image cat.png"}, {"text": "", "extras": "image dog.png"}, False),
        ({}, {"spot": Spot(11, "other", 1)}, False),
        ({}, {"at": NOON - timedelta(seconds=1)}, False),
        ({"text": "hello there" + " and so on" * 20}, {}, False),
    ],
)
def test_a_copy_says_the_same_within_its_marks(
    original: dict[str, object], copy: dict[str, object], fitting: bool
) -> None:
    assert fits(replace(ANN, **original), replace(COPY, **copy)) is fitting  # type: ignore[arg-type]


@given(st.text(min_size=1), st.text(max_size=20), st.text(max_size=20))
def test_marks_around_the_words_do_not_matter(words: str, before: str, behind: str) -> None:
    said, repeated = replace(ANN, text=f"{before} {words} {behind}"), replace(COPY, text=words)
    assert fits(said, repeated) is bool(words.split())


def test_the_key_of_a_copy_is_of_its_name_in_its_channel() -> None:
    key = key_of_proxy(COPY)
    assert is_unverified(key)
    assert key == key_of_proxy(replace(COPY, number=102, text="more"))
    assert key != key_of_proxy(replace(COPY, spot=Spot(11, "other", 1)))
    assert key != key_of_proxy(replace(COPY, author=Author(PersonKey("discord:2"), "Robin")))
    assert "Wren" not in key


def test_only_a_named_member_is_recognised() -> None:
    found = read_member({"sender": "1", "member": {"uuid": "AB-12", "name": "wren", "display_name": "**Wren**"}})
    assert found is not None
    assert (found.key, found.name) == ("pk:ab-12", "Wren")
    for answer in (None, [], {}, {"member": None}, {"member": {"id": "../x"}}, {"member": {"id": 5}}):
        assert read_member(answer) is None


async def test_pluralkit_is_asked_for_one_message_and_never_in_local_only_mode() -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        if request.path.endswith("7"):
            return web.json_response({"member": {"id": "abcde", "name": "Wren"}})
        return web.json_response({"message": "not found"}, status=404)

    app = web.Application()
    app.router.add_get("/v2/messages/{number}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    listening = socket.create_server(("127.0.0.1", 0))
    try:
        await web.SockSite(runner, listening).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        lookup = PluralKit(NetworkPolicy(local_only=True), address)
        found = await lookup(7)
        assert found is not None
        assert found.key == "pk:abcde"
        assert await lookup(8) is None
    finally:
        await runner.cleanup()
    assert asked == ["/v2/messages/7", "/v2/messages/8"]
    assert await PluralKit(NetworkPolicy(local_only=True))(7) is None
    assert await PluralKit(NetworkPolicy(local_only=True), address)(7) is None


def test_a_person_who_writes_is_waited_for_but_not_for_ever() -> None:
    manners, ann = Manners(), PersonKey("discord:1")
    assert manners.for_person(ann, 0.0, 0.0) == 0.0
    manners.typed(ann, 100.0, bot=False)
    assert manners.for_person(ann, 104.0, 0.0) == LASTS_S - 4.0
    assert manners.for_person(ann, 100.0 + LASTS_S, 6.0) == 0.0
    manners.typed(ann, 128.0, bot=False)
    assert manners.for_person(ann, 128.0, MOST_FOR_PERSON_S - 2.0) == 2.0
    assert manners.for_person(ann, 128.0, MOST_FOR_PERSON_S) == 0.0
    manners.spoke(ann)
    assert manners.for_person(ann, 128.0, 0.0) == 0.0


def test_another_bot_is_waited_for_twice_as_long_each_time_up_to_half_a_minute() -> None:
    manners, bot = Manners(), PersonKey("discord:9")
    waits, now_s = [], 0.0
    for attempt in range(MOST_FOR_BOTS + 1):
        manners.typed(bot, now_s, bot=True)
        waits.append(manners.for_bots(now_s, attempt))
        now_s += waits[-1]
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 0.0]
    assert manners.for_bots(now_s + LASTS_S, 0) == 0.0
