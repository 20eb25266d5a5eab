"""All links of one vault: one for each account that familiars have a token of, all aware of each other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.client import GATEWAY, REST, Addresses
from familiar_app.discord_link.floor import Floor
from familiar_app.discord_link.journal import Journal
from familiar_app.discord_link.link import DiscordLink, Patience
from familiar_app.discord_link.proxy_lookup import PluralKit
from familiar_app.discord_link.status import LOCAL_ONLY, LinkStatus
from familiar_app.discord_link.token import token_name
from familiar_app.domain.clock import Clock
from familiar_app.domain.contact import DISCORD
from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr
from familiar_app.models.network import NetworkPolicy, RefusedByLocalOnlyError, is_loopback
from familiar_app.store.token_lock import lock_token
from familiar_app.store.vault import Vault

_ADDRESS = "FAMILIAR_DISCORD_ADDRESS"
Report = Callable[[FamiliarId, LinkStatus], None]


@dataclass
class Company:
    """Connects familiars. `report` is told of every change; `locks` is the folder of the locks on tokens.

    `links` has those that run, `journals` what each familiar noticed; both by familiar.
    """

    vault: Vault
    network: NetworkPolicy
    clock: Clock
    tasks: TaskRegistry
    locks: Path
    addresses: Addresses = field(default_factory=Addresses)
    patience: Patience = field(default_factory=Patience)
    report: Report = lambda *_: None
    on_surroundings: Callable[[FamiliarId], object] = lambda _: None
    links: dict[FamiliarId, DiscordLink] = field(default_factory=dict, init=False)
    journals: dict[FamiliarId, Journal] = field(default_factory=dict)
    picture: Callable[[FamiliarId], bytes | None] = lambda _: None
    _relatives: set[int] = field(default_factory=set, init=False)
    _floor: Floor = field(default_factory=Floor, init=False)

    async def with_token(self, conversations: Sequence[Conversation]) -> list[Conversation]:
        """Return those whose familiar has a token."""
        names = set(await self.vault.secrets.names())
        return [one for one in conversations if token_name(one.familiar) in names]

    async def run(self, conversations: Sequence[Conversation]) -> None:
        """Keep familiars connected until this is cancelled, or all have failed; then the first error is raised."""
        self._check(self.addresses.rest)
        owner = object()
        tasks = [
            self.tasks.start(self._connect(token, members), name=f"Discord for {members[0].familiar}", owner=owner)
            for token, members in (await self._by_token(conversations)).items()
        ]
        try:
            errors = [error for error in await asyncio.gather(*tasks) if error is not None]
        finally:
            await self.tasks.cancel(owner)
        if errors:
            raise errors[0]

    async def _by_token(self, conversations: Sequence[Conversation]) -> dict[str, list[Conversation]]:
        """Return the familiars by the account they share. Raises UserError where one has no token."""
        found: dict[str, list[Conversation]] = {}
        for one in conversations:
            token = await self.vault.secrets.get(token_name(one.familiar))
            if token is None:
                raise UserError(
                    tr("This familiar has no token for Discord."), tr("Give it one with 'serve --token-file'.")
                )
            found.setdefault(token, []).append(one)
        return found

    async def _connect(self, token: str, members: Sequence[Conversation]) -> FamiliarError | None:
        """Run one link, and return what ended it."""
        try:
            lock = lock_token(token, self.locks)
        except FamiliarError as error:
            self._tell(members, LinkStatus("failed", str(error)))
            return error
        link = DiscordLink(
            conversation=members[0],
            others=members[1:],
            floor=self._floor,
            picture=self.picture,
            lookup=PluralKit(self.network),
            clock=self.clock,
            tasks=self.tasks,
            token=token,
            check=self._check,
            addresses=self.addresses,
            patience=self.patience,
            relatives=self._relatives,
            journals=self.journals,
            on_status=lambda status: self._tell(members, status),
            on_surroundings=lambda: [self.on_surroundings(one.familiar) for one in members],
        )
        self.links |= {one.familiar: link for one in members}
        try:
            await link.run()
        except FamiliarError as error:
            return error
        finally:
            for one in members:
                del self.links[one.familiar]
            lock.release()
        return None

    def _tell(self, members: Sequence[Conversation], status: LinkStatus) -> None:
        for one in members:
            self.report(one.familiar, status)

    def _check(self, url: str) -> None:
        try:
            self.network.check(url, DISCORD)
        except RefusedByLocalOnlyError as error:
            raise UserError(
                tr(LOCAL_ONLY),
                tr("Turn local-only mode off, or start without --local-only."),
            ) from error


def addresses_from(environment: Mapping[str, str]) -> Addresses:
    """Return where Discord is: always the real one, unless the environment names a stand-in on this computer."""
    other = environment.get(_ADDRESS, "").rstrip("/")
    if not other:
        return Addresses(REST, GATEWAY)
    if not is_loopback(other) or not other.startswith("http://"):
        raise UserError(
            tr("{address} may only name this computer.", address=_ADDRESS), tr("Take it out of the environment.")
        )
    return Addresses(other, f"ws{other.removeprefix('http')}/gateway/")
