"""What the vault keeps so that a familiar can be on Discord: its bot's token, and the channels in which it listens.

Needs no client library, so that a window without Discord need not load it.
"""

from __future__ import annotations

from familiar_app.discord_link.incoming import channel_key
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr
from familiar_app.store.vault import Vault

_MAX_TOKEN_CHARS = 200


def token_name(familiar: FamiliarId) -> str:
    """Return the name under which the vault keeps a familiar's token."""
    return f"{familiar}.discord_token"


def read_token(text: str, *, source: str) -> str:
    """Return a token as it was copied. Raises BadInputError where it cannot be one."""
    token = text.strip().removeprefix("Bot ").strip()
    if not token or len(token) > _MAX_TOKEN_CHARS or not token.isascii() or any(char.isspace() for char in token):
        raise BadInputError(
            tr("this is not a bot's token."),
            source=source,
            next_step=tr("Copy it from Discord's developer portal (Bot, Reset Token)."),
        )
    return token


async def keep_token(vault: Vault, familiar: FamiliarId, text: str, *, source: str) -> None:
    """Keep a familiar's token in the vault. Raises BadInputError where it cannot be one."""
    await vault.secrets.set(token_name(familiar), read_token(text, source=source))


async def subscribe(vault: Vault, familiar: FamiliarId, channel: int) -> None:
    """Let a familiar listen in a channel of Discord from now on."""
    await vault.channels.ensure(channel_key(channel), familiar=familiar)


async def unsubscribe(vault: Vault, familiar: FamiliarId, channel: int) -> None:
    """Let a familiar listen in a channel of Discord no longer."""
    known = await vault.channels.find(channel_key(channel))
    if known is not None:
        await vault.channels.unsubscribe(known.id, familiar)
