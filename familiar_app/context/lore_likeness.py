"""How near lorebook entries are in meaning to the newest messages, by the embedder that is on.

What an entry says is embedded once; a large book that is new is taken in over several prompts, so that no answer waits
long for it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence

import numpy as np

from familiar_app.context.layer import LayerContext
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.domain.embedding import Embedder, Vector
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.lorebook.decorators import strip_decorators
from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.lorebook.likeness import Likeness
from familiar_app.store.lore_vector import LoreVectors

log = logging.getLogger(__name__)

ASKED_MESSAGES = 2
EMBEDDED_AT_ONCE = 256


class LoreLikeness:
    """Compares the entries that ask for it. `embedder` is None where none is on."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._known: dict[bytes, Vector] = {}
        self._model = ""

    async def read(self, ctx: LayerContext, shelf: LoreShelf, messages: Sequence[str]) -> Likeness | None:
        """Return the cosines of the entries; None where no embedder is on, or where it fails."""
        texts = _texts(shelf)
        if self._embedder is None or not texts:
            return None
        chosen = ctx.config.lorebook
        cue = "\n".join(messages[-ASKED_MESSAGES:]).strip()
        try:
            cosines = await self._cosines(self._embedder, ctx.vault.lore_vectors, texts, cue) if cue else {}
        except OutsideError as error:
            log.warning("the embedder failed; no lorebook entry comes in by its meaning", exc_info=error)
            return None
        return Likeness(cosines, chosen.vector_threshold, chosen.vector_entries)

    async def _cosines(
        self, embedder: Embedder, stored: LoreVectors, texts: Mapping[EntryKey, str], cue: str
    ) -> dict[EntryKey, float]:
        digests = {key: hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for key, text in texts.items()}
        await self._take_in(embedder, stored, {digests[key]: text for key, text in texts.items()})
        known = {key: self._known[digest] for key, digest in digests.items() if digest in self._known}
        (asked,) = await embedder.embed([cue])
        return await asyncio.to_thread(_compare, asked, known)

    async def _take_in(self, embedder: Embedder, stored: LoreVectors, texts: Mapping[bytes, str]) -> None:
        """Read the vectors of these texts; embed some of those that have none."""
        if self._model != embedder.name:
            self._known, self._model = {}, embedder.name
        self._known = {digest: vector for digest, vector in self._known.items() if digest in texts}
        unread = [digest for digest in texts if digest not in self._known]
        if not unread:
            return
        self._known |= await stored.get(embedder.name, unread)
        new = [digest for digest in unread if digest not in self._known][:EMBEDDED_AT_ONCE]
        if new:
            vectors = await embedder.embed([texts[digest] for digest in new])
            made = dict(zip(new, vectors, strict=True))
            self._known |= made
            await stored.put(embedder.name, made)


def _texts(shelf: LoreShelf) -> dict[EntryKey, str]:
    """Return what the entries say that ask to be compared."""
    return {
        EntryKey(book.name, entry.uid): strip_decorators(entry.content)
        for book in shelf.all_books
        for entry in book.entries
        if entry.vectorized and entry.enabled and entry.content.strip()
    }


def _compare(asked: Vector, known: Mapping[EntryKey, Vector]) -> dict[EntryKey, float]:
    fitting = {key: vector for key, vector in known.items() if vector.dim == asked.dim}
    if not fitting:
        return {}
    rows = np.frombuffer(b"".join(vector.data for vector in fitting.values()), dtype="<f4").reshape(-1, asked.dim)
    cosines = rows @ np.frombuffer(asked.data, dtype="<f4")
    return {key: float(cosine) for key, cosine in zip(fitting, cosines, strict=True)}
