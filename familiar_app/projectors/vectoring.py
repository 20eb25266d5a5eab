"""What the projectors of vectors have in common: one batch a tick, newest first; what has no vector is what is left."""

from __future__ import annotations

from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.store.vector import VectorKind

_MOST_COUNTED = 100_000


async def embed_batch(desk: Desk, kind: VectorKind, size: int) -> Tick:
    """Embed the next texts. Without an embedder it rests. Raises OutsideError where that failed; nothing is stored."""
    embedder, vectors = desk.embedder, desk.vault.vectors
    if embedder is None:
        return IDLE
    batch = await vectors.missing(kind, embedder.name, size)
    if not batch:
        return IDLE
    found = await embedder.embed([text for _, text in batch])
    rows = [(number, text, vector) for (number, text), vector in zip(batch, found, strict=True)]
    await vectors.put(kind, embedder.name, rows)
    return Tick(worked=True, more=len(batch) == size)


async def embed_all(desk: Desk, kind: VectorKind, size: int) -> None:
    """Embed everything that has no vector. Asks no language model."""
    while (await embed_batch(desk, kind, size)).worked:
        continue


async def progress_of(desk: Desk, kind: VectorKind) -> Progress:
    """Count what has no vector of the active model; a watermark there is none."""
    if desk.embedder is None:
        return Progress(None, 0)
    return Progress(None, len(await desk.vault.vectors.missing(kind, desk.embedder.name, _MOST_COUNTED)))
