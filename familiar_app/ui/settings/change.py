"""Carries changes of settings out: writes the file, puts it in force, and says how to take it back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from familiar_app.discord_link.handling import statement_of
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_spec import model_slot_from_spec
from familiar_app.domain.settings import CharacterConfig, ProfileSettings
from familiar_app.domain.statement import Handled
from familiar_app.interchange.json_text import write_file
from familiar_app.ui.kit.config_change import change_config
from familiar_app.ui.kit.model_choice import ModelChoice
from familiar_app.ui.settings import meaning
from familiar_app.ui.settings.model import read_value
from familiar_app.ui.settings.setting import Setting, shipped_config

if TYPE_CHECKING:
    from familiar_app.services import Gate, Services

SLOT_KEYS = ("provider", "model", "base_url", "api_key_secret")


class SettingsChange:
    """Knows no Qt. Every method is whole or raises a FamiliarError with everything as it was."""

    def __init__(self, gate: Gate, services: Services) -> None:
        self._gate, self._services = gate, services

    async def read(self, familiar: FamiliarId) -> tuple[ProfileSettings, CharacterConfig]:
        """Read both files as they are now."""
        profile = self._services.profile
        return await asyncio.to_thread(lambda: (profile.settings(), profile.config(familiar)))

    def before(self, setting: Setting, settings: ProfileSettings | None, config: CharacterConfig | None) -> Any:
        """Return what is in force, in the form in which `changes` takes it back."""
        if setting.kind == "meaning" and config is not None:
            return meaning.values(config)
        return read_value(setting, settings, config)

    def changes(self, setting: Setting, value: Any, config: CharacterConfig | None) -> dict[str, Any]:
        """Return the keys of a familiar's config that a setting's new value changes."""
        if setting.kind != "meaning" or config is None:
            return {setting.key: value}
        if isinstance(value, Mapping):
            return dict(value)
        return meaning.switched(config, bool(value), shipped_config())

    async def meaning_text(self, config: CharacterConfig) -> str:
        """Say how search by meaning stands, and what stands in its way."""
        root = self._services.profile.root
        return await asyncio.to_thread(lambda: meaning.state_text(config, meaning.obstacle(config, root)))

    async def save_statement(self, file: Path) -> None:
        """Write the privacy statement of all familiars to a file."""
        settings = await asyncio.to_thread(self._services.profile.settings)
        text = await statement_of(
            self._services.vault,
            [Handled(one.name, one.config) for one in self._services.familiars.values()],
            local_only=self._services.network.local_only,
            key_in_keyring=settings.remember_key,
        )
        await asyncio.to_thread(write_file, file, text.encode())

    async def save_profile(self, changes: Mapping[str, Any]) -> ProfileSettings:
        """Change keys of the profile's settings."""
        if "local_only" in changes:
            await self._gate.set_local_only(bool(changes["local_only"]))
            return await asyncio.to_thread(self._services.profile.settings)
        settings = await asyncio.to_thread(self._services.profile.save_settings, changes)
        if "owner_name" in changes:
            for familiar in list(self._services.familiars):
                await self._gate.reload_familiar(familiar)
        return settings

    async def save_familiar(self, familiar: FamiliarId, changes: Mapping[str, Any]) -> None:
        """Change keys of a familiar's config and load it again; where that fails, the file is put back."""
        before = await asyncio.to_thread(self._services.profile.config, familiar)
        old = {key: _value(before, key) for key in changes}
        await change_config(self._gate, self._services.profile, familiar, changes, old)

    async def save_model(self, familiar: FamiliarId, slot: str, choice: ModelChoice) -> dict[str, Any]:
        """Put a model into a slot (`models.prose`, `models.background`). Returns the changes that undo it.

        A key goes into the vault. An endpoint elsewhere needs the network, which the caller has to allow before.
        """
        before = await asyncio.to_thread(self._services.profile.config, familiar)
        old = {f"{slot}.{key}": _value(before, f"{slot}.{key}") for key in SLOT_KEYS}
        changes = {f"{slot}.{key}": value for key, value in model_slot_from_spec(choice.spec()).items()}
        if choice.kind == "openai":
            changes[f"{slot}.api_key_secret"] = await self._secret_name(familiar, slot, choice, old)
        await self.save_familiar(familiar, changes)
        return old

    async def stored_key(self, familiar: FamiliarId, slot: str) -> str | None:
        """Return the key that is kept for a slot."""
        config = await asyncio.to_thread(self._services.profile.config, familiar)
        name = _value(config, f"{slot}.api_key_secret")
        return await self._services.vault.secrets.get(name) if name else None

    async def _secret_name(self, familiar: FamiliarId, slot: str, choice: ModelChoice, old: Mapping[str, Any]) -> str:
        """Store a new key and return its name; without a new one, keep the old one for the same address only."""
        if choice.key:
            name = f"{familiar}.{slot}.api_key"
            await self._services.vault.secrets.set(name, choice.key)
            return name
        same = str(old[f"{slot}.base_url"]).rstrip("/") == choice.url.strip().rstrip("/")
        return str(old[f"{slot}.api_key_secret"]) if same else ""


def _value(config: CharacterConfig, key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        value = getattr(value, part)
    return value
