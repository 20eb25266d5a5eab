"""What is done by buttons, keys and the palette: each becomes a task, and what can be taken back is offered so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from familiar_app.discord_link.journal import Noticed
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr
from familiar_app.ui.discord.act import DiscordActs, Outcome
from familiar_app.ui.discord.place import Row

if TYPE_CHECKING:
    from familiar_app.ui.discord.view import DiscordView


class DiscordDeeds:
    """The deeds of one view."""

    def __init__(self, view: DiscordView, acts: DiscordActs) -> None:
        self._view, self._acts = view, acts
        self._context, self._model = view.context, view.model

    def do(self, word: str, *what: object) -> None:
        """Do something by its word."""
        match word:
            case (
                "listen"
                | "attend"
                | "ask_first"
                | "mode"
                | "layers"
                | "usual_layers"
                | "usual_mode"
                | "direct"
                | "switch"
            ):
                self._act(partial(getattr(self._acts, word), *what), f"discord.{word}")
            case "take_token":
                self._act(self._acts.take_token, "discord.token")
            case "turn":
                self._show_turn(*what)
            case "place":
                self._view.reveal(*what)
            case "token":
                self._view.show_guide(renewing=True)
            case _:
                {
                    "try_now": lambda: self._model.hub.try_now(self._model.familiar),
                    "network": self._allow_network,
                    "portal": lambda: self.open(self._model.portal),
                    "open_invitation": self._open_invitation,
                    "copy_invitation": self._copy_invitation,
                }[word]()

    def connect(self, token: str) -> None:
        """Keep a token that was typed, and connect."""
        self._view.tasks.start(partial(self._connect, token), name="discord.connect")

    def mend(self) -> None:
        """Do what would mend a failed link."""
        word = {"token": "token", "intent": "portal", "network": "network"}.get(self._model.standing.status.need)
        self.do(*((word,) if word else ("switch", True)))

    def at_row(self, word: str, row: Row) -> None:
        """Switch something of a row by a key."""
        if word == "listen" and row.place is not None:
            if row.can_listen:
                self.do("listen", row, not row.listens)
            else:
                self._context.tell(tr("A thread goes with the channel above it."))
        elif word == "mode" and row.place is not None:
            self.do("mode", row, "mentions" if row.mode == "ambient" else "ambient")

    async def _connect(self, token: str) -> None:
        try:
            await self._acts.give_token(token)
        except BadInputError as error:
            text = str(error)
            self._view.guide.show_wrong(text[:1].upper() + text[1:])
            return
        self._view.guide.clear()
        self._view.leave_guide()

    def _act(self, act: Callable[[], Awaitable[Outcome | None]], name: str) -> None:
        async def work() -> None:
            outcome = await act()
            if outcome is not None:
                step = partial(self._step, name)
                self._context.offer_undo(outcome.text, partial(step, outcome.back), partial(step, outcome.again))

        self._view.tasks.start(work, name=name)

    def _step(self, name: str, step: Callable[[], Awaitable[object]]) -> None:
        self._view.tasks.start(step, name=f"{name}.step")

    def _show_turn(self, noticed: Noticed) -> None:
        if noticed.turn is not None:
            self._context.go_to("chat", f"{noticed.channel}:{noticed.turn}")

    def _allow_network(self) -> None:
        async def work() -> None:
            await self._context.gate.set_local_only(False)
            self._context.local_only_changed.emit(self._model.local_only)
            if self._model.local_only:
                self._context.tell(tr("The program was started with --local-only; that stays in force."))

        self._view.tasks.start(work, name="discord.network")

    def _open_invitation(self) -> None:
        if self._model.invitation:
            self.open(self._model.invitation)

    def _copy_invitation(self) -> None:
        if self._model.invitation:
            QGuiApplication.clipboard().setText(self._model.invitation)
            self._context.tell(tr("The invitation is copied. Whoever manages a server can open it."))

    def open(self, address: str) -> None:
        """Open an address in the browser, or copy it where there is none."""
        if not QDesktopServices.openUrl(QUrl(address)):
            QGuiApplication.clipboard().setText(address)
            self._context.tell(tr("No browser could be opened, so the address is copied."))
