"""Writes the settings that are changed in passing, such as the text size, without holding up whoever changes them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from familiar_app.domain.settings import ProfileSettings
from familiar_app.ui.kit.task import Tasks

if TYPE_CHECKING:
    from familiar_app.store.profile import Profile


class KeptSettings:
    """Gathers changes while a write is under way. `saved` is called with the settings once all is written."""

    def __init__(self, profile: Profile, tasks: Tasks, saved: Callable[[ProfileSettings], object]) -> None:
        self._profile, self._tasks, self._saved = profile, tasks, saved
        self._unsaved: dict[str, object] = {}

    def save(self, key: str, value: object) -> None:
        """Keep a setting; the write runs in the background."""
        self._unsaved[key] = value
        self._tasks.start(self.write, name="shell.save")

    async def write(self) -> None:
        """Write what is unsaved, one write after the other, and tell of it once all is written."""
        settings = None
        while self._unsaved:
            changes, self._unsaved = self._unsaved, {}
            settings = await asyncio.to_thread(self._profile.save_settings, changes)
        if settings is not None:
            self._saved(settings)
