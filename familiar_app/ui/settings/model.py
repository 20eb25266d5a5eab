"""The settings as the panel shows them, in its order, and what a search leaves of them. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from familiar_app.domain.settings import CharacterConfig
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
        "Look",
        "Language",
        "What the window speaks. Takes effect with the next start. Your familiars answer in whatever language you use.",
        "choice",
        choices=(("system", "As the system"), ("en", "English"), ("de", "Deutsch")),
        words="translation english german deutsch sprache",
    ),
    Setting(
        "theme",
        "Look",
        "Theme",
        "Colours of the window. “As the system” changes with the desktop between light, dark and high contrast.",
        "choice",
        choices=(
            ("system", "As the system"),
            ("light", "Light"),
            ("dark", "Dark"),
            ("contrast", "High contrast"),
        ),
        words="colour color dark mode",
    ),
    Setting(
        "zoom",
        "Look",
        "Size of text",
        "Scales all text and icons. Ctrl + and Ctrl − do the same anywhere.",
        "choice",
        choices=tuple(_zoom(percent) for percent in (75, 85, 100, 110, 125, 150, 175, 200)),
        words="zoom font scale",
    ),
    Setting(
        "reduce_motion",
        "Look",
        "Reduce motion",
        "Shows changes at once instead of moving them.",
        "switch",
        words="animation",
    ),
    Setting(
        "tray",
        "Look",
        "Stay in the tray",
        "Closing the window hides it and leaves the program running, with an icon in the tray.",
        "switch",
        words="background close quit",
    ),
    Setting(
        "owner_name",
        "You",
        "Your name",
        "What your familiars call you.",
        "text",
        leaves="Part of every prompt: sent where the model of a familiar runs.",
        words="owner user",
    ),
    Setting(
        "display.timezone",
        "You",
        "Time zone",
        "The clock by which this familiar tells the time and the day.",
        "zone",
        scope="familiar",
        leaves="The local time is part of every prompt: sent where the model runs.",
        words="clock date",
    ),
    Setting(
        "local_only",
        "Privacy",
        "Local only",
        "While this is on, the program connects to nothing but this computer.",
        "switch",
        leaves="While on, nothing leaves this computer.",
        words="network offline internet",
    ),
    Setting(
        "network",
        "Privacy",
        "Network",
        "Lists every computer the program has spoken to or would speak to, what for and when.",
        "act",
        words="hosts connections internet endpoints discord traffic",
    ),
    Setting(
        "statement",
        "Privacy",
        "Privacy statement",
        "Says what is kept, who else gets it and what people can do, from the settings as they are now.",
        "act",
        words="policy terms discord endpoint rights",
    ),
    Setting(
        "models.prose",
        "Models",
        "Model for replies",
        "Writes what this familiar says.",
        "model",
        scope="familiar",
        leaves="With an endpoint elsewhere, whole conversations are sent to it.",
        words="llm gguf openai ollama endpoint key",
    ),
    Setting(
        "models.background",
        "Models",
        "Model for background work",
        "Reads the same conversations to distil memories from them.",
        "model",
        scope="familiar",
        leaves="With an endpoint elsewhere, whole conversations are sent to it.",
        words="llm gguf openai ollama endpoint key memory",
    ),
    Setting(
        "model_files",
        "Models",
        "Model files",
        "Fetches models that run on this computer, with progress and a check; uses and deletes them.",
        "act",
        leaves="Only when you fetch one: its host, which is named first, learns which.",
        words="download catalogue gguf llama qwen mistral local",
    ),
    *MEMORY,
    Setting(
        "passphrase",
        "Vault",
        "Passphrase",
        "Sets a new one. The old one no longer opens the vault; older backups still need it.",
        "act",
        words="password change",
    ),
    Setting(
        "recovery_code",
        "Vault",
        "Recovery code",
        "Makes a new one for a forgotten passphrase. The old code no longer opens the vault.",
        "act",
        words="forgotten lost",
    ),
    Setting(
        "remember_key",
        "Vault",
        "Open without asking",
        "Keeps a copy of the vault's key in the system's keyring. Whoever can use your account can then open it.",
        "switch",
        words="keyring keychain password",
    ),
    Setting(
        "profile_folder",
        "Vault",
        "Profile folder",
        "Holds the encrypted vault, the settings, and each familiar's character files.",
        "act",
        words="data files location directory",
    ),
    *BACKUPS,
    *LOCKING,
    *DESKTOP,
    Setting(
        "log_level",
        "Log",
        "Log level",
        "How much the log tells. It holds ids and counts, never what was said.",
        "choice",
        choices=(("debug", "Everything"), ("info", "Ordinary"), ("warning", "Warnings"), ("error", "Errors only")),
        words="debug diagnostics",
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
    return " ".join((setting.group, setting.title, setting.text, setting.words, setting.key)).casefold()


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
