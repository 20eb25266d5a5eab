"""Writes the privacy statement for a server from the settings of those who listen there."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.conversation.exchange import Conversation
from familiar_app.domain.statement import Handled, Handling, statement


async def statement_for(conversations: Sequence[Conversation], server: str | None) -> str:
    """Return the statement of familiars that are connected to Discord, so local-only mode is off."""
    vault = conversations[0].vault
    servers = await vault.privacy.opt_in_servers()
    handling = Handling(
        [Handled(one.name, one.config) for one in conversations],
        local_only=False,
        on_discord=True,
        asks_first=None if server is None else server in servers,
        servers_that_ask=len(servers),
    )
    return statement(handling)
