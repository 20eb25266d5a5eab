"""Gathers from the settings and the vault what the privacy statement tells, and writes it."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.statement import Handled, Handling, statement
from familiar_app.store.vault import Vault

_OF_DISCORD = ".discord_token"


async def statement_of(
    vault: Vault,
    familiars: Sequence[Handled],
    *,
    local_only: bool,
    server: str | None = None,
    key_in_keyring: bool = False,
) -> str:
    """Return the statement for a server, or for none. Discord is part of it as soon as a token is in the vault."""
    servers = await vault.privacy.opt_in_servers()
    handling = Handling(
        familiars,
        local_only=local_only,
        on_discord=server is not None or any(name.endswith(_OF_DISCORD) for name in await vault.secrets.names()),
        asks_first=None if server is None else server in servers,
        servers_that_ask=len(servers),
        key_in_keyring=key_in_keyring,
    )
    return statement(handling)
