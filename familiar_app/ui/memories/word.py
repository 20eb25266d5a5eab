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
from familiar_app.domain.turn import Channel
from familiar_app.store.saved_memory_tool import DELETED, EVICTED

EVERYWHERE = "Every familiar"
_CAUSES = {
    "save": "saved by the familiar",
    "update": "changed by the familiar",
    "add": "written down",
    "edit": "changed by hand",
    "protect": "protection changed",
    "import": "came from a file",
    "reinforce": "brought back by what was said",
    "retire": "retired by hand",
    "restore": "restored",
    "move": "moved",
}


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
            return "nobody known"
        if key == OWNER:
            return self.owner
        if key.startswith("ego:"):
            return self.char
        return self.people.get(key) or key

    def server(self, key: str) -> str:
        """Name a server. A channel of the window, or a direct conversation, is one of its own."""
        channel = self.channels.get(key)
        if channel is None:
            return f"Server {key.partition(':')[2] or key}"
        title = channel.title.lstrip("#") or key
        return f"Channel {title}" if is_local(channel.key) else f"Conversation {title}"

    def place(self, place: MemoryPlace) -> str:
        """Say what a memory is about."""
        if place.scope is Scope.SERVER:
            return self.server(place.owner)
        name = self.person(place.owner)
        return f"{name} (every familiar)" if place.is_global else name

    def text(self, memory: SavedMemory) -> str:
        """Return what a memory says, with names in it."""
        user = self.person(memory.place.owner) if memory.place.scope is Scope.PERSONAL else "whoever is spoken to"
        return fill(memory.content, user=user, char=self.char)

    def when(self, at: datetime | None) -> str:
        """Write an instant for people."""
        return "never" if at is None else local_time(at, self.zone).strftime("%Y-%m-%d %H:%M")


def state_text(memory: SavedMemory, now: datetime, decay: Decay) -> str:
    """Say in few words how a memory stands."""
    if not memory.active:
        return {EVICTED: "Made room for another", DELETED: "Deleted by the familiar"}.get(
            memory.retired_reason or "", "Retired"
        )
    parts = ["Protected"] if memory.manually_written else []
    if is_dormant(memory, now, decay):
        parts.append("rests" if parts else "Rests")
    return ", ".join(parts) or "In every prompt"


def future_text(memory: SavedMemory, now: datetime, decay: Decay, names: Names) -> str:
    """Say what will become of a memory."""
    if not memory.active:
        return "It stands in no prompt and counts against no limit. It can be restored."
    if decay.days is None:
        return "It stays as it is: memories do not fade."
    if not decay.retrieval:
        return "It stays as it is: memories fade only where an embedder can bring them back."
    end = (memory.last_reinforced_at or memory.created_at) + timedelta(days=decay.days)
    kept = "It never makes room for another." if memory.manually_written else "It may then make room for another."
    if is_dormant(memory, now, decay):
        return f"It rests since {names.when(end)}, until something like it is said. {kept}"
    return f"If it is not of use before, it rests from {names.when(end)}. {kept}"


def cause_text(cause: str, *, retired: bool = False) -> str:
    """Say what an act did."""
    if retired and cause in ("save", "update", "import"):
        return {"update": "deleted by the familiar", "import": "made way for a file"}.get(
            cause, "made room for another"
        )
    return _CAUSES.get(cause, cause.replace("_", " "))


def count_text(count: int, limit: int) -> str:
    """Say how many there are of how many."""
    return f"{count:,} of {limit:,}"
