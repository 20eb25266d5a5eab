"""The rows of the table of servers and channels, made from what is known of Discord, the vault and the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.rights import ALWAYS, Right, lacking
from familiar_app.discord_link.server import Place, Server
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.settings import CharacterConfig, DiscordMode
from familiar_app.domain.text import tr, tr_later

ELSEWHERE = Server(0, tr_later("Not on any server that is known"))
_SIGNS = {"text": "#", "voice": "♪", "forum": "▤", "thread": "↳"}


@dataclass(frozen=True, slots=True)
class Row:
    """A server (`place` is None) or one of its channels. A thread may listen because the channel above it does."""

    server: Server
    place: Place | None = None
    listens: bool = False
    inherits: bool = False
    mode: DiscordMode = "mentions"
    own_mode: bool = False
    own_layers: bool = False
    lacking: tuple[Right, ...] = ()
    opt_in: bool = False
    listening: int = 0
    attended: bool = False
    pinned: bool = False
    unread: int = 0

    @property
    def key(self) -> str:
        """What the row is known by: the number of its channel or server."""
        return f"{'server' if self.place is None else 'channel'}:{(self.place or self.server).number}"

    @property
    def channel(self) -> ChannelKey | None:
        return None if self.place is None else channel_key(self.place.number)

    @property
    def title(self) -> str:
        """The name, of a channel with a sign of its kind."""
        return self.server.name if self.place is None else f"{_SIGNS[self.place.kind]} {self.place.title}"

    @property
    def depth(self) -> int:
        return 0 if self.place is None else 2 if self.place.kind == "thread" else 1

    @property
    def can_listen(self) -> bool:
        """Whether its switch can be turned: a thread below a channel that listens goes with it."""
        return self.place is not None and not self.inherits


@dataclass(frozen=True, slots=True)
class Ground:
    """What rows are made of. `heard` has the channels of the vault that the familiar listens in, by key."""

    servers: Sequence[Server]
    heard: Mapping[str, str]
    config: CharacterConfig
    asked_first: frozenset[str] = frozenset()
    rights: Sequence[Right] = ALWAYS
    focus: Mapping[str, bool] = field(default_factory=dict)
    """The channels that have its attention, and whether that is pinned; without any, all have."""
    unread: Mapping[str, int] = field(default_factory=dict)


def rows_of(ground: Ground, *, query: str = "", only_listening: bool = False) -> list[Row]:
    """Return servers with their channels below them, as far as they fit a search."""
    made: list[Row] = []
    for server in (*ground.servers, *_elsewhere(ground)):
        channels = list(_channels(ground, server))
        wanted = [row for row in channels if _fits(row, query) and (row.listens or not only_listening)]
        if not wanted and (query.strip() or only_listening):
            continue
        count = sum(row.listens for row in channels)
        made.append(Row(server, opt_in=server.key in ground.asked_first, listening=count))
        made += wanted
    return made


def _channels(ground: Ground, server: Server) -> Iterator[Row]:
    for place in server.places:
        key, parent = channel_key(place.number), None if place.parent is None else channel_key(place.parent)
        inherits = parent is not None and parent in ground.heard
        own = [ground.config.channels.get(name) for name in names_of(key)]
        yield Row(
            server,
            place,
            listens=inherits or key in ground.heard,
            inherits=inherits,
            mode=ground.config.discord_mode(key, parent),
            own_mode=any(one is not None and one.mode is not None for one in own),
            own_layers=any(one is not None and one.prompt_layers is not None for one in own),
            lacking=()
            if server.number == ELSEWHERE.number
            else lacking(place.allowed, ground.rights, thread=place.kind == "thread"),
            opt_in=server.key in ground.asked_first,
            attended=key in ground.focus,
            pinned=ground.focus.get(key, False),
            unread=ground.unread.get(key, 0),
        )


def _elsewhere(ground: Ground) -> list[Server]:
    """Return a server for the channels that the familiar listens in and that stand on no server that is known."""
    known = {channel_key(place.number) for server in ground.servers for place in server.places}
    lost = [
        Place(int(key.partition(":")[2]), title)
        for key, title in ground.heard.items()
        if ChannelKey(key) not in known and key.partition(":")[2].isdigit()
    ]
    return [Server(ELSEWHERE.number, tr(ELSEWHERE.name), tuple(lost))] if lost else []


def names_of(key: ChannelKey) -> tuple[str, str]:
    """Return how a channel may be called in the settings: with and without its platform."""
    return key, key.partition(":")[2]


def _fits(row: Row, query: str) -> bool:
    said = f"{row.title} {row.server.name} {row.place.category if row.place else ''}".casefold()
    return all(word in said for word in query.casefold().split())
