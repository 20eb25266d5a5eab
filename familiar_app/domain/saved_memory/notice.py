"""What people are told when a memory was saved, changed or forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from familiar_app.domain.saved_memory.status import Status, ToolResult

MAX_CARD_CHARS = 4096
"""More does not fit into the card of a channel; it goes as a file that only the reader sees."""
ATTACHMENT = "notice.txt"

Visibility = Literal["verbose", "minimal", "hidden"]

_TITLES = {
    Status.SAVED: "Memory saved",
    Status.SAVED_WITH_EVICTION: "Memory saved, another one forgotten",
    Status.UPDATED: "Memory updated",
    Status.DELETED: "Memory deleted",
}


@dataclass(frozen=True, slots=True)
class MemoryNotice:
    """A notice: the title, and the whole card. `about` is the person it is about, whom `{user}` in it stands for."""

    memory: int
    title: str
    card: str
    about: str | None = None

    def in_channel(self, visibility: Visibility) -> ChannelNotice | None:
        """Return what a channel sees of it; None where it sees nothing."""
        if visibility == "hidden":
            return None
        if visibility == "minimal":
            return ChannelNotice(self.title)
        if len(self.card) > MAX_CARD_CHARS:
            return ChannelNotice(self.title, attachment=self.card)
        return ChannelNotice(self.title, card=self.card)


@dataclass(frozen=True, slots=True)
class ChannelNotice:
    """A notice in a channel. `attachment` is a text too long for a card, under the name `notice.txt`."""

    title: str
    card: str | None = None
    attachment: str | None = None


def notice_of(result: ToolResult) -> MemoryNotice | None:
    """Return the notice of a tool's result; None where nothing changed for anybody."""
    title = _TITLES.get(Status(result.status)) if result.success else None
    if title is None:
        return None
    data, parts = result.data, []
    about = data.get("target_user")
    if "content_saved" in data:
        parts.append(f"{'About ' + about if about else 'About this server'}: {data['content_saved']}")
    if data.get("content_forgotten"):
        parts.append(f"Forgotten: {data['content_forgotten']}")
    return MemoryNotice(data["memory_id"], title, "\n\n".join(parts), about)
