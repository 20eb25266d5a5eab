"""The rights a bot asks for, those it lacks, and the number that a token begins with."""

from __future__ import annotations

import base64
from urllib.parse import parse_qs, urlsplit

import discord
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link import rights


def test_the_bits_are_those_of_the_client_library() -> None:
    asked = discord.Permissions(rights.bits(rights.needed(webhooks=True)))
    assert {name for name, on in asked if on} == {
        "read_messages", "send_messages", "send_messages_in_threads", "read_message_history", "attach_files",
        "manage_webhooks",
    }  # fmt: skip


def test_an_invitation_asks_for_exactly_what_is_switched_on() -> None:
    plain, with_webhooks = (
        parse_qs(urlsplit(rights.invitation(42, rights.needed(webhooks=on))).query) for on in (False, True)
    )
    assert plain["client_id"] == ["42"]
    assert plain["scope"] == ["bot applications.commands"]
    assert int(with_webhooks["permissions"][0]) - int(plain["permissions"][0]) == 1 << 29


def test_what_is_lacking_depends_on_the_kind_of_channel() -> None:
    allowed = rights.bits([rights.VIEW, rights.READ_HISTORY, rights.ATTACH])
    assert rights.lacking(allowed, rights.ALWAYS) == (rights.SEND,)
    assert rights.lacking(allowed, rights.ALWAYS, thread=True) == (rights.SEND_IN_THREADS,)
    assert rights.lacking(rights.ADMINISTRATOR, rights.ALWAYS) == ()


@given(st.integers(10**15, 10**19), st.text())
def test_a_token_begins_with_the_number_of_its_account(number: int, rest: str) -> None:
    head = base64.urlsafe_b64encode(str(number).encode()).decode().rstrip("=")
    assert rights.account_of(f"{head}.{rest}") == number


@given(st.text())
def test_anything_that_is_no_token_has_no_number(text: str) -> None:
    assert rights.account_of(f"é{text}") is None
    assert rights.account_of("MTAw.a.number.too.short") is None
