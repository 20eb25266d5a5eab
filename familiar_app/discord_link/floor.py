"""Keeps order among familiars that speak in the same channels: one at a time, and few in answer to one message.

All links of a vault share one. So the second to answer a message has heard the first, and nobody is talked down by a
crowd. Familiars never answer each other: what one of them says is no message to be taken for any link.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from familiar_app.discord_link.speak_rule import MAX_TURNS_IN_A_ROW

_REMEMBERED = 1000


@dataclass
class Floor:
    """Channels and messages are told apart by their numbers."""

    _locks: dict[int, asyncio.Lock] = field(default_factory=dict)
    _granted: OrderedDict[int, int] = field(default_factory=OrderedDict)
    _keepers: dict[int, object] = field(default_factory=dict)

    def turn(self, channel: int) -> asyncio.Lock:
        """Return what is held while somebody answers in a channel."""
        return self._locks.setdefault(channel, asyncio.Lock())

    def grants(self, message: int) -> bool:
        """Tell whether one more familiar may answer a message, and count it."""
        granted = self._granted.get(message, 0)
        if granted >= MAX_TURNS_IN_A_ROW:
            return False
        self._granted[message] = granted + 1
        if len(self._granted) > _REMEMBERED:
            self._granted.popitem(last=False)
        return True

    def keeps(self, channel: int, link: object) -> bool:
        """Tell whether this link counts what every link is told of a channel, such as reactions."""
        return self._keepers.setdefault(channel, link) is link

    def leave(self, link: object) -> None:
        """Let other links count from now on."""
        self._keepers = {channel: one for channel, one in self._keepers.items() if one is not link}
