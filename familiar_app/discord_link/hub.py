"""Discord for one open vault in the window: who is switched on, who is connected, and what is known of each.

Familiars with the same token are connected together, all others by themselves, so that one can come and go, or fail,
without the others. The client library is loaded with the first connection only.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.journal import Journal
from familiar_app.discord_link.rights import Right, account_of, invitation, needed
from familiar_app.discord_link.standing import Standing
from familiar_app.discord_link.status import LinkStatus
from familiar_app.discord_link.token import keep_token, subscribe, token_name, unsubscribe
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr
from familiar_app.store.vault import Vault

if TYPE_CHECKING:
    from familiar_app.discord_link.company import Company

LOOK_AFTER_S = 0.2
RENEW_AFTER_S = 1.0
QUIET_LOOKS = 150
Listener = Callable[[FamiliarId], object]


@dataclass(slots=True)
class _Group:
    """Familiars that are connected by one token."""

    members: tuple[FamiliarId, ...]
    task: asyncio.Task[None]


class Hub:
    """Call `begin` once the vault is open and `close` before it is closed.

    `conversations` returns those of all familiars as they are now. `make` opens the company; it may load much.
    """

    def __init__(
        self,
        vault: Vault,
        tasks: TaskRegistry,
        conversations: Callable[[], Mapping[FamiliarId, Conversation]],
        make: Callable[[Hub], Awaitable[Company]],
    ) -> None:
        self._vault, self._tasks, self._conversations, self._make = vault, tasks, conversations, make
        self.journals: dict[FamiliarId, Journal] = {}
        self._standings: dict[FamiliarId, Standing] = {}
        self._tokens: dict[FamiliarId, str] = {}
        self._groups: dict[str, _Group] = {}
        self._company: Company | None = None
        self._arranging, self._opening = asyncio.Lock(), asyncio.Lock()
        self._unsaved: dict[FamiliarId, dict[str, Any]] = {}
        self._listeners: list[Listener] = []
        self._looking: asyncio.TimerHandle | None = None
        self._closed = False

    # ---- looking

    def of(self, familiar: FamiliarId) -> Standing:
        """Return how a familiar stands."""
        return self._standings.get(familiar, Standing())

    def journal(self, familiar: FamiliarId) -> Journal:
        """Return what a familiar noticed since the vault was opened."""
        return self.journals.setdefault(familiar, Journal())

    def invitation(self, familiar: FamiliarId) -> str | None:
        """Return the address at which the bot is taken into a server, None before its number is known."""
        number = self.of(familiar).application or account_of(self._tokens.get(familiar, ""))
        return None if number is None else invitation(number, self.rights(familiar))

    def rights(self, familiar: FamiliarId) -> tuple[Right, ...]:
        """Return what the bot of a familiar must be allowed to do; several on one account speak by webhooks."""
        conversations, token = self._conversations(), self._tokens.get(familiar)
        sharing = [one for one, known in self._tokens.items() if known == token and one in conversations]
        personas = [conversations[one].config.discord.persona for one in sharing]
        return needed(webhooks=len(sharing) > 1 and any(one != "name" for one in personas))

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with a familiar whenever it stands otherwise. Returns how to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # ---- beginning and ending

    async def begin(self) -> None:
        """Read who is switched on, and connect them."""
        for familiar in self._conversations():
            await self._read(familiar)
        await self._arrange()

    async def close(self) -> None:
        """Disconnect everybody. What is switched on stays so."""
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
        async with self._arranging:
            await self._tasks.cancel(self)
            self._groups.clear()
        await self._keep()

    # ---- what the owner does

    async def set_token(self, familiar: FamiliarId, text: str | None) -> str | None:
        """Keep another token, or none; returns the one before. A connection by the old one ends."""
        before = self._tokens.get(familiar)
        if text is None:
            await self._vault.secrets.delete(token_name(familiar))
        else:
            await keep_token(self._vault, familiar, text, source=tr("the token"))
        if text is None or text.strip() != before:
            await self._vault.state.set(_places_key(familiar), None)
            self._unsaved.pop(familiar, None)
        await self._read(familiar)
        await self._arrange()
        return before

    async def switch(self, familiar: FamiliarId, on: bool) -> None:
        """Connect a familiar from now on, also after the next start, or no longer. A failed one is tried again."""
        await self._vault.state.set(_on_key(familiar), on or None)
        await self._read(familiar)
        await self._arrange(again=(familiar,) if on else ())

    async def forget(self, familiar: FamiliarId) -> None:
        """Disconnect a familiar that is to go, and keep nothing of it."""
        await self.switch(familiar, False)
        await self.set_token(familiar, None)
        self._unsaved.pop(familiar, None)
        self._standings.pop(familiar, None)
        self.journals.pop(familiar, None)

    def try_now(self, familiar: FamiliarId) -> None:
        """Connect at once instead of waiting."""
        link = None if self._company is None else self._company.links.get(familiar)
        if link is not None:
            link.try_now()

    async def try_failed(self) -> None:
        """Connect those again that failed; what was in their way may be gone."""
        await self._arrange(again=[one for one in self._standings if self.of(one).status.state == "failed"])

    def renew(self, familiar: FamiliarId) -> None:
        """Connect a familiar anew, soon: its settings are others, or it is a new one."""
        if not self._closed:
            self._tasks.start(self._renew(familiar), name=f"settings of {familiar} for Discord", owner=self)

    async def subscribe(self, familiar: FamiliarId, channel: int, on: bool) -> None:
        """Let a familiar listen in a channel, or no longer."""
        link = None if self._company is None else self._company.links.get(familiar)
        known = link.client.spot(channel) if link is not None and link.client is not None else None
        if link is None or known is None:
            await (subscribe if on else unsubscribe)(self._vault, familiar, channel)
        elif on:
            await link.scribe_of(familiar).subscribe(known[0])
        else:
            await link.scribe_of(familiar).unsubscribe(*known)
        self._tell(familiar)

    # ---- connections

    async def _renew(self, familiar: FamiliarId) -> None:
        """Begin anew once nothing is being answered, or after a while all the same."""
        await asyncio.sleep(RENEW_AFTER_S)
        for _ in range(QUIET_LOOKS):
            if not self.journal(familiar).answering:
                break
            await asyncio.sleep(LOOK_AFTER_S)
        await self._read(familiar)
        await self._arrange(again=(familiar,))

    async def _read(self, familiar: FamiliarId) -> None:
        token = await self._vault.secrets.get(token_name(familiar))
        on = bool(await self._vault.state.get(_on_key(familiar)))
        kept = await self._vault.state.get(_places_key(familiar))
        self._tokens.pop(familiar, None)
        if token is not None:
            self._tokens[familiar] = token
        known = self.of(familiar)
        if not known.connected:
            known = known.with_kept(kept)
        self._change(familiar, replace(known, on=on, token=token is not None))

    async def _arrange(self, again: Collection[FamiliarId] = ()) -> None:
        """Connect those who are switched on and nobody else; `again` are connected anew where they are already."""
        async with self._arranging:
            wanted = {} if self._closed else self._wanted()
            for digest, group in list(self._groups.items()):
                kept = wanted.get(digest) == group.members and not set(again).intersection(group.members)
                if not kept:
                    del self._groups[digest]
                    group.task.cancel()
                    await asyncio.wait([group.task])
            for digest, members in wanted.items():
                if digest not in self._groups:
                    work = self._tasks.start(self._run(members), name="Discord", owner=self)
                    self._groups[digest] = _Group(members, work)

    def _wanted(self) -> dict[str, tuple[FamiliarId, ...]]:
        groups: dict[str, tuple[FamiliarId, ...]] = {}
        for familiar in self._conversations():
            if self.of(familiar).on and familiar in self._tokens:
                digest = hashlib.sha256(self._tokens[familiar].encode()).hexdigest()
                groups[digest] = (*groups.get(digest, ()), familiar)
        return groups

    async def _run(self, members: tuple[FamiliarId, ...]) -> None:
        """Keep some familiars connected; what ends all of them is told."""
        try:
            for familiar in members:
                self.report(familiar, LinkStatus("connecting"))
            company, conversations = await self._opened(), self._conversations()
            await company.run([conversations[one] for one in members if one in conversations])
        except FamiliarError as error:
            for familiar in members:
                if self.of(familiar).status.state != "failed":
                    self.report(familiar, LinkStatus("failed", str(error)))
        finally:
            for familiar in members:
                if self.of(familiar).status.state != "failed":
                    self.report(familiar, LinkStatus())

    async def _opened(self) -> Company:
        async with self._opening:
            if self._company is None:
                self._company = await self._make(self)
            return self._company

    # ---- what the connections tell

    def report(self, familiar: FamiliarId, status: LinkStatus) -> None:
        """Take in how a link stands."""
        self._change(familiar, replace(self.of(familiar), status=status))
        if status.state == "connected":
            self.look_soon(familiar)

    def look_soon(self, _familiar: FamiliarId) -> None:
        """See in a moment what servers, rights and limits are like; they often change by the dozen."""
        if self._looking is None and not self._closed:
            self._looking = asyncio.get_running_loop().call_later(LOOK_AFTER_S, self._look)

    def _look(self) -> None:
        self._looking = None
        links = {} if self._company is None else self._company.links
        for familiar, link in links.items():
            client, known = link.client, self.of(familiar)
            if client is None or not known.connected:
                continue
            seen = replace(
                known, servers=client.servers(), application=client.application_id, limits=client.limits.now()
            )
            if seen.kept() != known.kept():
                self._unsaved[familiar] = seen.kept()
                self._tasks.start(self._keep(), name="servers on Discord", owner=self)
            self._change(familiar, seen)

    async def _keep(self) -> None:
        """Write down what is not yet: what a task began that was ended is written at the end."""
        for familiar, kept in list(self._unsaved.items()):
            await self._vault.state.set(_places_key(familiar), kept)
            if self._unsaved.get(familiar) == kept:
                del self._unsaved[familiar]

    def _change(self, familiar: FamiliarId, standing: Standing) -> None:
        if self._standings.get(familiar) != standing:
            self._standings[familiar] = standing
            self._tell(familiar)

    def _tell(self, familiar: FamiliarId) -> None:
        for listener in list(self._listeners):
            listener(familiar)


def _on_key(familiar: FamiliarId) -> str:
    return f"discord.on.{familiar}"


def _places_key(familiar: FamiliarId) -> str:
    return f"discord.places.{familiar}"
