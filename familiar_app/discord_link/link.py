"""Keeps one account connected to Discord: connects, watches, catches up on what was missed, and starts afresh.

The client library resumes a session by itself. Whatever it cannot resume ends its run, and the link begins anew after a
pause that grows; what trying again cannot mend ends the link with a sentence.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from discord.app_commands import CommandTree

from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.memory_tool import MemoryTools
from familiar_app.discord_link.catch_up import CatchUp
from familiar_app.discord_link.client import Addresses, GatewayClient
from familiar_app.discord_link.fault import EXPECTED, ConnectionLostError, explained
from familiar_app.discord_link.floor import Floor
from familiar_app.discord_link.house import House, Member
from familiar_app.discord_link.incoming import (
    Connected,
    Disconnected,
    Heard,
    Incoming,
    Reacted,
    RightsChanged,
    ServerArrived,
)
from familiar_app.discord_link.journal import Journal
from familiar_app.discord_link.listener import Listener
from familiar_app.discord_link.membership import Membership
from familiar_app.discord_link.notice import DiscordNotices
from familiar_app.discord_link.persona import Personas
from familiar_app.discord_link.proxy_lookup import Lookup, nobody
from familiar_app.discord_link.scribe import Scribe
from familiar_app.discord_link.sender import Line
from familiar_app.discord_link.slash import add_commands, synchronise
from familiar_app.discord_link.status import LinkStatus
from familiar_app.discord_link.waiting import Breaks
from familiar_app.discord_link.waiting import Patience as Patience
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import in_english, tr

log = logging.getLogger(__name__)


@dataclass
class DiscordLink:
    """The link of one account, for one familiar and perhaps `others` that share it. It runs until it is cancelled.

    `check` raises where an address is out of bounds; `picture` gives a familiar's picture for its webhooks.
    """

    conversation: Conversation
    clock: Clock
    tasks: TaskRegistry
    token: str = field(repr=False)
    check: Callable[[str], None]
    addresses: Addresses = field(default_factory=Addresses)
    patience: Patience = field(default_factory=Patience)
    relatives: set[int] = field(default_factory=set)
    others: Sequence[Conversation] = ()
    floor: Floor = field(default_factory=Floor)
    journals: dict[FamiliarId, Journal] = field(default_factory=dict)
    picture: Callable[[FamiliarId], bytes | None] = lambda _: None
    lookup: Lookup = nobody
    on_status: Callable[[LinkStatus], None] = lambda _: None
    on_surroundings: Callable[[], object] = lambda: None
    status: LinkStatus = field(default_factory=LinkStatus)
    _client: GatewayClient | None = field(default=None, init=False)
    _retry: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        members = [self._member(one) for one in (self.conversation, *self.others)]
        self.house = House(self.conversation.vault, members)
        self._catch_up = CatchUp(self.house)
        self.scribe, self.listener = members[0].scribe, members[0].listener
        self.journal = self.listener.journal
        self.membership = Membership(lambda: self._client)
        self._personas = Personas(self.picture, self._note)
        self._tell_tools()

    @property
    def client(self) -> GatewayClient | None:
        """The connection, None while there is none."""
        return self._client

    def try_now(self) -> None:
        """Connect at once instead of waiting."""
        self._retry.set()

    def scribe_of(self, familiar: FamiliarId) -> Scribe:
        """Return who writes for one of the familiars of this account."""
        return next((one.scribe for one in self.house.members if one.familiar == familiar), self.scribe)

    def _member(self, conversation: Conversation) -> Member:
        settings = conversation.config.discord
        scribe = Scribe(conversation.familiar, conversation.vault, settings.direct_messages, set())
        listener = Listener(
            scribe=scribe,
            conversation=conversation,
            settings=settings,
            clock=self.clock,
            line=partial(self._line, conversation),
            start=self._start,
            failed=self._note,
            relatives=self.relatives,
            journal=self.journals.setdefault(conversation.familiar, Journal()),
            floor=self.floor,
            lookup=self.lookup,
        )
        return Member(conversation, scribe, listener)

    def _tell_tools(self) -> None:
        """Let the memory tools know who belongs to a server, and show their notices there."""
        for host in self.house.hosts:
            desk, talk = host.conversation.desk, host.conversation
            desk.members = self.membership.of
            parts = (host.familiar, host.vault, lambda: self._client, self._start, talk.notices)
            notices = DiscordNotices(*parts, whose=host.name if self.others else "")
            desk.use(MemoryTools(host.vault.saved_memories, talk.config.saved_memories, desk.embedder, notices))

    async def run(self) -> None:
        """Stay connected. Raises UserError or OutsideError where trying again cannot help."""
        pause_s = self.patience.shortest_s
        try:
            while True:
                self.check(self.addresses.rest)
                self._tell(LinkStatus("connecting"))
                began = time.monotonic()
                trouble = await self._connect_once()
                if not getattr(trouble, "retryable", False):
                    raise trouble
                if time.monotonic() - began > self.patience.steady_s:
                    pause_s = self.patience.shortest_s
                await self._wait(trouble, pause_s)
                pause_s = min(pause_s * 2, self.patience.longest_s)
        except FamiliarError as error:
            self._tell(LinkStatus("failed", str(error)))
            raise
        finally:
            await self.tasks.cancel(self)
            if self.status.state != "failed":
                self._tell(LinkStatus())

    async def _wait(self, trouble: FamiliarError, pause_s: float) -> None:
        self._tell(LinkStatus("waiting", trouble.message, self.clock.now() + timedelta(seconds=pause_s)))
        self._retry.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._retry.wait(), pause_s)

    async def _connect_once(self) -> FamiliarError:
        """Hold one connection as long as it lasts, and return why it ended."""
        # Before anything arrives: what comes while the connection is being made is listened to as well.
        await self._look_up()
        events: asyncio.Queue[Incoming] = asyncio.Queue()
        client = GatewayClient(
            events.put_nowait,
            ambient=any(one.conversation.config.discord_ambient for one in self.house.members),
            check=self.check,
            addresses=self.addresses,
            guild_ready_s=self.patience.guild_ready_s,
            surroundings=self.on_surroundings,
        )
        self._client, tree = client, add_commands(client, self.house)
        works: list[asyncio.Task[FamiliarError]] = []
        try:
            works += [
                self.tasks.start(work, name="link to Discord", owner=self)
                for work in (self._hold(client), self._consume(client, tree, events), self._watch(client))
            ]
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result()
        finally:
            self._client = None
            self._personas.clear()
            self.floor.leave(self)
            await _ended(client, works)
            if client.me:
                self.relatives.discard(client.me)

    async def _hold(self, client: GatewayClient) -> FamiliarError:
        try:
            await client.start(self.token, reconnect=False)
        except (*EXPECTED, FamiliarError) as error:
            return explained(error)
        return OutsideError(tr("Discord closed the connection."), tr("Familiar tries again by itself."), retryable=True)

    async def _watch(self, client: GatewayClient) -> FamiliarError:
        """Return once the connection must be given up: the mode has changed, the computer slept, or nothing comes."""
        began = seen = time.time()
        while True:
            await asyncio.sleep(self.patience.watch_s)
            now = time.time()
            try:
                self.check(self.addresses.rest)
            except FamiliarError as error:
                return error
            if now - seen > self.patience.asleep_s:
                return OutsideError(tr("The computer was asleep."), retryable=True)
            if not client.is_ready() and now - began > self.patience.ready_s:
                return OutsideError(tr("Discord does not answer."), retryable=True)
            seen = now

    async def _consume(
        self, client: GatewayClient, tree: CommandTree, events: asyncio.Queue[Incoming]
    ) -> FamiliarError:
        """Deal with what happens, in order. An error about one thing does not keep the next from being dealt with."""
        breaks = Breaks(self.patience)
        while True:
            event = await events.get()
            try:
                match event:
                    case Connected():
                        await self._connected(client, event)
                        await synchronise(tree, self.conversation.vault, client.me)
                    case Disconnected():
                        if self.status.state == "connected":
                            self._tell(LinkStatus("connecting"))
                        if breaks.one_more(time.monotonic()):
                            return OutsideError(tr("Discord breaks the connection again and again."), retryable=True)
                        self.floor.leave(self)
                        await self._look_up()
                    case RightsChanged():
                        await self._rights_changed(client)
                    case ServerArrived() if self.status.state == "connected":
                        await self._catch_up.look_into_threads(client)
                    case _:
                        await self._take(event)
            except FamiliarError as error:
                self._note(error)

    async def _take(self, event: Incoming) -> None:
        if isinstance(event, Heard):
            self.membership.note(event)
            self._catch_up.arrives(event)
            await self.house.take(event)
            self._catch_up.note(event)
        # Of a channel that several accounts see, each of them is told of every reaction.
        elif not isinstance(event, Reacted) or self.floor.keeps(event.channel, self):
            await self.house.take(event)

    async def _look_up(self) -> None:
        await self.house.look_back()
        await self._catch_up.look_up()

    async def _connected(self, client: GatewayClient, event: Connected) -> None:
        self.relatives.add(client.me)
        await self._rights_changed(client)
        await self.house.take_up()
        self._tell(LinkStatus("connected"))
        if event.resumed:
            self._catch_up.resumed()
        if not event.resumed or self._catch_up.missing:
            await self._catch_up.run(client)

    async def _rights_changed(self, client: GatewayClient) -> None:
        await self.house.tell_readers(client.spot)
        self.house.try_again()
        self._personas.try_again()

    def _line(self, conversation: Conversation) -> Line:
        """Return what sends for a familiar: the account itself, or a webhook of its own where others use it too."""
        client = self._client
        if client is None or not client.is_ready():
            raise ConnectionLostError(tr("There is no connection to Discord at the moment."))
        return self._personas.of(conversation, client) if self.others else client

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> object:
        return self.tasks.start(work, name=name, owner=self)

    def _note(self, error: FamiliarError) -> None:
        log.warning("%s", in_english(error.message) if error.private is False else type(error).__name__)
        self._tell(LinkStatus(self.status.state, error.message if not error.private else "", self.status.retry_at))

    def _tell(self, status: LinkStatus) -> None:
        self.status = status
        self.on_status(status)


async def _ended(client: GatewayClient, works: list[asyncio.Task[FamiliarError]]) -> None:
    """Close a connection and whatever worked with it."""
    for work in works:
        work.cancel()
    with suppress(*EXPECTED):
        await client.close()
    if works:
        await asyncio.wait(works, timeout=5.0)
