"""The rows of servers and channels: where it listens, what goes with what, what is missing, what a search leaves."""

from __future__ import annotations

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.rights import ADMINISTRATOR, ALWAYS, SEND, bits
from familiar_app.discord_link.server import Place, Server
from familiar_app.domain.settings import CharacterConfig, parse_config
from familiar_app.ui.discord.place import Ground, rows_of

DEFAULTS = Path(__file__).parents[4] / "resources" / "defaults" / "character.toml"
ALL = bits(ALWAYS)
TAVERN = Server(
    1,
    "The Tavern",
    (
        Place(10, "general", category="Talk", allowed=ALL),
        Place(11, "the ship", "thread", parent=10, allowed=ALL),
        Place(12, "harbour", allowed=ALL & ~SEND.bit),
    ),
)


def config(text: str = "") -> CharacterConfig:
    shipped = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))
    return parse_config([("shipped", shipped), ("character.toml", tomllib.loads(text))])


def ground(text: str = "", *heard: str, servers: tuple[Server, ...] = (TAVERN,), asked: str = "") -> Ground:
    return Ground(servers, {key: key for key in heard}, config(text), frozenset([asked] if asked else []))


def test_a_thread_listens_with_the_channel_above_it() -> None:
    rows = rows_of(ground("", "discord:10"))
    assert [(one.title, one.listens, one.inherits, one.can_listen) for one in rows[1:]] == [
        ("# general", True, False, True),
        ("↳ the ship", True, True, False),
        ("# harbour", False, False, True),
    ]
    assert (rows[0].listening, [one.depth for one in rows]) == (2, [0, 1, 2, 1])


def test_a_channel_has_its_own_mode_and_layers_and_a_thread_the_mode_of_the_channel() -> None:
    rows = rows_of(ground('[channels."10"]\nmode = "ambient"\n[channels."discord:12"]\nprompt_layers = []\n'))
    assert [(one.mode, one.own_mode, one.own_layers) for one in rows[1:]] == [
        ("ambient", True, False),
        ("ambient", False, False),
        ("mentions", False, True),
    ]


def test_what_is_missing_is_named() -> None:
    assert [one.lacking for one in rows_of(ground())[1:]] == [(), (), (SEND,)]
    owner = Server(2, "Mine", (Place(20, "all", allowed=ADMINISTRATOR),))
    assert rows_of(ground(servers=(owner,)))[1].lacking == ()


def test_channels_of_no_known_server_are_shown_all_the_same() -> None:
    rows = rows_of(ground("", "discord:10", "discord:99", asked="discord:1"))
    assert [one.title for one in rows[-2:]] == ["Not on any server that is known", "# discord:99"]
    assert (rows[-1].listens, rows[-1].lacking) == (True, ())
    assert [one.opt_in for one in rows if one.place is None] == [True, False]


def test_a_search_leaves_the_server_above_what_it_finds() -> None:
    assert [one.title for one in rows_of(ground(), query="HARB tav")] == ["The Tavern", "# harbour"]
    assert [one.title for one in rows_of(ground(), query="talk")] == ["The Tavern", "# general"]
    assert rows_of(ground(), query="zebra") == []
    assert rows_of(ground(), only_listening=True) == []
    assert len(rows_of(ground("", "discord:12"), only_listening=True)) == 2


@given(st.text(max_size=12), st.booleans(), st.sets(st.sampled_from(["discord:10", "discord:11", "discord:99"])))
def test_no_search_brings_a_row_that_was_not_there(query: str, only: bool, heard: set[str]) -> None:
    whole = {one.key for one in rows_of(ground("", *heard))}
    shown = rows_of(ground("", *heard), query=query, only_listening=only)
    assert {one.key for one in shown} <= whole
    assert all(one.listens for one in shown if only and one.place is not None)
