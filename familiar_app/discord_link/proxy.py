"""Recognises messages that a bot sends in somebody's place: the original appears, a copy of it too, the original goes.

The copy and the disappearance come in either order, two seconds apart at most. What vanishes like that was not meant to
be forgotten, and the copy is not said by anybody else: both are one message. Without a copy a deletion is a deletion,
and without a deletion a copy is a message of its own.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from familiar_app.discord_link.incoming import Heard, Removed
from familiar_app.discord_link.speak_rule import Verdict
from familiar_app.discord_link.waiting import pause_unless
from familiar_app.domain.ids import PersonKey, proxy_key
from familiar_app.domain.turn import Turn

WAIT_S = 2.0
YOUNG_S = 10.0
"""How long a message is young enough to be one that a copy takes the place of."""
MAX_TAG_CHARS = 100
KNOWN_PROXIES = frozenset({466378653216014359, 431544605209788416})
"""PluralKit and Tupperbox. One webhook of theirs speaks for many people."""
_KEPT = 50


@dataclass(eq=False)
class Original:
    """A message of a person that may have been written for a bot to send in their place."""

    heard: Heard
    turn: Turn
    verdict: Verdict
    arrived_s: float
    gone: bool = False
    copy: Heard | None = None
    settled: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Proxies:
    """Waits for what belongs together. `merge`, `alone` and `removed` are told what came of it.

    `start` runs a coroutine in the background; `pause` and `now_s` are how time passes.
    """

    merge: Callable[[Original, Heard], Awaitable[None]]
    alone: Callable[[Heard], Awaitable[None]]
    removed: Callable[[Removed], Awaitable[None]]
    start: Callable[..., object]
    pause: Callable[[float], Awaitable[None]]
    now_s: Callable[[], float]
    _originals: deque[Original] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def note(self, heard: Heard, turn: Turn, verdict: Verdict) -> Original | None:
        """Remember a message that a copy may take the place of; None where that cannot be."""
        if heard.spot.direct or heard.webhook or heard.author.bot or heard.system or heard.missed:
            return None
        original = Original(heard, turn, verdict, self.now_s())
        self._originals.append(original)
        return original

    async def take_copy(self, copy: Heard) -> bool:
        """Take a message that stands for another one. False where it stands for none."""
        original = next((one for one in reversed(self._originals) if self._awaits(one) and fits(one.heard, copy)), None)
        if original is None:
            return False
        original.copy = copy
        if original.gone:
            await self._settle(original, copy)
        else:
            self.start(self._expire_copy(original, copy), "waits for an original to vanish")
        return True

    async def take_removal(self, removal: Removed) -> bool:
        """Take the disappearance of a message that may have a copy. False where it is a deletion like any other."""
        found = [one for one in self._originals if one.heard.number in removal.numbers and self._is_young(one)]
        if len(found) != 1 or len(removal.numbers) != 1 or found[0].settled.is_set():
            return False
        (original,) = found
        original.gone = True
        if original.copy is not None:
            await self._settle(original, original.copy)
        else:
            self.start(self._expire_removal(original, removal), "waits for a copy")
        return True

    async def wait(self, original: Original) -> None:
        """Wait until a copy has taken the place of a message, or none can be expected any more."""
        await pause_unless(self.pause, WAIT_S, original.settled)

    def _awaits(self, original: Original) -> bool:
        return original.copy is None and not original.settled.is_set() and self._is_young(original)

    def _is_young(self, original: Original) -> bool:
        return self.now_s() - original.arrived_s <= YOUNG_S

    async def _settle(self, original: Original, copy: Heard) -> None:
        self._originals.remove(original)
        try:
            await self.merge(original, copy)
        finally:
            original.settled.set()

    async def _expire_copy(self, original: Original, copy: Heard) -> None:
        await self.pause(WAIT_S)
        if not original.gone:
            original.copy = None
            await self.alone(copy)

    async def _expire_removal(self, original: Original, removal: Removed) -> None:
        try:
            await self.pause(WAIT_S)
        finally:
            # Where the program ends meanwhile, it is a deletion: that is the safer mistake.
            if original in self._originals and original.copy is None:
                self._originals.remove(original)
                original.settled.set()
                await self.removed(removal)


def fits(original: Heard, copy: Heard) -> bool:
    """Tell whether a message can be a copy: the same words within their marks, or the same files without words."""
    if original.spot.number != copy.spot.number or copy.at < original.at:
        return False
    said, repeated = " ".join(original.text.split()), " ".join(copy.text.split())
    if not repeated:
        return bool(copy.extras) and copy.extras == original.extras
    return repeated in said and len(said) - len(repeated) <= MAX_TAG_CHARS


def as_a_mere_name(heard: Heard) -> Heard:
    """Return a message of a bot that is known to speak for people, under the key of the name it speaks by."""
    if not heard.webhook or heard.application not in KNOWN_PROXIES:
        return heard
    return replace(heard, author=replace(heard.author, key=key_of_proxy(heard)))


def key_of_proxy(copy: Heard) -> PersonKey:
    """Return the key under which a copy is kept: of its name in its channel, which proves nobody's identity."""
    text = f"{copy.spot.number} {copy.author.name.casefold()}"
    return proxy_key(hashlib.sha256(text.encode()).hexdigest()[:16])
