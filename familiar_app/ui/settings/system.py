"""Carries out what the settings of the desktop ask of the system, and shows how that stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.settings.row import SettingRow
from familiar_app.ui.settings.setting import Setting

Start = Callable[[Callable[[], Coroutine[Any, Any, Any]]], object]


class SystemSettings:
    """`start` runs a coroutine as a task of the panel. The system's own record is the only one there is."""

    def __init__(self, parts: WindowParts, context: PanelContext, start: Start) -> None:
        self._parts, self._context, self._start = parts, context, start

    async def load(self, row: SettingRow) -> None:
        """Show whether the program starts with the system; where that cannot be found out, say why."""
        try:
            row.show_value(await asyncio.to_thread(self._parts.desktop.autostart.is_on))
            row.set_wrong("")
        except FamiliarError as error:
            row.set_wrong(str(error))

    def changed(self, setting: Setting, row: SettingRow, on: bool) -> None:
        """Switch it, and offer to take that back."""
        self._start(partial(self._switch, setting, row, on))

    async def _switch(self, setting: Setting, row: SettingRow, on: bool, *, undoing: bool = False) -> None:
        try:
            await asyncio.to_thread(self._parts.desktop.autostart.switch, on)
        finally:
            await self.load(row)
        if not undoing:
            back = partial(self._start, partial(self._switch, setting, row, not on, undoing=True))
            again = partial(self._start, partial(self._switch, setting, row, on, undoing=True))
            self._context.offer_undo(tr("{setting} changed.", setting=tr(setting.title)), back, again)
