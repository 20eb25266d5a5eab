"""The client library as the link uses it: one connection, events in order, and the few requests a familiar makes.

Handlers of the library run as tasks of their own, later, when messages and members may have changed. So events are
taken where they are dispatched, at once and in order, and turned into plain values.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from familiar_app.discord_link import convert
from familiar_app.discord_link.ask import allowed, attached, emoji_name, intents
from familiar_app.discord_link.button import Buttons, Whisper, view_of
from familiar_app.discord_link.fault import explaining
from familiar_app.discord_link.incoming import (
    Connected,
    Disconnected,
    Heard,
    Incoming,
    Reacted,
    Removed,
    RightsChanged,
    ServerArrived,
    Spot,
)
from familiar_app.discord_link.limit import Limits
from familiar_app.discord_link.server import Server
from familiar_app.discord_link.survey import CHANGING, survey
from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.text import tr

REST, GATEWAY = "https://discord.com", "wss://gateway.discord.gg/"
_GUILD_READY_S = 2.0
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where Discord is."""

    rest: str = REST
    gateway: str = GATEWAY


class _Connector(aiohttp.TCPConnector):
    """Asks before each connection whether it may be made."""

    def __init__(self, check: Callable[[str], None]) -> None:
        super().__init__(limit=0)
        self._check = check

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        self._check(str(req.url))
        return await super().connect(req, traces, timeout)


class GatewayClient(discord.Client):
    """Tells `listener` what happens. `check` raises where an address may not be reached.

    `surroundings` is called whenever servers, channels, rights or limits may be others than before.
    """

    def __init__(
        self,
        listener: Callable[[Incoming], None],
        *,
        ambient: bool,
        check: Callable[[str], None],
        addresses: Addresses,
        guild_ready_s: float = _GUILD_READY_S,
        surroundings: Callable[[], object] = lambda: None,
    ) -> None:
        # The library logs what it sends and receives where one asks for details; nobody may.
        logging.getLogger("discord").setLevel(logging.WARNING)
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        Route.BASE = f"{addresses.rest}/api/v10"
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(addresses.gateway)
        self.limits = Limits()
        super().__init__(
            intents=intents(ambient=ambient),
            connector=_Connector(check),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            guild_ready_timeout=guild_ready_s,
            http_trace=self._trace(),
        )
        self._listener, self._surroundings = listener, surroundings
        self._acknowledging: set[asyncio.Task[None]] = set()

    @property
    def reserved(self) -> int:
        """How much of each message the account needs for itself: nothing."""
        return 0

    @property
    def me(self) -> int:
        """The familiar's own number, 0 before it is known."""
        return self.user.id if self.user is not None else 0

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        for one in self._taken(event, args):
            self._listener(one)
        super().dispatch(event, *args, **kwargs)
        if event in CHANGING:
            self._surroundings()

    def _taken(self, event: str, args: tuple[Any, ...]) -> Sequence[Incoming]:
        match event:
            case "ready" | "resumed":
                return [Connected(resumed=event == "resumed")]
            case "disconnect":
                return [Disconnected()]
            case "message":
                return [convert.heard(args[0], self.me)]
            case "raw_message_edit":
                return [convert.changed(args[0].message)]
            case "raw_message_delete":
                return [Removed(args[0].channel_id, (args[0].message_id,))]
            case "raw_bulk_message_delete":
                return [Removed(args[0].channel_id, tuple(sorted(args[0].message_ids)))]
            case "raw_reaction_add" | "raw_reaction_remove":
                change = 1 if event == "raw_reaction_add" else -1
                return [Reacted(args[0].channel_id, args[0].message_id, emoji_name(args[0].emoji), change)]
            case "raw_typing":
                return convert.typing(args[0], self.me)
            case "interaction":
                return self._pressed(args[0])
            case "guild_role_create" | "guild_role_update" | "guild_role_delete":
                return [RightsChanged()]
            case "guild_available" | "guild_join":
                return [ServerArrived()]
            case "guild_channel_update" | "member_update":
                return [RightsChanged()]
        return []

    def servers(self) -> tuple[Server, ...]:
        """Return the servers the bot is on, with the channels it knows of."""
        return survey(self)

    def threads(self) -> list[Spot]:
        """Return the threads that the library knows of; of older ones Discord tells nothing."""
        return [convert.spot_of(thread, guild) for guild in self.guilds for thread in guild.threads]

    def spot(self, channel: int) -> tuple[Spot, list[int]] | None:
        """Return a channel of a server and the threads below it, None for one that is not known."""
        place = self.get_channel(channel)
        if place is None or isinstance(place, discord.abc.PrivateChannel):
            return None
        threads = [one.id for one in getattr(place, "threads", ())]
        return convert.spot_of(place, place.guild), threads  # type: ignore[arg-type]

    def _trace(self) -> aiohttp.TraceConfig:
        trace = aiohttp.TraceConfig()

        async def answered(_session: object, _context: object, end: aiohttp.TraceRequestEndParams) -> None:
            if self.limits.answered(end.url.path, end.response.status, end.response.headers):
                self._surroundings()

        trace.on_request_end.append(answered)
        return trace

    def _pressed(self, interaction: discord.Interaction) -> Sequence[Incoming]:
        """Return the press of a button under an answer; other buttons have owners of their own."""
        whisper = Whisper(interaction)
        pressed = convert.pressed(interaction, whisper)
        if pressed is None:
            return []
        task = self.loop.create_task(self._acknowledge(whisper), name="acknowledge a button")
        self._acknowledging.add(task)
        task.add_done_callback(self._acknowledging.discard)
        return [pressed]

    async def _acknowledge(self, whisper: Whisper) -> None:
        try:
            with explaining(self.is_closed):
                await whisper.acknowledge()
        except FamiliarError:
            log.info("the press of a button came too late to be acknowledged")

    async def close(self) -> None:
        # The library waits for the last servers in a task that it forgets when it is closed before they have come.
        waiting = self._connection._ready_task
        await super().close()
        if waiting is not None and not waiting.done():
            waiting.cancel()
            await asyncio.wait([waiting])

    async def on_error(self, event_method: str, /, *_args: Any, **_kwargs: Any) -> None:
        """Name the event alone: what it carried are people's words."""
        log.error("the client library failed in %s", event_method)

    async def missed(self, channel: int, after: int, limit: int) -> list[Heard]:
        """Fetch what was written after a message, oldest first."""
        place = await self.place(channel)
        with explaining(self.is_closed):
            history = place.history(limit=limit, after=discord.Object(after), oldest_first=True)
            ambient = self.intents.message_content
            return [convert.missed(message, self.me, ambient=ambient) async for message in history]

    async def newest(self, channel: int, limit: int) -> list[int]:
        """Fetch the numbers of the newest messages, newest first."""
        place = await self.place(channel)
        with explaining(self.is_closed):
            return [message.id async for message in place.history(limit=limit)]

    async def send(
        self,
        channel: int,
        text: str,
        *,
        people: Sequence[int] = (),
        answers: int | None = None,
        file: str = "",
        nonce: str = "",
        buttons: Buttons | None = None,
    ) -> int:
        """Send one message and return its number. `file` goes with it as a text file.

        With a `nonce`, a message that was sent with the same one minutes ago is returned instead of sent again.
        """
        place = await self.place(channel)
        options: dict[str, Any] = {"allowed_mentions": allowed(people)}
        if answers is not None:
            options["reference"] = discord.MessageReference(
                message_id=answers, channel_id=channel, fail_if_not_exists=False
            )
        if file:
            options["file"] = attached(file)
        if nonce:
            options["nonce"] = nonce
        if buttons is not None:
            options["view"] = view_of(buttons)
        with explaining(self.is_closed):
            message: discord.Message = await place.send(text, **options)
        return message.id

    async def edit(
        self,
        channel: int,
        message: int,
        text: str,
        *,
        people: Sequence[int] = (),
        file: str = "",
        buttons: Buttons | None = None,
    ) -> None:
        """Give one of the familiar's messages other words, another file or none, and buttons or none."""
        place = await self.place(channel)
        with explaining(self.is_closed):
            await place.get_partial_message(message).edit(
                content=text,
                attachments=[attached(file)] if file else [],
                allowed_mentions=allowed(people),
                view=None if buttons is None else view_of(buttons),
            )

    async def remove(self, channel: int, message: int) -> None:
        """Remove one of the familiar's messages. One that is gone already is no error."""
        place = await self.place(channel)
        with explaining(self.is_closed):
            try:
                await place.get_partial_message(message).delete()
            except discord.NotFound:
                log.info("a message that was to be removed is gone already")

    async def own_since(self, channel: int, after: int, limit: int = 100) -> list[tuple[int, str]]:
        """Fetch the familiar's own messages after another one, with their words as they were sent, oldest first."""
        place = await self.place(channel)
        with explaining(self.is_closed):
            history = place.history(limit=limit, after=discord.Object(after), oldest_first=True)
            return [(one.id, one.content) async for one in history if self.is_own(one)]

    def is_own(self, message: discord.Message) -> bool:
        """Tell whether a message is the familiar's own, sent by its account or in its name."""
        return message.author.id == self.me or (message.webhook_id is not None and message.application_id == self.me)

    async def type_once(self, channel: int) -> None:
        """Show for some ten seconds that the familiar is writing."""
        place = await self.place(channel)
        with explaining(self.is_closed):
            await place.typing()

    async def place(self, channel: int) -> Any:
        """Return where messages are sent. Raises OutsideError where that is not possible."""
        with explaining(self.is_closed):
            place = self.get_channel(channel) or await self.fetch_channel(channel)
        if not isinstance(place, discord.abc.Messageable):
            raise OutsideError(tr("Nothing can be written in this channel."))
        return place
