"""What the bot must be allowed to do on a server: the rights its invitation asks for, and which of them it lacks."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

_INVITE = "https://discord.com/oauth2/authorize"


@dataclass(frozen=True, slots=True)
class Right:
    """A right by the name Discord shows for it; `bit` is its value in Discord's numbers."""

    name: str
    bit: int
    what_for: str


VIEW = Right("View Channels", 1 << 10, "to see where people talk")
SEND = Right("Send Messages", 1 << 11, "to answer")
SEND_IN_THREADS = Right("Send Messages in Threads", 1 << 38, "to answer in threads")
READ_HISTORY = Right("Read Message History", 1 << 16, "to reply to a message, and to fetch what it missed")
ATTACH = Right("Attach Files", 1 << 15, "to send a very long answer as a file")
MANAGE_WEBHOOKS = Right("Manage Webhooks", 1 << 29, "to speak with a familiar's own name and picture")
ADMINISTRATOR = 1 << 3
ALWAYS = (VIEW, SEND, SEND_IN_THREADS, READ_HISTORY, ATTACH)


def needed(*, webhooks: bool = False) -> tuple[Right, ...]:
    """Return the rights that what is switched on needs, and no others."""
    return (*ALWAYS, MANAGE_WEBHOOKS) if webhooks else ALWAYS


def bits(rights: Iterable[Right]) -> int:
    """Return rights as Discord's number."""
    total = 0
    for right in rights:
        total |= right.bit
    return total


def lacking(allowed: int, rights: Iterable[Right], *, thread: bool = False) -> tuple[Right, ...]:
    """Return which of `rights` are missing in a channel where `allowed` holds."""
    if allowed & ADMINISTRATOR:
        return ()
    beside_the_point = SEND if thread else SEND_IN_THREADS
    return tuple(right for right in rights if right is not beside_the_point and not allowed & right.bit)


def invitation(application: int, rights: Iterable[Right]) -> str:
    """Return the address at which somebody who manages a server takes the bot in, with exactly these rights."""
    asked = {"client_id": application, "scope": "bot applications.commands", "permissions": bits(rights)}
    return f"{_INVITE}?{urlencode(asked)}"


def account_of(token: str) -> int | None:
    """Return the number of the account that a token begins with, None where it begins otherwise.

    It is the number of the application too, but for a few that are older than 2016.
    """
    head = token.partition(".")[0]
    try:
        number = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return None
    return int(number) if number.isdigit() and 15 <= len(number) <= 20 else None
