"""Asks PluralKit who is behind a message that it sent in somebody's place. Only where the owner has turned it on.

What is sent is the number of the message, and nothing else. Where no answer comes, nobody is recognised.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from familiar_app.discord_link.name import safe_name
from familiar_app.domain.contact import PROXY_LOOKUP
from familiar_app.domain.ids import PersonKey
from familiar_app.models.fetch import fetch_json
from familiar_app.models.network import NetworkPolicy

PLURALKIT = "https://api.pluralkit.me"
_TIMEOUT_S = 2.0
_MEMBER = re.compile(r"[A-Za-z0-9-]{1,64}\Z")


@dataclass(frozen=True, slots=True)
class Verified:
    """Who sent a message by a proxy: their own key, and their name where it is known."""

    key: PersonKey
    name: str


Lookup = Callable[[int], Awaitable[Verified | None]]


async def nobody(_: int) -> Verified | None:
    """Know nobody."""
    return None


class PluralKit:
    """Looks members up by messages."""

    def __init__(self, network: NetworkPolicy, address: str = PLURALKIT) -> None:
        self._network = network
        self._address = address

    async def __call__(self, message: int) -> Verified | None:
        """Return who is behind a message; None where that is not known, or cannot be asked."""
        url = f"{self._address}/v2/messages/{message}"
        return read_member(await fetch_json(self._network, url, timeout_s=_TIMEOUT_S, purpose=PROXY_LOOKUP))


def read_member(answer: object) -> Verified | None:
    """Read what PluralKit says about a message; None where it does not name a member."""
    member = answer.get("member") if isinstance(answer, dict) else None
    if not isinstance(member, dict):
        return None
    number = member.get("uuid") or member.get("id")
    if not isinstance(number, str) or not _MEMBER.match(number):
        return None
    name = member.get("display_name") or member.get("name")
    return Verified(PersonKey(f"pk:{number.lower()}"), safe_name(name) if isinstance(name, str) else "")
