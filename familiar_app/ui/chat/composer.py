"""What is being written: the draft of each channel, what may be sent, and what the keys mean."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.text import tr, tr_later

MESSAGE_CHARS = 64_000
_SHORTEN = tr_later("Shorten it, or send it in parts.")

Key = Literal["enter", "up", "left", "right", "escape", "other"]
Deed = Literal["send", "newline", "edit_last", "swipe_back", "swipe_on", "regenerate", "stop", "escape", "pass"]


class StateStore(Protocol):
    """Where small values of the window are kept."""

    async def get(self, key: str) -> Any | None: ...

    async def set(self, key: str, value: Any) -> None: ...


def deed_of(key: Key, *, ctrl: bool = False, shift: bool = False, empty: bool, composing: bool, replying: bool) -> Deed:
    """Return what a key in the composer means. While an input method composes, every key is its own."""
    if composing:
        return "pass"
    if key == "enter":
        return "regenerate" if ctrl else "newline" if shift else "send"
    if key == "escape":
        return "stop" if replying else "escape"
    if ctrl or shift or not empty:
        return "pass"
    deeds: dict[Key, Deed] = {"up": "edit_last", "left": "swipe_back", "right": "swipe_on"}
    return deeds.get(key, "pass")


def check_message(text: str) -> str:
    """Return the text as it will be sent. Raises UserError where it is too long; "" means there is nothing to send."""
    text = text.strip("\n").rstrip()
    if len(text) > MESSAGE_CHARS:
        raise UserError(_too_long(len(text)), tr(_SHORTEN))
    return text if text.strip() else ""


def length_problem(text: str) -> str:
    """Say that a text is too long to be sent and what helps, "" where it is not."""
    length = len(text.strip("\n").rstrip())
    return f"{_too_long(length)} {tr(_SHORTEN)}" if length > MESSAGE_CHARS else ""


def _too_long(length: int) -> str:
    return tr(
        "This message has {n} characters; the most that can be sent at once is {most}.", n=length, most=MESSAGE_CHARS
    )


class Drafts:
    """Keeps what was typed and not yet sent, per channel, also over restarts."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._held: dict[ChannelId, str] = {}
        self._unsaved: set[ChannelId] = set()

    async def load(self, channel: ChannelId) -> str:
        """Return a channel's draft."""
        if channel not in self._held:
            found = await self._store.get(_key(channel))
            self._held.setdefault(channel, found if isinstance(found, str) else "")
        return self._held[channel]

    def held(self, channel: ChannelId) -> str:
        """Return the draft as it is held, "" before it was loaded."""
        return self._held.get(channel, "")

    def put(self, channel: ChannelId, text: str) -> None:
        """Hold a draft; `save` makes it lasting."""
        if self._held.get(channel) != text:
            self._held[channel] = text
            self._unsaved.add(channel)

    async def save(self) -> None:
        """Write all drafts that changed. One whose writing fails or is given up stays to be written."""
        for channel in list(self._unsaved):
            text = self._held.get(channel, "")
            await self._store.set(_key(channel), text)
            if self._held.get(channel, "") == text:
                self._unsaved.discard(channel)


def _key(channel: ChannelId) -> str:
    return f"chat.draft.{channel}"
