"""Whom the program would speak to as it is set up, and whom it has spoken to."""

from __future__ import annotations

import pytest

from familiar_app.domain.clock import FixedClock, parse_time
from familiar_app.domain.contact import DISCORD, FETCHING_MODELS, MODEL_ENDPOINT, PROXY_LOOKUP, Contacts
from familiar_app.domain.reach import Connected, is_this_computer, reach_shape, reaches
from tests.doubles.talk import make_config

FAR = make_config("models.prose = {provider = 'openai', model = 'm', base_url = 'https://models.example/v1'}")
NEAR = make_config("models.prose = {provider = 'openai', model = 'm', base_url = 'http://127.0.0.1:11434/v1'}")
LOOKS_UP = make_config("discord.proxy_lookup = true")


def pairs(rows: list) -> list[tuple[str, str]]:  # type: ignore[type-arg]
    return [(one.host, one.purpose) for one in rows]


def test_a_familiar_that_stays_here_needs_nobody_but_the_host_of_models_on_demand() -> None:
    rows = reaches([Connected("Mira", make_config(), on_discord=False)], [], local_only=True)
    assert pairs(rows) == [("huggingface.co", FETCHING_MODELS)]
    assert not rows[0].allowed
    assert "Only when you fetch" in rows[0].when


def test_everybody_the_settings_name_is_there_before_anything_was_said() -> None:
    familiars = [
        Connected("Mira", FAR, on_discord=True),
        Connected("Tom", FAR, on_discord=False),
        Connected("Bo", LOOKS_UP, on_discord=True),
    ]
    rows = reaches(familiars, [], local_only=False)
    assert pairs(rows) == [
        ("models.example", MODEL_ENDPOINT),
        ("discord.com", DISCORD),
        ("gateway.discord.gg", DISCORD),
        ("api.pluralkit.me", PROXY_LOOKUP),
        ("huggingface.co", FETCHING_MODELS),
    ]
    assert rows[0].used_by == ("Mira", "Tom")
    assert rows[1].used_by == ("Mira", "Bo")
    assert all(one.allowed and one.when and one.last_at is None for one in rows)


def test_local_only_allows_this_computer_alone() -> None:
    rows = reaches([Connected("M", NEAR, False), Connected("F", FAR, False)], [], local_only=True)
    assert [(one.host, one.allowed, one.here) for one in rows][:2] == [
        ("127.0.0.1:11434", True, True),
        ("models.example", False, False),
    ]


def test_what_happened_stands_beside_what_is_expected() -> None:
    clock = FixedClock(parse_time("2024-05-01T12:00:00Z"))
    contacts = Contacts(clock)
    contacts.note("models.example", MODEL_ENDPOINT)
    contacts.note("old.example", MODEL_ENDPOINT)
    contacts.note("huggingface.co", FETCHING_MODELS, refused=True)
    rows = reaches([Connected("F", FAR, False)], contacts.newest_first(), local_only=True)
    assert [(one.host, one.expected) for one in rows] == [
        ("models.example", True),
        ("huggingface.co", True),
        ("old.example", False),
    ]
    shape = reach_shape(rows[0])
    assert (shape["last_at"], shape["count"], shape["refused"]) == ("2024-05-01T12:00:00Z", 1, 0)
    refused = reach_shape(rows[1])
    assert (refused["last_at"], refused["count"], refused["refused"]) == (None, 0, 1)


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost", True), ("127.0.0.1:8080", True), ("[::1]:80", True), ("example.com", False), ("192.168.0.2", False)],
)
def test_this_computer_is_known(host: str, here: bool) -> None:
    assert is_this_computer(host) is here
