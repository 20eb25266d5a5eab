"""Says in plain sentences what went wrong with Discord, and whether trying again can help."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import aiohttp
import discord

from familiar_app.discord_link.status import NO_INTENT, REFUSED
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.text import tr, tr_later

_RENEW = tr_later(
    "Copy a new one from the developer portal (Bot, Reset Token), and give it on the page Discord of the window, "
    "or to 'familiar serve --token-file'."
)
_SWITCH = tr_later(
    "Open the developer portal, go to Bot, and turn on the switch 'Message Content Intent'; or use mode 'mentions'."
)
_CLOSED = {
    4004: (REFUSED, _RENEW),
    4010: (tr_later("Discord refused this connection (wrong shard)."), tr_later("Update Familiar.")),
    4011: (tr_later("The bot is on too many servers for one connection."), tr_later("Take it off some of them.")),
    4012: (tr_later("Discord no longer speaks this version of its protocol."), tr_later("Update Familiar.")),
    4013: (tr_later("Discord does not know what this connection asked for."), tr_later("Update Familiar.")),
    4014: (NO_INTENT, _SWITCH),
}


class NotPermittedError(OutsideError):
    """The bot may not do something in a channel."""


class ConnectionLostError(OutsideError):
    """There is no connection, or it broke meanwhile. Whatever was asked for may have been done or not."""

    def __init__(self, message: str = "") -> None:
        text = message or tr("The connection to Discord broke.")
        super().__init__(text, tr("Familiar tries again by itself."), retryable=True)


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
        return _closed(4004)
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return _closed(4014)
    if isinstance(error, discord.ConnectionClosed) and error.code in _CLOSED:
        return _closed(error.code)
    if isinstance(error, discord.HTTPException):
        return _refused(error)
    return ConnectionLostError()


def _closed(code: int) -> UserError:
    message, next_step = _CLOSED[code]
    return UserError(tr(message), tr(next_step))


def _refused(error: discord.HTTPException) -> OutsideError:
    if error.status == 403:
        return NotPermittedError(
            tr("The bot may not do this here."), tr("Give it the right to read and write in the channel.")
        )
    if error.status == 404:
        return OutsideError(tr("Discord knows this channel or message no longer."))
    if error.status == 429:
        return OutsideError(tr("Discord asks the bot to slow down."), tr("Familiar waits."), retryable=True)
    if error.status >= 500:
        return OutsideError(
            tr("Discord has a fault of its own."), tr("Familiar tries again by itself."), retryable=True
        )
    return OutsideError(
        tr("Discord refused a request (HTTP {status}, code {code}).", status=str(error.status), code=str(error.code))
    )


EXPECTED = (
    discord.DiscordException,
    aiohttp.ClientError,
    OSError,
    asyncio.TimeoutError,
)
"""What the client library raises where the outside is at fault."""
