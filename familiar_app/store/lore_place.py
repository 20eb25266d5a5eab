"""Where the lorebooks of a familiar lie, and what binds each of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from familiar_app.domain.settings import CharacterConfig

Binding = Literal["familiar", "channel", "everywhere"]


@dataclass(frozen=True, slots=True)
class LorePlace:
    """A lorebook's file. It counts everywhere, for one familiar, or in the `channels` that name it alone."""

    path: Path
    binding: Binding
    channels: tuple[str, ...] = ()


def lore_places(own: Path, shared: list[Path], config: CharacterConfig) -> tuple[LorePlace, ...]:
    """Return the files of a familiar whose own book is `own`; books for channels lie in `lorebooks` beside it."""
    wanted: dict[str, list[str]] = {}
    for channel, settings in config.channels.items():
        for name in settings.lorebooks:
            wanted.setdefault(name, []).append(channel)
    folder = own.parent / "lorebooks"
    return (
        *([LorePlace(own, "familiar")] if own.exists() else ()),
        *(LorePlace(folder / f"{name}.toml", "channel", tuple(channels)) for name, channels in wanted.items()),
        *(LorePlace(path, "everywhere") for path in shared),
    )
