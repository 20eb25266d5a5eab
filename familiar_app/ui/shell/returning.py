"""Goes back to a backup for the window: closes the vault, puts the backup in its place, and says how it went."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtWidgets import QWidget

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.settings import ProfileSettings
from familiar_app.domain.text import tr
from familiar_app.services import Gate
from familiar_app.store.going_back import WentBack, go_back
from familiar_app.ui.kit.going_back import BackupChoice
from familiar_app.ui.kit.wait import ProgressView


class Returning:
    """`put_away` closes the frame of an open vault, `show` shows a page, `unlock` asks for a passphrase with a word."""

    def __init__(
        self,
        gate: Gate,
        *,
        put_away: Callable[[str], Awaitable[None]],
        show: Callable[[QWidget], None],
        unlock: Callable[[str], None],
        apply: Callable[[ProfileSettings], None],
    ) -> None:
        self._gate, self._put_away, self._show, self._unlock, self._apply = gate, put_away, show, unlock, apply

    async def to(self, choice: BackupChoice) -> None:
        """Go back to a backup, and ask for the passphrase of its day. On an error everything is as it was."""
        erased = None
        if self._gate.state == "open":
            erased = await self._gate.services.vault.erasure.erased()
            await self._put_away(tr("Closing the vault…"))
            await self._gate.close()
        progress = ProgressView(tr("Going back to the backup…"))
        self._show(progress)
        try:
            done = await go_back(
                self._gate.profile.root,
                choice.looked,
                clock=SystemClock(),
                canon=choice.canon,
                erased=erased,
                progress=progress.set_progress,
            )
        except FamiliarError as error:
            text = str(error)
            self._unlock(text[:1].upper() + text[1:])
            return
        self._apply(await asyncio.to_thread(self._gate.profile.settings))
        self._unlock(_told(done))


def _told(done: WentBack) -> str:
    texts = [tr("The backup is in place; open it with the passphrase of that day.")]
    if done.restored.kept is not None:
        texts.append(tr("What was there before lies in {folder}.", folder=done.restored.kept))
    return " ".join([*texts, *done.notes])
