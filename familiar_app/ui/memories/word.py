"""A saved memory in words: about whom, by whom, how it stands, what becomes of it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.ids import OWNER, is_local
from familiar_app.domain.saved_memory.capacity import Decay, is_dormant
from familiar_app.domain.saved_memory.memory import MemoryPlace, SavedMemory, Scope
from familiar_app.domain.saved_memory.placeholder import fill
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.turn import Channel
from familiar_app.store.saved_memory_tool import DELETED, EVICTED
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.date_text import numeric_date, numeric_date_time

_CAUSES = {
    "save": tr_later("saved by the familiar"),
    "update": tr_later("changed by the familiar"),
    "add": tr_later("written down"),
    "edit": tr_later("changed by hand"),
    "protect": tr_later("protection changed"),
    "import": tr_later("came from a file"),
    "reinforce": tr_later("brought back by what was said"),
    "retire": tr_later("retired by hand"),
    "restore": tr_later("restored"),
    "move": tr_later("moved"),
}

_TOLD, _RESTS = tr_later("In every prompt"), tr_later("Rests")
_PROTECTED, _PROTECTED_RESTS = tr_later("Protected"), tr_later("Protected, rests")
_RETIRED, _CROWDED_OUT = tr_later("Retired"), tr_later("Made room for another")
_DELETED = tr_later("Deleted by the familiar")


@dataclass(frozen=True, slots=True)
class Names:
    """What people, servers and channels are called. `owner` is the owner of the program, `char` the familiar."""

    people: Mapping[str, str]
    channels: Mapping[str, Channel]
    owner: str
    char: str
    zone: tzinfo

    def person(self, key: str | None) -> str:
        """Name a person, a familiar, or nobody."""
        if key is None:
            return tr("nobody known")
        if key == OWNER:
            return self.owner
        if key.startswith("ego:"):
            return self.char
        return self.people.get(key) or key

    def server(self, key: str) -> str:
        """Name a server. A channel of the window, or a direct conversation, is one of its own."""
        channel = self.channels.get(key)
        if channel is None:
            return tr("Server {name}", name=key.partition(":")[2] or key)
        title = channel_title(channel).lstrip("#")
        return tr("Channel {name}", name=title) if is_local(channel.key) else tr("Conversation {name}", name=title)

    def place(self, place: MemoryPlace) -> str:
        """Say what a memory is about."""
        if place.scope is Scope.SERVER:
            return self.server(place.owner)
        name = self.person(place.owner)
        return tr("{name} (every familiar)", name=name) if place.is_global else name

    def text(self, memory: SavedMemory) -> str:
        """Return what a memory says, with names in it."""
        user = self.person(memory.place.owner) if memory.place.scope is Scope.PERSONAL else tr("whoever is spoken to")
        return fill(memory.content, user=user, char=self.char)

    def when(self, at: datetime | None) -> str:
        """Write an instant for people."""
        return tr("never") if at is None else numeric_date_time(local_time(at, self.zone))

    def day(self, at: datetime) -> str:
        """Write the day of an instant."""
        return numeric_date(local_time(at, self.zone))


def state_text(memory: SavedMemory, now: datetime, decay: Decay) -> str:
    """Say in few words how a memory stands."""
    if not memory.active:
        return tr({EVICTED: _CROWDED_OUT, DELETED: _DELETED}.get(memory.retired_reason or "", _RETIRED))
    if is_dormant(memory, now, decay):
        return tr(_PROTECTED_RESTS) if memory.manually_written else tr(_RESTS)
    return tr(_PROTECTED) if memory.manually_written else tr(_TOLD)


def state_texts(*, retired: bool) -> list[str]:
    """List what `state_text` can say of memories that are kept, or of retired ones."""
    kept, gone = (_PROTECTED_RESTS, _RESTS, _PROTECTED, _TOLD), (_CROWDED_OUT, _DELETED, _RETIRED)
    return [tr(text) for text in (gone if retired else kept)]


def future_text(memory: SavedMemory, now: datetime, decay: Decay, names: Names) -> str:
    """Say what will become of a memory."""
    if not memory.active:
        return tr("It stands in no prompt and counts against no limit. It can be restored.")
    if decay.days is None:
        return tr("It stays as it is: memories do not fade.")
    if not decay.retrieval:
        return tr("It stays as it is: memories fade only where an embedder can bring them back.")
    end = (memory.last_reinforced_at or memory.created_at) + timedelta(days=decay.days)
    written = memory.manually_written
    kept = tr("It never makes room for another.") if written else tr("It may then make room for another.")
    if is_dormant(memory, now, decay):
        rests = tr("It rests since {when}, until something like it is said.", when=names.when(end))
    else:
        rests = tr("If it is not of use before, it rests from {when}.", when=names.when(end))
    return f"{rests} {kept}"


def cause_text(cause: str, *, retired: bool = False) -> str:
    """Say what an act did."""
    if retired and cause in ("save", "update", "import"):
        return {"update": tr("deleted by the familiar"), "import": tr("made way for a file")}.get(
            cause, tr("made room for another")
        )
    return tr(_CAUSES[cause]) if cause in _CAUSES else cause.replace("_", " ")


def count_text(count: int, limit: int) -> str:
    """Say how many there are of how many."""
    return tr("{count} of {limit}", count=count, limit=limit)
