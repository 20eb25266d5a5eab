"""The servers and channels that the bot can see, as plain values, and how they are kept while it is away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["text", "voice", "forum", "thread"]


@dataclass(frozen=True, slots=True)
class Place:
    """A channel of a server. A thread stands under `parent`; `allowed` is what the bot may do there."""

    number: int
    title: str
    kind: Kind = "text"
    category: str = ""
    parent: int | None = None
    allowed: int = 0


@dataclass(frozen=True, slots=True)
class Server:
    """A server with its channels in Discord's order."""

    number: int
    name: str
    places: tuple[Place, ...] = ()

    @property
    def key(self) -> str:
        return f"discord:{self.number}"


def as_json(servers: Sequence[Server]) -> list[dict[str, Any]]:
    """Return servers as the vault's state keeps them."""
    return [asdict(one) for one in servers]


def from_json(kept: Any) -> tuple[Server, ...]:
    """Return what `as_json` made; anything of another shape is no servers."""
    try:
        return tuple(_server(one) for one in kept)
    except (TypeError, ValueError, KeyError):
        return ()


def _server(kept: Mapping[str, Any]) -> Server:
    return Server(int(kept["number"]), str(kept["name"]), tuple(Place(**one) for one in kept["places"]))
