"""What arrives from Discord, in the link's own words: plain values, so that nothing behind the client knows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from familiar_app.domain.audience import Readers
from familiar_app.domain.ids import ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.turn import Author


@dataclass(frozen=True, slots=True)
class Spot:
    """A channel, thread or direct conversation. A thread's settings come from `parent`."""

    number: int
    title: str
    guild: int | None = None
    parent: int | None = None
    readers: Readers | None = None

    @property
    def direct(self) -> bool:
        return self.guild is None

    @property
    def key(self) -> ChannelKey:
        return channel_key(self.number)

    @property
    def parent_key(self) -> ChannelKey | None:
        return None if self.parent is None else channel_key(self.parent)

    @property
    def guild_key(self) -> str | None:
        return None if self.guild is None else f"discord:{self.guild}"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message. `answers` is the message it replies to, `extras` what came with it; `missed` was fetched later.

    `application` is the bot behind a webhook, None where there is none; `bare` are the words without mentions and other
    marks, and `replied_name` is whom a webhook of this account showed in what is replied to. `another` tells that the
    message is for another familiar of the same account.
    """

    spot: Spot
    number: int
    author: Author
    text: str
    at: datetime
    extras: str | None = None
    answers: int | None = None
    mentions: tuple[PersonKey, ...] = ()
    own: bool = False
    webhook: bool = False
    system: bool = False
    mentioned: bool = False
    replied_to: bool = False
    others_mentioned: bool = False
    missed: bool = False
    bare: str = ""
    replied_name: str = ""
    another: bool = False
    application: int | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """A message reads otherwise now. With `preview` Discord only added what a link leads to."""

    channel: int
    number: int
    text: str
    preview: str | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """Messages are gone."""

    channel: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reacted:
    """An emoji was put under a message (1) or taken away (-1)."""

    channel: int
    number: int
    emoji: str
    change: int


@dataclass(frozen=True, slots=True)
class Typing:
    """Somebody is writing in a channel, as far as Discord tells."""

    channel: int
    by: PersonKey
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button under an answer was pressed by somebody, who may be a `moderator`. `tell` answers them alone."""

    channel: int
    number: int
    action: Literal["again", "bin"]
    familiar: FamiliarId
    asked: TurnId
    by: PersonKey
    moderator: bool
    tell: Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Connected:
    """The connection stands. After a resumed one nothing is missing."""

    resumed: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection broke; the library tries to take it up again."""


@dataclass(frozen=True, slots=True)
class RightsChanged:
    """What the bot may do, on a server or in a channel, may be something else now, and so may who reads there."""


@dataclass(frozen=True, slots=True)
class ServerArrived:
    """A server is known now with its channels and threads; it can be later than the connection."""


Incoming = (
    Heard | Changed | Removed | Reacted | Typing | Pressed | Connected | Disconnected | RightsChanged | ServerArrived
)


def channel_key(number: int) -> ChannelKey:
    """Return the key of the channel with that number."""
    return ChannelKey(f"discord:{number}")


def channel_number(key: ChannelKey) -> int | None:
    """Return the number Discord knows a channel by; None for channels of elsewhere."""
    platform, _, number = key.partition(":")
    return int(number) if platform == "discord" and number.isascii() and number.isdigit() else None
