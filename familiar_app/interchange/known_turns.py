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

_DRAWER_BITS = 8
_SHIFT = 64 - _DRAWER_BITS


def fingerprint(
    channel: ChannelKey, role: str, author: str | None, at: datetime, content: str, message_id: str | None
) -> int:
    """Return 64 bits that tell a turn from others: by its message id where it has one, else by what was said."""
    said = ("said", channel, role, author or "", format_time(at), content)
    parts = said if message_id is None else ("id", channel, message_id)
    digest = blake2b("\0".join(parts).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class KnownTurns:
    """The fingerprints of turns in the log; `take` finds each at most once.

    They lie in drawers by their first bits, and each drawer is put in order when it is first looked into: to sort those
    of a long log all at once would hold up everything else.
    """

    def __init__(self) -> None:
        self._drawers = [array("Q") for _ in range(1 << _DRAWER_BITS)]
        self._taken: dict[int, bytearray] = {}

    def __len__(self) -> int:
        return sum(map(len, self._drawers))

    async def load(self, chunks: AsyncIterable[list[Turn]], *, with_ids: bool) -> None:
        """Read turns of the log; those with a message id only where `with_ids` is set. Call it before `take`."""
        async for chunk in chunks:
            for turn in chunk:
                if turn.message_id is None or with_ids:
                    author = turn.author.key if turn.author else None
                    mark = fingerprint(
                        turn.channel_key, turn.role.value, author, turn.at, turn.content, turn.message_id
                    )
                    self._drawers[mark >> _SHIFT].append(mark)

    def take(self, mark: int) -> bool:
        """Tell whether the log has a turn with this fingerprint that no other line has taken, and take it."""
        found, taken = self._opened(mark >> _SHIFT)
        place = bisect_left(found, mark)
        while place < len(found) and found[place] == mark:
            if not taken[place]:
                taken[place] = 1
                return True
            place += 1
        return False

    def _opened(self, number: int) -> tuple[array[int], bytearray]:
        if number not in self._taken:
            self._drawers[number] = array("Q", sorted(self._drawers[number]))
            self._taken[number] = bytearray(len(self._drawers[number]))
        return self._drawers[number], self._taken[number]
