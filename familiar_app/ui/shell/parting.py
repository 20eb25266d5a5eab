"""Erases a familiar, or the whole profile, for the window: asks, puts the open vault's frame away, and goes on after.

The frame goes first, so that no panel holds on to what is being erased; a new one, or the wizard, comes afterwards.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import ntr, tr
from familiar_app.store.backup import on_this_loop
from familiar_app.store.profile_inventory import look
from familiar_app.store.whole_erasure import erase_whole
from familiar_app.ui.kit.dialog import shown
from familiar_app.ui.kit.erase_flow import EraseReceipt, ask_about_familiar
from familiar_app.ui.kit.erase_whole import ask_about_everything, show_whole_receipt
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.wait import ProgressView

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stage:
    """What the window does for it.

    `put_away` ends the frame and shows a text meanwhile, `show` shows a page. `again` shows what fits the vault that is
    open, `fresh` what fits the profile from its start. `failed` tells of an error on whatever is shown.
    """

    window: QWidget
    put_away: Callable[[str], Awaitable[None]]
    show: Callable[[QWidget], None]
    again: Callable[[], Awaitable[None]]
    fresh: Callable[[], Awaitable[None]]
    failed: Callable[[FamiliarError], object]


class Parting:
    """Both ways to take leave."""

    def __init__(self, parts: WindowParts, stage: Stage) -> None:
        self._parts, self._stage = parts, stage

    async def from_familiar(self, familiar: FamiliarId) -> None:
        """Ask about a familiar, and erase it. Where that fails, the vault is shown as it is then."""
        gate, stage = self._parts.gate, self._stage
        hosted = gate.services.familiars.get(familiar)
        name = familiar if hosted is None else hosted.name
        plan = replace(await gate.plan_to_remove(familiar, last=True), label=name)
        wanted, backup = await ask_about_familiar(stage.window, plan)
        if not wanted:
            return
        await stage.put_away(tr("Erasing {name}…", name=name))
        page = ProgressView(tr("Erasing {name}…", name=name))
        stage.show(page)
        try:
            if backup:
                page.set_progress(None, tr("A backup is made first…"))
                await gate.services.backups.make("asked", progress=page.set_progress)
                page.set_progress(0.0, tr("Erasing {name}…", name=name))
            receipt = await gate.remove_familiar(familiar, page.set_progress, last=True)
        except FamiliarError as error:
            await stage.again()
            stage.failed(error)
            return
        await stage.again()
        await shown(EraseReceipt(stage.window, plan, receipt))

    async def from_everything(self) -> None:
        """Ask about the whole profile, and erase it. Raises FamiliarError where something could not be removed."""
        gate, stage, root = self._parts.gate, self._stage, self._parts.gate.profile.root
        choice = await ask_about_everything(stage.window, await asyncio.to_thread(look, root), await self._holds())
        if choice is None:
            return
        await stage.put_away(tr("Closing the vault…"))
        await self._let_go(models=choice.models)
        await gate.close()
        page = ProgressView(tr("Erasing everything…"))
        stage.show(page)
        report = on_this_loop(page.set_progress)
        receipt = await asyncio.to_thread(erase_whole, root, models=choice.models, report=report)
        await stage.fresh()
        await show_whole_receipt(stage.window, receipt)

    async def _holds(self) -> str:
        """Say what the vault holds."""
        services = self._parts.gate.services
        turns = await services.vault.turns.count()
        facts = sum([await services.vault.facts.count(familiar) for familiar in services.familiars])
        return tr(
            "In the vault: {messages} and {facts}",
            messages=ntr("{n} message", "{n} messages", turns),
            facts=ntr("{n} fact", "{n} facts", facts),
        )

    async def _let_go(self, *, models: bool) -> None:
        """Take back what the system was asked to do for this profile, and end downloads that would go on writing."""
        if models:
            for file in list(self._parts.models.running):
                await self._parts.models.discard(file)
        try:
            await asyncio.to_thread(self._end_autostart)
        except FamiliarError as error:
            log.warning("starting with the system could not be switched off", exc_info=error)

    def _end_autostart(self) -> None:
        autostart = self._parts.desktop.autostart
        if autostart.is_on():
            autostart.switch(False)
