"""The Discord panel of the main window: one view per familiar, and the word about the link in the status bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from familiar_app.domain.errors import BugError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.view import DiscordView
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone

if TYPE_CHECKING:
    from familiar_app.discord_link.hub import Hub
    from familiar_app.services import Services

TICK_MS = 1_000


def create_discord_panel(services: Services, context: PanelContext) -> DiscordPanel:
    """Make the Discord panel for an open vault; a PanelFactory."""
    if services.discord is None:
        raise BugError("The window has no hub for Discord.")
    return DiscordPanel(services, services.discord, context)


class DiscordPanel:
    """Implements `kit.panel.Panel`. A place is the number of a channel."""

    id = "discord"
    title = tr_later("Discord")
    icon = "discord"

    def __init__(self, services: Services, hub: Hub, context: PanelContext) -> None:
        self._services, self._hub, self._context = services, hub, context
        self._models: dict[FamiliarId, DiscordModel] = {}
        self.widget: FamiliarViews[DiscordView] = FamiliarViews(
            services, context, self._make_view, begin=lambda view: view.load()
        )
        self._tick = QTimer(self.widget)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._tell)
        self._stop = hub.listen(lambda _familiar: self._tell())
        context.familiar_changed.connect(lambda _familiar: self._tell())
        context.familiar_reloaded.connect(self._reloaded)
        self._tell()

    @property
    def view(self) -> DiscordView:
        """The view of the familiar that is shown; made when it is first asked for."""
        return self.widget.view

    def actions(self) -> Sequence[Action]:
        def deed(word: str, title: str, *what: object, icon: str = "discord") -> Action:
            name = word if not what else f"{word}_{'on' if what[0] else 'off'}"
            run = partial(self._do, word, *what)
            return Action(f"discord.{name}", title, run, icon=icon, group=tr("Discord"), words=tr("bot link server"))

        return (
            deed("switch", tr("Connect to Discord"), True),
            deed("switch", tr("Disconnect from Discord"), False),
            deed("try_now", tr("Try now to reach Discord"), icon="refresh"),
            deed("open_invitation", tr("Invite the bot to a server…"), icon="link"),
            deed("copy_invitation", tr("Copy the bot's invitation"), icon="copy"),
            deed("portal", tr("Open Discord's developer portal"), icon="link"),
            deed("token", tr("Give the bot another token…"), icon="key"),
            deed("take_token", tr("Take the bot's token out of the vault"), icon="trash"),
        )

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the keys that only the tables know."""
        return {
            tr("Among the channels"): (
                (tr("Listen there or not"), tr("Space")),
                (tr("Speak otherwise"), "M"),
                (tr("Details"), tr("Return")),
            ),
            tr("Among what was heard"): ((tr("Show it in the chat"), tr("Return")),),
        }

    def palette_entries(self) -> Sequence[Action]:
        if self._context.familiar not in self._services.familiars:
            return ()
        show = Action("discord.show", tr("Discord"), partial(self._context.go_to, self.id, ""), icon=self.icon,
                      group=tr("Discord"), words=tr("bot server connect token"))  # fmt: skip
        places = [
            Action(
                f"discord.place.{place.number}",
                tr("{channel} on {server}", channel=place.title, server=server.name),
                partial(self._context.go_to, self.id, str(place.number)),
                icon=self.icon,
                group=tr("Discord channel"),
                words=tr("listen subscribe mode"),
            )
            for server in self._hub.of(self._context.familiar).servers
            for place in server.places
        ]
        return (show, *places)

    def activate(self) -> None:
        self.view.load()
        self.view.focus()

    def find(self) -> None:
        self.view.search.setFocus()
        self.view.search.selectAll()

    def show_place(self, key: str) -> None:
        """Show a channel by its number."""
        if key.isdigit():
            self.view.reveal(int(key))

    async def close(self) -> None:
        self._tick.stop()
        self._stop()
        for view in self.widget:
            view.stop()
            await view.tasks.cancel()

    def _do(self, word: str, *what: object) -> None:
        self._context.go_to(self.id, "")
        self.view.deeds.do(word, *what)

    def _model(self, familiar: FamiliarId) -> DiscordModel:
        if familiar not in self._models:
            self._models[familiar] = DiscordModel(self._services, self._hub, familiar, system_zone())
        return self._models[familiar]

    def _make_view(self, familiar: FamiliarId) -> DiscordView:
        return DiscordView(self._model(familiar), self._context)

    def _reloaded(self, familiar: str) -> None:
        """Mode, layers or zone may be others now."""
        view = self.widget.of(familiar)
        if view is not None:
            view.load()

    def _tell(self) -> None:
        """Say in the status bar how the link of the familiar that is shown stands."""
        if self._context.familiar not in self._services.familiars:
            return
        model = self._model(self._context.familiar)
        word = model.pulse()
        self._context.status.update(discord=word.text, discord_tip=word.tip, discord_tone=word.tone)
        (self._tick.start if model.ticking else self._tick.stop)()
