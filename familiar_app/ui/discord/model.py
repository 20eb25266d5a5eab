"""What the Discord panel shows of one familiar: how it stands, where it listens, what it noticed. No Qt."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from familiar_app.context.registry import HISTORY, LAYERS
from familiar_app.discord_link.journal import Fate, Noticed
from familiar_app.discord_link.limit import Limit
from familiar_app.discord_link.rights import account_of, invitation
from familiar_app.discord_link.standing import Standing
from familiar_app.domain.ids import ChannelKey, FamiliarId, is_of_discord
from familiar_app.domain.text import tr
from familiar_app.ui.discord.place import Ground, Row, names_of, rows_of
from familiar_app.ui.discord.word import Word, limits_text, pulse, spot_text
from familiar_app.ui.kit.date_text import short_date_time, time_text
from familiar_app.ui.kit.watch import Watched

if TYPE_CHECKING:
    from familiar_app.discord_link.hub import Hub
    from familiar_app.services import Hosted, Services

PORTAL = "https://discord.com/developers/applications"


class DiscordModel(Watched):
    """Holds what the panel shows. Tells `standing`, `rows` or `noticed`."""

    def __init__(self, services: Services, hub: Hub, familiar: FamiliarId, system_zone: tzinfo) -> None:
        super().__init__()
        self._services, self.hub, self.familiar, self._system_zone = services, hub, familiar, system_zone
        self.vault = services.vault
        self.rows: list[Row] = []
        self.query, self.only_listening = "", False
        self.loaded = False
        self._heard: dict[str, str] = {}
        self._asked_first: frozenset[str] = frozenset()
        self._focus: dict[str, bool] = {}
        self._unread: dict[str, int] = {}

    @property
    def hosted(self) -> Hosted:
        """The familiar as it is now; a reload of its files makes a new one."""
        return self._services.familiars[self.familiar]

    @property
    def gone(self) -> bool:
        """Whether the familiar was removed; whatever shows it will be put away."""
        return self.familiar not in self._services.familiars

    @property
    def name(self) -> str:
        return self.hosted.name

    @property
    def zone(self) -> tzinfo:
        return self.hosted.config.display.zone() or self._system_zone

    @property
    def standing(self) -> Standing:
        return self.hub.of(self.familiar)

    @property
    def local_only(self) -> bool:
        return self._services.network.local_only

    def now(self) -> datetime:
        return self._services.clock.now()

    # ---- how it stands

    def pulse(self) -> Word:
        """Return the word for the status bar."""
        return pulse(self.standing, self.now(), self.limits)

    @property
    def limits(self) -> list[Limit]:
        """Those of Discord's limits that hold at the moment."""
        now = time.monotonic()
        return [one for one in self.standing.limits if one.until > now]

    def state_text(self) -> str:
        """Say how the link stands, and which limits hold."""
        status = self.standing.status
        told = tr("Connected to Discord.") if status.state == "connected" else status.sentence(self.now())
        return f"{told} {limits_text(self.limits, time.monotonic())}".strip()

    @property
    def trouble(self) -> str:
        """What went wrong last on a link that stands nevertheless."""
        status = self.standing.status
        if status.state != "connected" or not status.trouble:
            return ""
        place = next((spot_text(one.spot) for one in self.noticed if one.fate is Fate.FAILED), "")
        if place:
            return tr("What went wrong last, in {channel}: {trouble}", channel=place, trouble=status.trouble)
        return tr("What went wrong last: {trouble}", trouble=status.trouble)

    @property
    def ticking(self) -> bool:
        """Whether what is said of the link changes with every second."""
        return self.standing.status.state == "waiting" or bool(self.limits)

    @property
    def invitation(self) -> str:
        """The address that takes the bot into a server, "" before it is known."""
        return self.hub.invitation(self.familiar) or ""

    def invitation_by(self, token: str) -> str:
        """Return the same address for a token that was not given yet, "" where it does not tell the account."""
        number = account_of(token.strip())
        return "" if number is None else invitation(number, self.hub.rights(self.familiar))

    @property
    def portal(self) -> str:
        """The page of the developer portal about this bot, or about all of them."""
        number = self.standing.application
        return PORTAL if number is None else f"{PORTAL}/{number}/bot"

    # ---- where it listens

    async def load(self) -> None:
        """Read anew where the familiar listens."""
        heard = [one.channel for one in await self.vault.channels.list(self.familiar)]
        self._heard = {str(one.key): one.title for one in heard if is_of_discord(one.key)}
        self._asked_first = await self.vault.privacy.opt_in_servers()
        attention = self.vault.attention
        self._focus = {str(one.channel.key): one.pinned for one in await attention.focus(self.familiar)}
        self._unread = {str(one.channel.key): one.count for one in await attention.unread(self.familiar)}
        self.loaded = True
        self.narrow()

    def narrow(self, *, query: str | None = None, only_listening: bool | None = None) -> None:
        """Show what fits a search, or only where the familiar listens."""
        self.query = self.query if query is None else query
        self.only_listening = self.only_listening if only_listening is None else only_listening
        ground = Ground(
            servers=self.standing.servers,
            heard=self._heard,
            config=self.hosted.config,
            asked_first=self._asked_first,
            rights=self.hub.rights(self.familiar),
            focus=self._focus,
            unread=self._unread,
        )
        self.rows = rows_of(ground, query=self.query, only_listening=self.only_listening)
        self.tell("rows")

    def row(self, key: str) -> Row | None:
        """Return a row that is shown by its key."""
        return next((one for one in self.rows if one.key == key), None)

    def state_of(self, row: Row) -> object:
        """Return everything that the page of a row shows, to see whether it reads otherwise now."""
        config = self.hosted.config
        layers = None if row.channel is None else self.layers(row.channel)
        return row, self.name, config.discord.mode, layers

    # ---- the layers of prompts in one channel

    def layers(self, channel: ChannelKey) -> list[tuple[str, bool]]:
        """Return the layers of the familiar's prompts in order, and whether prompts in a channel have each."""
        usual, here = self.hosted.config.context.prompt_layers, self.hosted.config.prompt_layers(channel)
        rest = [one for one in (*LAYERS, HISTORY) if one in here and one not in usual]
        return [(one, one in here) for one in (*usual, *rest)]

    def layers_with(self, channel: ChannelKey, layer: str, on: bool) -> tuple[str, ...] | None:
        """Return the layers of a channel with one more or less; None where they are the familiar's own again."""
        config = self.hosted.config
        usual, here = config.context.prompt_layers, config.prompt_layers(channel)
        kept = {*here, layer} if on else set(here) - {layer}
        order = (*usual, *(one for one in here if one not in usual))
        made = tuple(one for one in order if one in kept)
        return None if made == usual else made

    def key_of(self, channel: ChannelKey) -> str:
        """Return under which name the settings know a channel."""
        return next((name for name in names_of(channel) if name in self.hosted.config.channels), str(channel))

    # ---- what it noticed

    @property
    def noticed(self) -> list[Noticed]:
        """What was noticed since the vault was opened, newest first."""
        return list(reversed(self.hub.journal(self.familiar).entries))

    def when(self, noticed: Noticed) -> str:
        """Return the owner's clock time of a message, with its day where that is another."""
        at, today = noticed.at.astimezone(self.zone), self.now().astimezone(self.zone).date()
        return time_text(at, seconds=True) if at.date() == today else short_date_time(at, year=False)

    # ---- listening

    def listen(self) -> Callable[[], None]:
        """Take in every change from now on. Returns how to stop it."""
        stops = (self.hub.listen(self._changed), self.hub.journal(self.familiar).listen(lambda: self.tell("noticed")))

        def stop() -> None:
            for one in stops:
                one()

        return stop

    def _changed(self, familiar: FamiliarId) -> None:
        if familiar == self.familiar and not self.gone:
            self.tell("standing")
            if self.loaded:
                self.narrow()
