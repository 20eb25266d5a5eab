"""The screens before a vault is open: the first run, which makes one, and the question for the passphrase."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.going_back import BackupChoice
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.unlock.screen import UnlockScreen


class Entrance:
    """`show` shows a page. `opened` is called once the vault is open, `back_wanted` with a backup to go back to."""

    def __init__(
        self,
        parts: WindowParts,
        *,
        show: Callable[[QWidget], None],
        opened: Callable[[], object],
        back_wanted: Callable[[BackupChoice], None],
    ) -> None:
        self._parts, self._show = parts, show
        self._opened, self._back_wanted = opened, back_wanted

    def make_vault(self, card: Path | None) -> None:
        """Show the wizard of the first run; `card` becomes the first familiar."""
        wizard = Wizard(self._parts)
        wizard.back_wanted.connect(self._back_wanted)
        wizard.done.connect(lambda _familiar: self._opened())
        self._show(wizard)
        wizard.start(card)

    def unlock(self, *, keyring: bool = False, told: str = "") -> None:
        """Ask for the passphrase, with a word about what went before; with `keyring`, first try the key kept there."""
        screen = UnlockScreen(self._parts)
        screen.opened.connect(self._opened)
        screen.back_wanted.connect(self._back_wanted)
        self._show(screen)
        screen.start()
        if told:
            screen.tell(told)
        if keyring:
            screen.try_keyring()
