"""Who may hear what was learned where. Pure rules; which places there are is the store's part.

A place is a channel with its readers. What was learned in one may be used in another:

* `strict`: where everybody who reads there can also read the place it was learned in;
* `server`: in every channel of the same server as well, whoever reads there;
* `open`: anywhere, because the owner says so.

In every mode the words of a direct message stay in direct messages with that person; only the program's own window,
which nobody but the owner of the vault reads, may be opened to them. Where readers are not known, nobody is taken for
one. The window itself counts as private to the owner, and so does what the owner added by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.domain.text import tr_later


class AudienceMode(StrEnum):
    """How freely a channel uses what was learned elsewhere."""

    STRICT = "strict"
    SERVER = "server"
    OPEN = "open"


class PlaceKind(StrEnum):
    """What kind of channel it is. A `direct` one is a conversation with one person, or with a few."""

    LOCAL = "local"
    DIRECT = "direct"
    SERVER = "server"


class Held(StrEnum):
    """Why something may not be heard."""

    DIRECT = tr_later("learned in a direct message with somebody else")
    WINDOW = tr_later("learned in the program's own window")
    OWNER = tr_later("added by the owner, for no channel")
    SERVER = tr_later("learned on another server")
    READERS = tr_later("learned where not everybody here can read")
    UNKNOWN = tr_later("learned where it is not known who can read")
    GONE = tr_later("it is not known any more where it was learned")


@dataclass(frozen=True, slots=True)
class Readers:
    """Who reads a channel, as far as the link to its platform has told.

    `people` takes part in a direct conversation. In a channel of a server, `tokens` are marks of those who can read:
    keys of people or marks of roles, compared as they are; `everyone` tells that every member of the server can.
    `barred` are the marks of those who cannot, whatever else lets them in.
    """

    people: frozenset[PersonKey] = frozenset()
    tokens: frozenset[str] | None = None
    everyone: bool = False
    barred: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """A channel as somewhere to learn and to speak. `guild` is its server; `readers` is None where nobody told."""

    channel: ChannelId
    kind: PlaceKind
    guild: str | None = None
    readers: Readers | None = None


def held(here: Place, there: Place, mode: AudienceMode) -> Held | None:
    """Tell why what was learned `there` may not be used `here`; None where it may."""
    if here.channel == there.channel:
        return None
    if here.kind is PlaceKind.LOCAL:
        # Nobody but the owner reads the window; whatever it is opened to, no third person hears.
        return None if mode is AudienceMode.OPEN else _in_window(there)
    if there.kind is PlaceKind.DIRECT:
        return None if _same_people(here, there) else Held.DIRECT
    if mode is AudienceMode.OPEN:
        return None
    if there.kind is PlaceKind.LOCAL:
        return Held.WINDOW
    return _in_server(here, there, mode)


def _in_window(there: Place) -> Held | None:
    reasons = {PlaceKind.LOCAL: None, PlaceKind.DIRECT: Held.DIRECT, PlaceKind.SERVER: Held.UNKNOWN}
    return reasons[there.kind]


def _same_people(here: Place, there: Place) -> bool:
    """Tell whether nobody takes part here who did not take part there."""
    if here.kind is not PlaceKind.DIRECT or here.readers is None or there.readers is None:
        return False
    return bool(here.readers.people) and here.readers.people <= there.readers.people


def _in_server(here: Place, there: Place, mode: AudienceMode) -> Held | None:
    """Decide about what was learned in a channel of a server."""
    same_server = here.guild is not None and here.guild == there.guild
    if same_server and (mode is AudienceMode.SERVER or _all_of_server(here, there)):
        return None
    if there.readers is None or here.readers is None:
        return Held.UNKNOWN if same_server or here.kind is PlaceKind.DIRECT else Held.SERVER
    able = there.readers.tokens or frozenset()
    if here.kind is PlaceKind.DIRECT:
        return None if here.readers.people and here.readers.people <= able else Held.READERS
    # A role of one server tells nothing on another, but people are the same everywhere.
    needed = here.readers.tokens
    closed = Held.READERS if same_server else Held.SERVER
    if here.readers.everyone or not needed or not there.readers.barred <= here.readers.barred:
        return closed
    return None if needed <= able else closed


def _all_of_server(here: Place, there: Place) -> bool:
    """Tell whether a whole server can read `there`, but for those who cannot read `here` either."""
    if there.readers is None or not there.readers.everyone:
        return False
    return there.readers.barred <= (frozenset() if here.readers is None else here.readers.barred)


@dataclass(frozen=True, slots=True)
class Audience:
    """What may be heard in one channel: what was learned in the channels `open_to`.

    With `everything` nothing is held back. `unplaced` tells whether what has no place may be heard, as the owner's own
    additions; `closed` has the reason for each channel whose matter is held back.
    """

    channel: ChannelId
    mode: AudienceMode
    open_to: frozenset[ChannelId] = frozenset()
    closed: Mapping[ChannelId, Held] = field(default_factory=dict)
    unplaced: bool = False

    @property
    def everything(self) -> bool:
        """Whether nothing at all is held back."""
        return self.unplaced and not self.closed

    def why_held(self, places: Iterable[ChannelId | None]) -> Held | None:
        """Tell why something that was learned in all of `places` at once is held back; None where it may be heard.

        What has no place is named None.
        """
        for place in places:
            if place is None and not self.unplaced:
                return Held.OWNER
            if place is not None and place not in self.open_to:
                return self.closed.get(place, Held.GONE)
        return None


@dataclass(frozen=True, slots=True)
class Reader:
    """One person who reads alone: all their keys, their marks on the server they ask from, and that server."""

    keys: frozenset[PersonKey]
    tokens: frozenset[str] = frozenset()
    guild: str | None = None


def held_from(there: Place, reader: Reader) -> Held | None:
    """Tell why what was learned `there` is not told to one person alone; None where they can, or could, read it."""
    if there.kind is PlaceKind.LOCAL:
        return Held.WINDOW
    if there.readers is None:
        return Held.UNKNOWN
    if there.kind is PlaceKind.DIRECT:
        return None if reader.keys & there.readers.people else Held.DIRECT
    able = there.readers.tokens or frozenset()
    if reader.keys & able:
        return None
    if reader.guild is None or reader.guild != there.guild:
        return Held.SERVER
    if (reader.keys | reader.tokens) & there.readers.barred:
        return Held.READERS
    return None if there.readers.everyone or reader.tokens & able else Held.READERS


def audience_of_reader(reader: Reader, places: Sequence[Place], channel: ChannelId | None) -> Audience:
    """Weigh every place there is against one person who reads alone, and asks from `channel`."""
    closed = {
        there.channel: reason
        for there in places
        if there.channel != channel and (reason := held_from(there, reader)) is not None
    }
    opened = frozenset(one.channel for one in places if one.channel not in closed)
    return Audience(ChannelId(-1) if channel is None else channel, AudienceMode.STRICT, opened, closed)


def outside_direct_messages(places: Sequence[Place]) -> Audience:
    """Return all that was learned, but for what was learned in direct messages."""
    closed = {one.channel: Held.DIRECT for one in places if one.kind is PlaceKind.DIRECT}
    return Audience(
        channel=ChannelId(-1),
        mode=AudienceMode.OPEN,
        open_to=frozenset(one.channel for one in places if one.channel not in closed),
        closed=closed,
        unplaced=True,
    )


# Hears nothing but what was said in a channel that is none.
NOBODY = Audience(ChannelId(-1), AudienceMode.STRICT)


def audience_of(here: Place, places: Sequence[Place], mode: AudienceMode) -> Audience:
    """Weigh every place there is against one channel."""
    closed = {there.channel: reason for there in places if (reason := held(here, there, mode)) is not None}
    return Audience(
        channel=here.channel,
        mode=mode,
        open_to=frozenset({one.channel for one in places if one.channel not in closed} | {here.channel}),
        closed=closed,
        unplaced=here.kind is PlaceKind.LOCAL or mode is AudienceMode.OPEN,
    )
