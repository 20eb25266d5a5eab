"""What one setting is: its row, its shipped value, and a value in the words of the panel. Knows no Qt."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from familiar_app.domain.model_spec import BUNDLED_MODEL
from familiar_app.domain.text import number, tr, tr_later
from familiar_app.store.resource import resource

Kind = Literal["choice", "switch", "text", "zone", "model", "act", "number", "meaning"]
Scope = Literal["profile", "familiar", "system"]
STAYS = tr_later("Stays on this computer.")


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. `key` is the dotted key in its file, or names the act; `choices` are (value, words).

    `leaves` says whether anything leaves this computer by it. A number lies within `bounds` and is moved by `step`; one
    whose step is whole is whole. `meaning` is the one switch over several keys, see `settings.meaning`. What is of the
    scope `system` stands in no file of ours.
    """

    key: str
    group: str
    title: str
    text: str
    kind: Kind
    scope: Scope = "profile"
    choices: tuple[tuple[Any, str], ...] = ()
    leaves: str = STAYS
    words: str = ""
    bounds: tuple[float, float] = (0, 100)
    step: float = 1

    @property
    def default_text(self) -> str:
        """Write the shipped value in the words of the panel; "" for acts."""
        if self.kind == "act":
            return ""
        if self.scope == "system":
            return tr("off")
        return value_text(self, shipped_value(self))


@cache
def _shipped(name: str) -> Mapping[str, Any]:
    return tomllib.loads(resource("defaults", name).read_text(encoding="utf-8"))


def shipped_config() -> Mapping[str, Any]:
    """Return the shipped `character.toml` as tables."""
    return _shipped("character.toml")


def shipped_value(setting: Setting) -> Any:
    """Return a setting's shipped value; a table where the setting is one."""
    value: Any = _shipped("settings.toml" if setting.scope == "profile" else "character.toml")
    for part in setting.key.split("."):
        value = value[part]
    return value


def value_text(setting: Setting, value: Any) -> str:
    """Write a value in the words of the panel."""
    match setting.kind:
        case "switch":
            return tr("on") if value else tr("off")
        case "choice":
            return next((tr(words) for known, words in setting.choices if known == value), str(value))
        case "meaning":
            on = value.get("backend") != "off" if isinstance(value, Mapping) else bool(value)
            return tr("on") if on else tr("off")
        case "number":
            return number(value) if isinstance(value, int) or value != int(value) else number(int(value))
        case "zone":
            return tr("this computer's zone") if value == "system" else str(value)
        case "model":
            get = value.get if isinstance(value, Mapping) else lambda key: getattr(value, key)
            return slot_text(get("provider"), get("model"), get("base_url"))
        case _:
            return str(value)


def slot_text(provider: str, model: str, base_url: str) -> str:
    """Say in a line which model a slot names."""
    if provider == "openai":
        return tr("{model} at {address}", model=model, address=base_url)
    if provider == "scripted":
        return tr("scripted answers from {file}", file=model)
    return tr("SmolLM2, which comes with the program") if model == BUNDLED_MODEL else model
