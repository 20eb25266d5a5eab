"""Adding a familiar: the wizard over the frame, the card that waits for it, and where the window goes from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QWidget

from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.shell.frame import Frame


@dataclass(frozen=True, slots=True)
class Way:
    """What the window does for the wizard. `lay_over` keeps what is below; `leave` goes where there is no frame."""

    frame: Callable[[], Frame | None]
    lay_over: Callable[[QWidget], None]
    show: Callable[[QWidget], None]
    open: Callable[[str], None]
    leave: Callable[[QWidget], None]


class Adding:
    """Keeps a card that came in (opened from outside, dropped on the program) until the wizard can take it."""

    def __init__(self, parts: WindowParts, way: Way) -> None:
        self._parts, self._way = parts, way
        self._card: Path | None = None

    def keep(self, card: Path | None) -> None:
        """Let a card wait."""
        self._card = card

    def take_card(self) -> Path | None:
        """Return the card that waits; it waits no longer."""
        card, self._card = self._card, None
        return card

    def offer_card(self, page: QWidget | None) -> None:
        """Show the card that waits in the wizard: the one on `page`, else a new one over the frame."""
        if self._card is None:
            return
        if isinstance(page, Wizard):
            page.take_card(self.take_card())
        elif self._way.frame() is not None:
            self.begin()

    def begin(self) -> None:
        """Show the wizard over the frame; the frame stays as it is."""
        wizard = Wizard(self._parts, adding=True)
        wizard.done.connect(self._added)
        wizard.given_up.connect(lambda: self._back_from(wizard))
        wizard.meant_for.connect(self._look_at_card)
        self._way.lay_over(wizard)
        wizard.start(self.take_card())

    def _look_at_card(self, familiar: str, card: Path) -> None:
        """Leave the wizard for the page of a familiar that is there, which shows what the card would change."""
        frame = self._way.frame()
        if frame is not None:
            self._way.show(frame)
            frame.switch_familiar(familiar)
            frame.go_to("character", f"import:{card}")

    def _added(self, familiar: str) -> None:
        frame = self._way.frame()
        if frame is None:
            self._way.open(familiar)
            return
        self._way.show(frame)
        frame.start()
        frame.switch_familiar(familiar)

    def _back_from(self, wizard: Wizard) -> None:
        frame = self._way.frame()
        if frame is not None:
            self._way.show(frame)
            frame.focus_panel()
        else:
            self._way.leave(wizard)
