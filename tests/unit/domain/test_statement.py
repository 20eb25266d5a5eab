"""The privacy statement says what the settings say, and nothing else."""

from __future__ import annotations

import pytest

from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.statement import Handled, Handling, endpoint_host, statement
from tests.doubles.talk import make_config

HOSTED = """
[models.prose]
provider = "openai"
model = "big-one"
base_url = "https://api.example.org/v1"
"""
OWN_SERVER = HOSTED.replace("https://api.example.org/v1", "http://127.0.0.1:11434/v1")


def told(config: CharacterConfig, *, local_only: bool = False, on_discord: bool = True, **more: object) -> str:
    return statement(
        Handling([Handled("Mira", config)], local_only=local_only, on_discord=on_discord, **more)  # type: ignore[arg-type]
    )


def test_a_model_elsewhere_is_named_and_one_at_home_is_not() -> None:
    text = told(make_config(HOSTED))
    assert "Mira, replies: sent to api.example.org (model big-one)" in text
    assert "Mira, memory: a model on the owner's computer" in text
    at_home = told(make_config(OWN_SERVER))
    assert "Mira, replies: a model on the owner's computer" in at_home
    assert "127.0.0.1" not in at_home


def test_in_local_only_mode_nothing_is_said_to_leave() -> None:
    text = told(make_config(HOSTED), local_only=True, on_discord=False)
    assert "nothing leaves the computer" in text
    assert "not asked while local-only mode is on" in text
    assert "sent to api.example.org" not in text
    assert "Discord" not in text


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.org/v1", "api.example.org"),
        ("http://localhost:8080/v1", None),
        ("http://[::1]:8080/v1", None),
        ("http://127.9.9.9/v1", None),
        ("http://192.168.1.5:5001/v1", "192.168.1.5"),
        ("http://localhost.example.org/v1", "localhost.example.org"),
    ],
)
def test_only_this_computer_is_no_endpoint(url: str, host: str | None) -> None:
    assert endpoint_host(make_config(HOSTED.replace("https://api.example.org/v1", url)).models.prose) == host


def test_what_is_drawn_is_what_is_switched_on() -> None:
    nothing = told(make_config("[providers.memory]\nprojectors = []"))
    assert "Mira draws nothing from what is said." in nothing
    some = told(make_config('[providers.memory]\nprojectors = ["rich_note", "fact_supersede", "gossip"]'))
    assert "Mira draws facts about what is said" in some
    assert "extension 'gossip'" in some
    assert "portrait" not in some


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("", "Mira: what was said in a place is used only where everybody"),
        ('[memory.audience]\nshared = "server"', "in all channels of that server"),
        ('[memory.audience]\nlocal = "open"\nshared = "open"', "also on other servers"),
        ('[channels."discord:10"]\naudience = "open"', "also on other servers"),
        ('[channels."local:main"]\naudience = "open"', "only where everybody"),
    ],
)
def test_how_freely_it_is_used_elsewhere(toml: str, words: str) -> None:
    assert words in told(make_config(toml))


def test_modes_of_discord_and_how_long_prompts_live() -> None:
    mentions = told(make_config("[context]\nkept_traces = 7"))
    assert "Only messages that address a familiar reach it" in mentions
    assert "Direct messages are not kept." in mentions
    assert "newest 7 answers" in mentions
    ambient = told(make_config('[discord]\ndirect_messages = true\n[channels."discord:10"]\nmode = "ambient"'))
    assert "not only what addresses it" in ambient
    assert "Direct messages are kept by Mira." in ambient
    assert "pluralkit" not in ambient
    assert "Mira may ask pluralkit.me" in told(make_config("[discord]\nproxy_lookup = true"))


def test_whether_people_are_asked_first() -> None:
    config = make_config()
    assert "On this server nothing is drawn about people who have not agreed." in told(config, asks_first=True)
    assert "unless somebody says otherwise" in told(config, asks_first=False)
    assert "On 2 servers nothing is drawn" in told(config, servers_that_ask=2)
