"""The link's small rules: marks of replies, tokens, addresses, the sentences of states and faults."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from familiar_app.discord_link.ask import allowed, intents
from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.company import addresses_from
from familiar_app.discord_link.fault import NotPermittedError, explained
from familiar_app.discord_link.incoming import channel_key, channel_number
from familiar_app.discord_link.reply_mark import Marked, read_mark
from familiar_app.discord_link.status import LOCAL_ONLY, NO_INTENT, REFUSED, LinkStatus
from familiar_app.discord_link.token import read_token
from familiar_app.domain.errors import BadInputError, OutsideError, UserError
from familiar_app.domain.ids import ChannelKey

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Hello", Marked("Hello")),
        ("[↩] Hello", Marked("Hello", marked=True)),
        (" [↩ 123]\nHello", Marked("Hello", marked=True, answers=123)),
        ("[↩ x] Hello", Marked("[↩ x] Hello")),
        ("Hello [↩]", Marked("Hello [↩]")),
    ],
)
def test_a_reply_says_what_it_answers(text: str, marked: Marked) -> None:
    assert read_mark(text) == marked


def test_a_token_is_taken_as_it_was_copied() -> None:
    assert read_token(" Bot abc.def.ghi \r\n", source="x") == "abc.def.ghi"
    for bad in ("", "  ", "two words", "ü", "x" * 300):
        with pytest.raises(BadInputError, match="not a bot's token") as refused:
            read_token(bad, source="token.txt")
        assert bad.strip() == "" or bad not in str(refused.value)


def test_only_this_computer_stands_in_for_discord() -> None:
    assert addresses_from({}) == Addresses("https://discord.com", "wss://gateway.discord.gg/")
    double = addresses_from({"FAMILIAR_DISCORD_ADDRESS": "http://127.0.0.1:8080/"})
    assert double == Addresses("http://127.0.0.1:8080", "ws://127.0.0.1:8080/gateway/")
    for bad in ("http://example.org", "https://discord.com.example.org", "file:///etc", "127.0.0.1"):
        with pytest.raises(UserError):
            addresses_from({"FAMILIAR_DISCORD_ADDRESS": bad})


def test_the_state_in_a_sentence() -> None:
    waiting = LinkStatus("waiting", "The connection to Discord broke.", NOW + timedelta(seconds=43))
    assert waiting.sentence(NOW) == "The connection to Discord broke. Reconnecting in 43 s."
    assert waiting.sentence(NOW + timedelta(minutes=5)).endswith("in 0 s.")
    assert LinkStatus("connected").sentence(NOW) == "Connected to Discord."
    assert LinkStatus().sentence(NOW) == "Not connected to Discord."


def refusal(kind: type[discord.HTTPException], status: int) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="no")
    return kind(response, {"code": 0, "message": "somebody's words"})


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (refusal(discord.Forbidden, 403), NotPermittedError, False),
        (refusal(discord.NotFound, 404), OutsideError, False),
        (refusal(discord.HTTPException, 429), OutsideError, True),
        (refusal(discord.DiscordServerError, 503), OutsideError, True),
        (refusal(discord.HTTPException, 400), OutsideError, False),
        (OSError("unreachable"), OutsideError, True),
        (TimeoutError(), OutsideError, True),
        (discord.GatewayNotFound(), OutsideError, True),
        (discord.LoginFailure("no"), UserError, False),
        (discord.PrivilegedIntentsRequired(None), UserError, False),
    ],
)
def test_faults_are_sentences(error: Exception, kind: type[Exception], retryable: bool) -> None:
    said = explained(error)
    assert isinstance(said, kind)
    assert getattr(said, "retryable", False) is retryable
    assert said.message.endswith((".", ")."))
    assert "somebody's words" not in str(said)


@pytest.mark.parametrize("code", [4004, 4010, 4011, 4012, 4013, 4014])
def test_closings_that_trying_again_cannot_mend(code: int) -> None:
    socket: Any = SimpleNamespace(close_code=code)
    said = explained(discord.ConnectionClosed(socket, shard_id=None, code=code))
    assert isinstance(said, UserError)
    assert said.next_step


def test_only_listening_to_everything_needs_a_privilege() -> None:
    privileged = discord.Intents(members=True, presences=True, message_content=True).value
    assert intents(ambient=False).value & privileged == 0
    assert intents(ambient=True).value & privileged == discord.Intents(message_content=True).value


def test_leave_to_ping() -> None:
    assert allowed([5]).to_dict() == {"parse": [], "users": [5]}
    assert allowed([]).to_dict() == {"parse": [], "users": []}


def test_channels_have_numbers() -> None:
    assert channel_number(channel_key(10)) == 10
    assert [channel_number(ChannelKey(key)) for key in ("local:main", "discord:x", "discord:")] == [None] * 3


@pytest.mark.parametrize(
    ("status", "need"),
    [
        (LinkStatus("connected"), ""),
        (LinkStatus("waiting", REFUSED), ""),
        (LinkStatus("failed", f"{REFUSED} Copy a new one."), "token"),
        (LinkStatus("failed", NO_INTENT), "intent"),
        (LinkStatus("failed", LOCAL_ONLY), "network"),
        (LinkStatus("failed", "This bot is connected to Discord by another running Familiar."), "again"),
    ],
)
def test_a_failed_link_says_what_it_needs(status: LinkStatus, need: str) -> None:
    assert status.need == need
