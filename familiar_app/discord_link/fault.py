"""Says in plain sentences what went wrong with Discord, and whether trying again can help."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import aiohttp
import discord

from familiar_app.discord_link.status import NO_INTENT, REFUSED
from familiar_app.domain.errors import OutsideError, UserError

_RENEW = (
    "Copy a new one from the developer portal (Bot, Reset Token), and give it on the page Discord of the window, "
    "or to 'familiar serve --token-file'."
)
_SWITCH = (
    "Open the developer portal, go to Bot, and turn on the switch 'Message Content Intent'; or use mode 'mentions'."
)
_CLOSED = {
    4004: (REFUSED, _RENEW),
    4010: ("Discord refused this connection (wrong shard).", "Update Familiar."),
    4011: ("The bot is on too many servers for one connection.", "Take it off some of them."),
    4012: ("Discord no longer speaks this version of its protocol.", "Update Familiar."),
    4013: ("Discord does not know what this connection asked for.", "Update Familiar."),
    4014: (NO_INTENT, _SWITCH),
}


class NotPermittedError(OutsideError):
    """The bot may not do something in a channel."""


class ConnectionLostError(OutsideError):
    """There is no connection, or it broke meanwhile. Whatever was asked for may have been done or not."""

    def __init__(self, message: str = "The connection to Discord broke.") -> None:
        super().__init__(message, "Familiar tries again by itself.", retryable=True)


@contextmanager
def explaining(closed: Callable[[], bool]) -> Iterator[None]:
    """Translate what the client library raises within the block; `closed` tells whether its client was closed."""
    try:
        yield
    except EXPECTED as error:
        raise explained(error) from error
    except RuntimeError as error:
        # So the library's own library calls it where a request begins or goes on after the end of its client.
        if not closed():
            raise
        raise ConnectionLostError from error


def explained(error: BaseException) -> OutsideError | UserError:
    """Translate what the client library raises. What is not known is taken for a connection that broke."""
    if isinstance(error, OutsideError | UserError):
        return error
    if isinstance(error, discord.LoginFailure):
        return UserError(REFUSED, _RENEW)
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return UserError(*_CLOSED[4014])
    if isinstance(error, discord.ConnectionClosed) and error.code in _CLOSED:
        return UserError(*_CLOSED[error.code])
    if isinstance(error, discord.HTTPException):
        return _refused(error)
    return ConnectionLostError()


def _refused(error: discord.HTTPException) -> OutsideError:
    if error.status == 403:
        return NotPermittedError("The bot may not do this here.", "Give it the right to read and write in the channel.")
    if error.status == 404:
        return OutsideError("Discord knows this channel or message no longer.")
    if error.status == 429:
        return OutsideError("Discord asks the bot to slow down.", "Familiar waits.", retryable=True)
    if error.status >= 500:
        return OutsideError("Discord has a fault of its own.", "Familiar tries again by itself.", retryable=True)
    return OutsideError(f"Discord refused a request (HTTP {error.status}, code {error.code}).")


EXPECTED = (
    discord.DiscordException,
    aiohttp.ClientError,
    OSError,
    asyncio.TimeoutError,
)
"""What the client library raises where the outside is at fault."""
