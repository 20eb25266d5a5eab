"""What the commands work with: the familiars behind one account of Discord, and the link that listens for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.discord_link.incoming import Spot
from familiar_app.discord_link.page import mark_of
from familiar_app.discord_link.scribe import Scribe
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.saved_memory.keeper import Keeper
from familiar_app.store.vault import Vault


@dataclass(frozen=True, slots=True)
class Host:
    """One familiar that is asked for something."""

    conversation: Conversation
    scribe: Scribe
    statement: Callable[[str | None], Awaitable[str]]
    """Writes the privacy statement for a server, or for none."""

    @property
    def familiar(self) -> FamiliarId:
        return self.conversation.familiar

    @property
    def name(self) -> str:
        return self.conversation.name

    @property
    def vault(self) -> Vault:
        return self.conversation.vault

    @property
    def keeper(self) -> Keeper:
        """On whose behalf memories are kept."""
        return keeper_of(self.familiar, self.conversation.config)


class Desk(Protocol):
    """What does the work behind the commands. The methods for managers answer with a sentence."""

    @property
    def hosts(self) -> Sequence[Host]: ...

    async def subscribe(self, spot: Spot, familiar: str | None = None) -> str: ...

    async def unsubscribe(self, spot: Spot, threads: Sequence[int], familiar: str | None = None) -> str: ...

    async def diagnostics(self, spot: Spot) -> str: ...

    async def focus(self, spot: Spot, on: bool) -> str: ...


def host_of(desk: Desk, familiar: str | None) -> Host | None:
    """Return the familiar that is meant by its id or its mark, the first one where none is named; else None."""
    hosts = desk.hosts
    if familiar is None:
        return hosts[0]
    return next((one for one in hosts if familiar in (one.familiar, mark_of(one.familiar))), None)
