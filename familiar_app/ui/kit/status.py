"""What the status bar tells, held without Qt: the vault, local-only, the model and its speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from familiar_app.domain.text import number, tr

ModelState = Literal["idle", "loading", "answering", "failed", "none"]


@dataclass(frozen=True, slots=True)
class Status:
    """One state of the bar. `model_local` tells that what is said to the model stays on this computer.

    `memory` is a word about the upkeep of memory, `discord` one about the link, `backup` one about backups, "" where
    nobody tells; their tones are roles of the theme.
    """

    vault_open: bool = False
    local_only: bool = False
    model: str = ""
    model_state: ModelState = "none"
    model_local: bool = True
    model_weak: bool = False
    tokens_per_s: float | None = None
    model_error: str = ""
    memory: str = ""
    memory_tip: str = ""
    memory_tone: str = "text_2"
    discord: str = ""
    discord_tip: str = ""
    discord_tone: str = "text_2"
    backup: str = ""
    backup_tip: str = ""
    backup_tone: str = "text_2"


class StatusModel:
    """Holds the status; every change is told to the listeners. Panels change it through `update`."""

    def __init__(self) -> None:
        self._now = Status()
        self._listeners: list[Callable[[Status], object]] = []

    @property
    def now(self) -> Status:
        return self._now

    def listen(self, listener: Callable[[Status], object]) -> None:
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[Status], object]) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def update(self, **changes: object) -> None:
        """Change fields of the status by name."""
        changed = replace(self._now, **changes)  # type: ignore[arg-type]
        if changed != self._now:
            self._now = changed
            for listener in list(self._listeners):
                listener(changed)


def model_text(status: Status) -> str:
    """Say in a few words which model answers and how it fares."""
    if not status.model:
        return tr("no model")
    name = status.model if len(status.model) <= 32 else status.model[:31] + "…"
    match status.model_state:
        case "loading":
            return tr("{name} · loading", name=name)
        case "answering":
            return f"{name} · {speed_text(status.tokens_per_s) or tr('answering')}"
        case "failed":
            return tr("{name} · not working", name=name)
        case _:
            speed = speed_text(status.tokens_per_s)
            return f"{name} · {speed}" if speed else name


def speed_text(tokens_per_s: float | None) -> str:
    """Write a speed; one decimal below ten, where it matters."""
    if tokens_per_s is None:
        return ""
    return tr("{speed} tok/s", speed=number(tokens_per_s, 1 if tokens_per_s < 10 else 0))
