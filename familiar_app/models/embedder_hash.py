"""An embedder without a model: words and pieces of words, hashed into a fixed number of dimensions.

It finds spellings near each other (plurals, typos, compounds), not meanings; it costs nothing and is the same on every
machine. Source: Weinberger et al., Feature Hashing for Large Scale Multitask Learning (2009).
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
import unicodedata
import zlib
from array import array
from collections.abc import Iterator, Sequence

from familiar_app.domain.embedding import Vector
from familiar_app.domain.stop_word import STOP_WORDS

_WORD = re.compile(r"\w+", re.UNICODE)
_PIECE_CHARS = 3
_PIECE_WEIGHT = 0.4


class HashEmbedder:
    """Embeds by hashing. `dim` is the number of dimensions."""

    def __init__(self, dim: int) -> None:
        self._dim = dim

    @property
    def name(self) -> str:
        return f"hash-{self._dim}"

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each text; one without words points nowhere in particular, but always the same way."""
        return await asyncio.to_thread(lambda: [self._embed(text) for text in texts])

    async def close(self) -> None:
        """There is nothing to give back."""

    def _embed(self, text: str) -> Vector:
        numbers = [0.0] * self._dim
        for feature, weight in _features(text):
            hashed = zlib.crc32(feature.encode("utf-8", "replace"))
            numbers[(hashed >> 1) % self._dim] += weight if hashed & 1 else -weight
        length = math.sqrt(sum(number * number for number in numbers))
        if length == 0.0:
            numbers[0] = length = 1.0
        packed = array("f", (number / length for number in numbers))
        if sys.byteorder == "big":
            packed.byteswap()
        return Vector(self._dim, packed.tobytes())


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if word in STOP_WORDS:
            continue
        yield word, 1.0
        marked = f"<{word}>"
        for start in range(len(marked) - _PIECE_CHARS + 1):
            yield f"#{marked[start : start + _PIECE_CHARS]}", _PIECE_WEIGHT
