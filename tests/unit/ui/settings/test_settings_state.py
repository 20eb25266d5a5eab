"""What the settings panel shows of the settings, and how changes are carried out and taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.setting_error import known_keys
from familiar_app.domain.settings import CharacterConfig, ProfileSettings
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.profile import Profile
from familiar_app.ui.kit.model_choice import ModelChoice
from familiar_app.ui.settings.change import SettingsChange
from familiar_app.ui.settings.model import SETTINGS, find_zone, matching, read_value
from familiar_app.ui.settings.setting import Setting, shipped_value, value_text
from tests.ui.double import DoubleGate

MIRA = FamiliarId("mira")
ELSEWHERE = ModelChoice("openai", url="https://models.example.org/v1", model="large", key="sk-secret")


def setting(key: str) -> Setting:
    return next(one for one in SETTINGS if one.key == key)


@pytest.fixture
def gate(tmp_path: Path) -> DoubleGate:
    made = DoubleGate(Profile(tmp_path), TaskRegistry(lambda _name, _error: None))
    made.add(CharacterCard(name="Mira"))
    made.open_now()
    return made


@pytest.fixture
def change(gate: DoubleGate) -> SettingsChange:
    return SettingsChange(gate, gate.services)


class TestWhatIsShown:
    def test_every_key_of_the_profile_has_a_row(self) -> None:
        handled_elsewhere = {"familiars", "last_familiar"}
        assert {one.key for one in SETTINGS if one.scope == "profile" and one.kind != "act"} == (
            set(known_keys(ProfileSettings)) - handled_elsewhere
        )

    def test_keys_of_a_familiar_exist(self) -> None:
        known = set(known_keys(CharacterConfig))
        for one in SETTINGS:
            if one.scope == "familiar":
                assert any(key == one.key or key.startswith(f"{one.key}.") for key in known), one.key

    def test_each_says_what_it_does_and_whether_anything_leaves(self) -> None:
        for one in SETTINGS:
            assert one.text.endswith("."), one.key
            assert one.leaves.endswith("."), one.key
            assert one.kind == "act" or one.default_text, one.key

    def test_defaults_come_from_the_shipped_files(self) -> None:
        assert setting("theme").default_text == "As the system"
        assert setting("zoom").default_text == "100 %"
        assert setting("local_only").default_text == "on"
        assert setting("display.timezone").default_text == "this computer's zone"
        assert setting("models.prose").default_text == "SmolLM2, which comes with the program"

    def test_choices_hold_the_shipped_value(self) -> None:
        for one in SETTINGS:
            if one.kind == "choice":
                assert shipped_value(one) in [value for value, _ in one.choices], one.key

    @pytest.mark.parametrize(
        ("query", "keys"),
        [
            ("dark", ["theme"]),
            ("PASSWORD", ["passphrase", "remember_key"]),
            ("key ollama", ["models.prose", "models.background"]),
            ("nothing of this kind", []),
        ],
    )
    def test_search(self, query: str, keys: list[str]) -> None:
        assert [one.key for one in matching(query)] == keys

    def test_an_empty_search_leaves_all(self) -> None:
        assert matching(" ") == list(SETTINGS)

    def test_an_unknown_value_is_written_as_it_is(self) -> None:
        assert value_text(setting("zoom"), 1.33) == "1.33"


class TestChanges:
    async def test_a_value_reaches_the_file(self, change: SettingsChange, gate: DoubleGate) -> None:
        settings = await change.save_profile({"theme": "dark"})
        assert settings.theme == "dark"
        assert gate.profile.settings().theme == "dark"

    async def test_local_only_goes_through_the_gate(self, change: SettingsChange, gate: DoubleGate) -> None:
        settings = await change.save_profile({"local_only": False})
        assert not settings.local_only
        assert not gate.services.network.local_only

    async def test_a_new_name_of_the_owner_reaches_the_familiars(
        self, change: SettingsChange, gate: DoubleGate
    ) -> None:
        await change.save_profile({"owner_name": "Robin"})
        assert ("reload_familiar", MIRA) in gate.calls

    async def test_a_refused_value_leaves_the_file(self, change: SettingsChange, gate: DoubleGate) -> None:
        with pytest.raises(BadInputError):
            await change.save_familiar(MIRA, {"display.timezone": "Mars/Olympus"})
        assert gate.profile.config(MIRA).display.timezone == "system"

    async def test_a_failed_reload_puts_the_file_back(self, change: SettingsChange, gate: DoubleGate) -> None:
        gate.fails["reload_familiar"] = OutsideError("The model could not be built.")
        with pytest.raises(OutsideError):
            await change.save_familiar(MIRA, {"display.timezone": "Europe/Berlin"})
        assert gate.profile.config(MIRA).display.timezone == "system"

    async def test_a_key_goes_into_the_vault_and_not_into_the_file(
        self, change: SettingsChange, gate: DoubleGate
    ) -> None:
        await change.save_model(MIRA, "models.prose", ELSEWHERE)
        slot = gate.profile.config(MIRA).models.prose
        assert (slot.provider, slot.model, slot.base_url) == ("openai", "large", "https://models.example.org/v1")
        assert gate.vault.secrets.values[slot.api_key_secret] == "sk-secret"
        assert await change.stored_key(MIRA, "models.prose") == "sk-secret"
        written = "".join(path.read_text() for path in gate.profile.root.rglob("*.toml"))
        assert "sk-secret" not in written

    async def test_a_key_is_never_sent_to_another_address(self, change: SettingsChange, gate: DoubleGate) -> None:
        await change.save_model(MIRA, "models.prose", ELSEWHERE)
        same = ModelChoice("openai", url="https://models.example.org/v1/", model="larger")
        await change.save_model(MIRA, "models.prose", same)
        assert gate.profile.config(MIRA).models.prose.api_key_secret
        other = ModelChoice("openai", url="https://other.example.org/v1", model="larger")
        await change.save_model(MIRA, "models.prose", other)
        assert gate.profile.config(MIRA).models.prose.api_key_secret == ""

    async def test_undo_brings_the_model_back(self, change: SettingsChange, gate: DoubleGate) -> None:
        before: Any = gate.profile.config(MIRA).models.prose
        old = await change.save_model(MIRA, "models.prose", ELSEWHERE)
        await change.save_familiar(MIRA, old)
        assert gate.profile.config(MIRA).models.prose == before

    async def test_values_are_read_as_they_are_in_force(self, change: SettingsChange) -> None:
        settings, config = await change.read(MIRA)
        assert read_value(setting("zoom"), settings, config) == 1.0
        assert read_value(setting("models.prose"), settings, config).model == "smollm2"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ""),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("utc", "UTC"),
        ("Springfield", None),
        ("Louisville", None),
    ],
)
def test_a_zone_is_found_by_name_or_city(typed: str, found: str | None) -> None:
    zones = (
        "America/Louisville",
        "America/Kentucky/Louisville",
        "America/New_York",
        "Europe/Berlin",
        "UTC",
    )
    assert find_zone(typed, zones) == found
