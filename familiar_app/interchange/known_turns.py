"""Which of a file's turns the log has already, for lines without a message id and for a trial run.

The vault itself recognises a `(channel, message_id)`. A turn without an id is the same as one in the log where channel,
time, speaker, role and text are; each turn of the log can stand for one line only, so that something that was said
twice in one instant stays said twice. Costs 9 bytes for a turn of the log.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import AsyncIterable
from datetime import datetime
from hashlib import blake2b

from familiar_app.domain.clock import format_time
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.turn import Turn


def fingerprint(
    channel: ChannelKey, role: str, author: str | None, at: datetime, content: str, message_id: str | None
) -> int:
    """Return 64 bits that tell a turn from others: by its message id where it has one, else by what was said."""
    said = ("said", channel, role, author or "", format_time(at), content)
    parts = said if message_id is None else ("id", channel, message_id)
    digest = blake2b("\0".join(parts).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class KnownTurns:
    """The fingerprints of turns in the log; `take` finds each at most once."""

    def __init__(self) -> None:
        self._sorted = array("Q")
        self._taken = bytearray()

    def __len__(self) -> int:
        return len(self._sorted)

    async def load(self, chunks: AsyncIterable[list[Turn]], *, with_ids: bool) -> None:
        """Read turns of the log; those with a message id only where `with_ids` is set."""
        found = self._sorted
        async for chunk in chunks:
            for turn in chunk:
                if turn.message_id is None or with_ids:
                    author = turn.author.key if turn.author else None
                    found.append(
                        fingerprint(turn.channel_key, turn.role.value, author, turn.at, turn.content, turn.message_id)
                    )
        self._sorted = array("Q", sorted(found))
        self._taken = bytearray(len(found))

    def take(self, mark: int) -> bool:
        """Tell whether the log has a turn with this fingerprint that no other line has taken, and take it."""
        place = bisect_left(self._sorted, mark)
        while place < len(self._sorted) and self._sorted[place] == mark:
            if not self._taken[place]:
                self._taken[place] = 1
                return True
            place += 1
        return False
