"""The settings as the panel shows them, in its order, and what a search leaves of them. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.settings import meaning
from familiar_app.ui.settings.desktop import DESKTOP
from familiar_app.ui.settings.erasing import ERASING
from familiar_app.ui.settings.memory import MEMORY
from familiar_app.ui.settings.setting import Setting
from familiar_app.ui.settings.vault import BACKUPS, LOCKING


def _zoom(percent: int) -> tuple[float, str]:
    return percent / 100, f"{percent} %"


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "language",
        tr_later("Look"),
        tr_later("Language"),
        tr_later(
            "What the window speaks. Takes effect with the next start. Your familiars answer in whatever "
            "language you use."
        ),
        "choice",
        choices=(("system", tr_later("As the system")), ("en", "English"), ("de", "Deutsch")),
        words=tr_later("translation english german deutsch sprache"),
    ),
    Setting(
        "theme",
        tr_later("Look"),
        tr_later("Theme"),
        tr_later(
            "Colours of the window. “As the system” changes with the desktop between light, dark and high contrast."
        ),
        "choice",
        choices=(
            ("system", tr_later("As the system")),
            ("light", tr_later("Light")),
            ("dark", tr_later("Dark")),
            ("contrast", tr_later("High contrast")),
        ),
        words=tr_later("colour color dark mode"),
    ),
    Setting(
        "zoom",
        tr_later("Look"),
        tr_later("Size of text"),
        tr_later("Scales all text and icons. Ctrl + and Ctrl − do the same anywhere."),
        "choice",
        choices=tuple(_zoom(percent) for percent in (75, 85, 100, 110, 125, 150, 175, 200)),
        words=tr_later("zoom font scale"),
    ),
    Setting(
        "reduce_motion",
        tr_later("Look"),
        tr_later("Reduce motion"),
        tr_later("Shows changes at once instead of moving them."),
        "switch",
        words=tr_later("animation"),
    ),
    Setting(
        "tray",
        tr_later("Look"),
        tr_later("Stay in the tray"),
        tr_later("Closing the window hides it and leaves the program running, with an icon in the tray."),
        "switch",
        words=tr_later("background close quit"),
    ),
    Setting(
        "owner_name",
        tr_later("You"),
        tr_later("Your name"),
        tr_later("What your familiars call you."),
        "text",
        leaves=tr_later("Part of every prompt: sent where the model of a familiar runs."),
        words=tr_later("owner user"),
    ),
    Setting(
        "display.timezone",
        tr_later("You"),
        tr_later("Time zone"),
        tr_later("The clock by which this familiar tells the time and the day."),
        "zone",
        scope="familiar",
        leaves=tr_later("The local time is part of every prompt: sent where the model runs."),
        words=tr_later("clock date"),
    ),
    Setting(
        "local_only",
        tr_later("Privacy"),
        tr_later("Local only"),
        tr_later("While this is on, the program connects to nothing but this computer."),
        "switch",
        leaves=tr_later("While on, nothing leaves this computer."),
        words=tr_later("network offline internet"),
    ),
    Setting(
        "network",
        tr_later("Privacy"),
        tr_later("Network"),
        tr_later("Lists every computer the program has spoken to or would speak to, what for and when."),
        "act",
        words=tr_later("hosts connections internet endpoints discord traffic"),
    ),
    Setting(
        "statement",
        tr_later("Privacy"),
        tr_later("Privacy statement"),
        tr_later("Says what is kept, who else gets it and what people can do, from the settings as they are now."),
        "act",
        words=tr_later("policy terms discord endpoint rights"),
    ),
    Setting(
        "models.prose",
        tr_later("Models"),
        tr_later("Model for replies"),
        tr_later("Writes what this familiar says."),
        "model",
        scope="familiar",
        leaves=tr_later("With an endpoint elsewhere, whole conversations are sent to it."),
        words=tr_later("llm gguf openai ollama endpoint key"),
    ),
    Setting(
        "models.background",
        tr_later("Models"),
        tr_later("Model for background work"),
        tr_later("Reads the same conversations to distil memories from them."),
        "model",
        scope="familiar",
        leaves=tr_later("With an endpoint elsewhere, whole conversations are sent to it."),
        words=tr_later("llm gguf openai ollama endpoint key memory"),
    ),
    Setting(
        "model_files",
        tr_later("Models"),
        tr_later("Model files"),
        tr_later("Fetches models that run on this computer, with progress and a check; uses and deletes them."),
        "act",
        leaves=tr_later("Only when you fetch one: its host, which is named first, learns which."),
        words=tr_later("download catalogue gguf llama qwen mistral local"),
    ),
    *MEMORY,
    Setting(
        "passphrase",
        tr_later("Vault"),
        tr_later("Passphrase"),
        tr_later("Sets a new one. The old one no longer opens the vault; older backups still need it."),
        "act",
        words=tr_later("password change"),
    ),
    Setting(
        "recovery_code",
        tr_later("Vault"),
        tr_later("Recovery code"),
        tr_later("Makes a new one for a forgotten passphrase. The old code no longer opens the vault."),
        "act",
        words=tr_later("forgotten lost"),
    ),
    Setting(
        "remember_key",
        tr_later("Vault"),
        tr_later("Open without asking"),
        tr_later(
            "Keeps a copy of the vault's key in the system's keyring. Whoever can use your account can then open it."
        ),
        "switch",
        words=tr_later("keyring keychain password"),
    ),
    Setting(
        "profile_folder",
        tr_later("Vault"),
        tr_later("Profile folder"),
        tr_later("Holds the encrypted vault, the settings, and each familiar's character files."),
        "act",
        words=tr_later("data files location directory"),
    ),
    *BACKUPS,
    *LOCKING,
    *DESKTOP,
    Setting(
        "log_level",
        tr_later("Log"),
        tr_later("Log level"),
        tr_later("How much the log tells. It holds ids and counts, never what was said."),
        "choice",
        choices=(
            ("debug", tr_later("Everything")),
            ("info", tr_later("Ordinary")),
            ("warning", tr_later("Warnings")),
            ("error", tr_later("Errors only")),
        ),
        words=tr_later("debug diagnostics"),
    ),
    *ERASING,
)


def read_value(setting: Setting, settings: object, config: object) -> Any:
    """Return the value in force from the profile's settings or the familiar's config."""
    if setting.kind == "meaning":
        return isinstance(config, CharacterConfig) and meaning.is_on(config)
    value = settings if setting.scope == "profile" else config
    for part in setting.key.split("."):
        value = getattr(value, part)
    return value


def matching(query: str, settings: Sequence[Setting] = SETTINGS) -> list[Setting]:
    """Return the settings in which every word of `query` occurs, in the order of the panel."""
    wanted = query.casefold().split()
    return [setting for setting in settings if all(word in _searched(setting) for word in wanted)]


def _searched(setting: Setting) -> str:
    spoken = map(tr, (setting.group, setting.title, setting.text, setting.words))
    return " ".join((*spoken, setting.key)).casefold()


def find_zone(typed: str, zones: Sequence[str]) -> str | None:
    """Return the zone that is meant by a whole name or a city, in any case; None where it is none of `zones`.

    Nothing typed means this computer's zone and is returned as it is.
    """
    wanted = typed.strip().replace(" ", "_").casefold()
    if not wanted:
        return ""
    by_name = {zone.casefold(): zone for zone in zones}
    if wanted in by_name:
        return by_name[wanted]
    cities = [zone for zone in zones if "/" in zone and zone.casefold().rsplit("/", 1)[1] == wanted]
    return cities[0] if len(cities) == 1 else None
