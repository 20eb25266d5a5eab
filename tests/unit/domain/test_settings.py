"""Settings: the shipped files are complete, and what is wrong in an owner's file is named exactly."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.setting_error import known_keys, merge
from familiar_app.domain.settings import CharacterConfig, ProfileSettings, parse_config, parse_profile_settings

DEFAULTS = Path(__file__).parents[3] / "resources" / "defaults"


def shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((DEFAULTS / name).read_text(encoding="utf-8"))


def config(text: str = "") -> CharacterConfig:
    return parse_config([("shipped", shipped("character.toml")), ("character.toml", tomllib.loads(text))])


def problem(text: str) -> BadInputError:
    with pytest.raises(BadInputError) as caught:
        config(text)
    return caught.value


def test_shipped_files_hold_every_key() -> None:
    assert config().budget.text.recent_history_tokens == 8000
    settings = parse_profile_settings([("shipped", shipped("settings.toml"))])
    assert settings.local_only is True
    assert settings.last_familiar is None


@pytest.mark.parametrize(("model", "name"), [(CharacterConfig, "character.toml"), (ProfileSettings, "settings.toml")])
def test_no_value_stands_in_code(model: type[CharacterConfig], name: str) -> None:
    content = shipped(name)
    for key in known_keys(model):
        if "*" in key:
            continue
        value: Any = content
        for part in key.split("."):
            assert part in value, key
            value = value[part]


def test_owner_file_is_merged_key_by_key() -> None:
    changed = config(
        '[models.prose.sampling]\ntemperature = 1\nstop = ["###"]\n[budget.text]\nrecent_history_tokens = 50'
    )
    assert changed.models.prose.sampling.temperature == 1.0
    assert changed.models.prose.sampling.top_p == 0.95
    assert changed.models.background.sampling.temperature == 0.2
    assert changed.budget.text.recent_history_tokens == 50
    assert changed.budget.text.character_card_tokens == 3000
    assert changed.models.prose.sampling.as_sampling("###", "", "A:").stop == ("###", "A:")


def test_merge_replaces_lists_and_leaves_its_inputs() -> None:
    base: dict[str, Any] = {"a": {"b": [1, 2], "c": 1}, "d": 1}
    assert merge(base, {"a": {"b": [3]}, "d": {"e": 1}}) == {"a": {"b": [3], "c": 1}, "d": {"e": 1}}
    assert base == {"a": {"b": [1, 2], "c": 1}, "d": 1}


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ("[models.prose]\ntemprature = 1", "models.prose.temprature", "models.prose.sampling.temperature"),
        ("[models.prose]\nmodl = 'x'", "models.prose.modl", "models.prose.model"),
        ("recent_history_tokens = 1", "recent_history_tokens", "budget.text.recent_history_tokens"),
        ("[channels.'discord:1']\nprompt_layer = []", "channels.discord:1.prompt_layer", "discord:1.prompt_layers"),
        ("[budgets.text]\nx = 1", "budgets", "budget"),
        ("zzz = 1", "zzz", "Known keys here: lineage, display"),
    ],
)
def test_unknown_key_names_the_nearest(text: str, field: str, hint: str) -> None:
    error = problem(text)
    assert error.source == "character.toml"
    assert error.field == field
    assert hint in error.next_step


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("[models.prose]\nprovider = 'ollama'", "models.prose.provider", "'llama_cpp', 'openai' or 'scripted'"),
        ("[models.prose]\nprovider = 'openai'", "models.prose", "needs base_url"),
        ("[models.prose]\nbase_url = 'https://me:key@host/v1'", "models.prose.base_url", "kept in the vault"),
        ("[models.prose]\nbase_url = 'ftp://host'", "models.prose.base_url", "http://"),
        ("[display]\ntimezone = 'Mars/Base'", "display.timezone", "not a known time zone"),
        ("[display]\ntimezone = '../etc/passwd'", "display.timezone", "not a known time zone"),
        ("[budget.text]\nrecent_history_tokens = -1", "budget.text.recent_history_tokens", "greater"),
        ("[conversation]\nmay_stay_silent = 1", "conversation.may_stay_silent", "boolean"),
        ("[models]\nprose = 1", "models.prose", "table"),
        ("[models.prose.sampling]\ntemperature = nan", "models.prose.sampling.temperature", "finite"),
        ("[models.prose.sampling]\ntop_k = 'some'", "models.prose.sampling.top_k", "integer"),
    ],
)
def test_bad_value_is_explained(text: str, field: str, words: str) -> None:
    error = problem(text)
    assert (error.source, error.field) == ("character.toml", field)
    assert words in str(error)
    assert "key@host" not in str(error)


def test_mistyped_key_is_told_before_its_consequences() -> None:
    error = problem("[models.prose]\nprovider = 'openai'\nbase_urll = 'http://127.0.0.1'\ntimeout_s = 'x'")
    assert error.field == "models.prose.base_urll"
    assert "more after this one" in error.next_step


def test_auto_is_none_and_numbers_stay() -> None:
    slot = config("[models.prose]\ncontext_tokens = 4096\nmodel = 'm.gguf'").models.prose
    assert slot.context_tokens == 4096
    assert slot.sampling.top_k is None
    assert slot.gpu_layers is None


def test_channel_has_its_own_layers_by_either_name() -> None:
    changed = config('[channels."discord:10"]\nprompt_layers = ["a"]\n[channels.main]\nprompt_layers = []')
    assert changed.prompt_layers(ChannelKey("discord:10")) == ("a",)
    assert changed.prompt_layers(ChannelKey("local:main")) == ()
    assert changed.prompt_layers(ChannelKey("discord:11")) == changed.context.prompt_layers


def test_settings_refuse_what_they_do_not_know() -> None:
    with pytest.raises(BadInputError) as caught:
        parse_profile_settings([("shipped", shipped("settings.toml")), ("settings.toml", {"theem": "dark"})])
    assert caught.value.next_step == "Did you mean theme?"
    with pytest.raises(BadInputError, match="'dark' or 'contrast'"):
        parse_profile_settings([("shipped", shipped("settings.toml")), ("settings.toml", {"theme": "pink"})])


def test_a_channel_of_discord_may_speak_in_its_own_way_and_its_threads_with_it() -> None:
    own = config('[channels."discord:10"]\nmode = "ambient"\n[channels."11"]\nmode = "mentions"\n')
    modes = {
        (key, parent): own.discord_mode(ChannelKey(key), None if parent is None else ChannelKey(parent))
        for key, parent in (("discord:10", None), ("discord:12", "discord:10"), ("discord:11", "discord:10"))
    }
    assert list(modes.values()) == ["ambient", "ambient", "mentions"]
    assert own.discord_mode(ChannelKey("discord:13")) == "mentions"
    assert (own.discord_ambient, config().discord_ambient) == (True, False)
