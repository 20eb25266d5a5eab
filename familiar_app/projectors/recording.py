"""Keeps an answer in the ledger together with what is made of it and the watermark, in one transaction.

While a model was thinking, somebody else may have done the same piece of work, or emptied the projection: then the
watermark is not where it was, and the answer is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from familiar_app.domain.kept_answer import KeptAnswer
from familiar_app.domain.projection import Answer, NewAnswer
from familiar_app.projectors.asking import Asked
from familiar_app.projectors.port import Desk
from familiar_app.store.memory_writer import MemoryWriter

NOTHING: Mapping[str, int] = {}
Apply = Callable[[MemoryWriter, Answer, KeptAnswer], object]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of work: whose it is, from which id to which it reads, and in which scope."""

    projector: str
    version: int
    first: int
    last: int
    scope: str = ""


async def position_of(desk: Desk, projector: str, scope: str = "") -> int:
    """Return how far a projector has come, 0 before the beginning."""
    mark = await desk.vault.projections.watermark(projector, desk.familiar, scope)
    return mark.position if mark else 0


async def record(
    desk: Desk,
    piece: Piece,
    asked: Asked,
    apply: Apply,
    *,
    before: int | None,
    basis: Mapping[str, Any],
    rejected: Mapping[str, int] = NOTHING,
    still: Callable[[MemoryWriter], bool] = lambda _: True,
) -> None:
    """Keep an answer and apply it, unless the watermark is no longer at `before` (None: wherever it is).

    `rejected` counts what the guards drop of it. `still` tells whether what was shown to the model holds by now.
    """
    at = desk.clock.now()

    def work(writer: MemoryWriter) -> None:
        mark = writer.watermark(piece.projector, desk.familiar, piece.scope)
        if (before is None or (mark.position if mark else 0) == before) and still(writer):
            keep(desk, writer, piece, asked, apply, at=at, basis=basis, rejected=rejected)

    await desk.vault.projections.write(work)


def keep(
    desk: Desk,
    writer: MemoryWriter,
    piece: Piece,
    asked: Asked,
    apply: Apply,
    *,
    at: datetime,
    basis: Mapping[str, Any],
    rejected: Mapping[str, int] = NOTHING,
) -> None:
    """Keep an answer and apply it. Runs inside a transaction.

    Where something was erased while the model was thinking, what it was shown may be gone: then nothing is kept.
    """
    if asked.generation != desk.vault.erasure.generation:
        return
    kept = KeptAnswer(asked.value, basis, asked.malformed, writer.newest_turn())
    answer = writer.record_answer(
        NewAnswer(
            projector=piece.projector,
            version=piece.version,
            familiar=desk.familiar,
            first=piece.first,
            last=piece.last,
            model=asked.model,
            answer=kept.encode(),
            at=at,
            scope=piece.scope,
            tokens=asked.tokens,
            ms=asked.ms,
            malformed=asked.malformed,
            rejected=rejected,
        )
    )
    apply(writer, answer, kept)
