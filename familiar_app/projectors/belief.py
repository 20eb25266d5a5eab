"""Brings facts, their retirements and the owner's acts back from the ledger, in the order in which all of it happened.

Facts and retirements depend on each other: whether a statement was new or said again depends on what had been retired
by then. So they are replayed together, answer by answer, with what the owner did in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.kept_answer import decode
from familiar_app.domain.projection import Answer
from familiar_app.projectors.noting import RICH_NOTE, apply_notes
from familiar_app.projectors.retiring import ASKED, FACT_SUPERSEDE, apply_retirements, mark_compared
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault

_AT_ONCE = 50


class BeliefReplay:
    """The replay of one familiar. Shared by its projectors; costs two small reads where nothing is missing."""

    def __init__(self, vault: Vault, familiar: FamiliarId) -> None:
        self._vault = vault
        self._familiar = familiar
        self._whole: tuple[int, int] | None = None
        self._replaying = asyncio.Lock()

    async def bring_back(self) -> int:
        """Replay what is kept but not in the tables. Returns how many answers were replayed. Asks no model."""
        async with self._replaying:
            marks = await self._marks()
            if self._whole is not None and marks[0] >= self._whole[0] and marks[1] >= self._whole[1]:
                self._whole = marks
                return 0
            count = await self._replay(*marks)
            self._whole = await self._marks()
            return count

    def forget(self) -> None:
        """Look again at the next call whether anything is missing."""
        self._whole = None

    async def _marks(self) -> tuple[int, int]:
        projections, familiar = self._vault.projections, self._familiar
        noted = await projections.watermark(RICH_NOTE, familiar)
        compared = await projections.watermark(FACT_SUPERSEDE, familiar)
        return (noted.position if noted else 0, compared.position if compared else 0)

    async def _replay(self, noted: int, compared: int) -> int:
        projections, after, count = self._vault.projections, 0, 0
        while True:
            answers = await projections.pending_answers(
                self._familiar, {RICH_NOTE: noted, FACT_SUPERSEDE: compared}, after=after, limit=_AT_ONCE
            )
            last = len(answers) < _AT_ONCE
            # Without facts, the log of retirements tells of what is not there; it is filled again on the way.
            anew = not noted and not after and bool(answers)
            await projections.write(
                lambda writer, page=answers, last=last, anew=anew: self._apply(writer, page, last, anew)  # type: ignore[misc]
            )
            count += len(answers)
            if last:
                return count
            after = answers[-1].id

    def _apply(self, writer: MemoryWriter, answers: Sequence[Answer], last: bool, anew: bool) -> None:
        if anew:
            writer.empty("retirements", self._familiar)
        for answer in answers:
            kept = decode(answer.answer)
            writer.replay_owner_acts(self._familiar, answer.at, up_to=TurnId(kept.newest_turn))
            if answer.projector == RICH_NOTE:
                apply_notes(writer, answer, kept)
            else:
                apply_retirements(writer, answer, kept)
        if not last:
            return
        writer.replay_owner_acts(self._familiar)
        asked = writer.watermark(FACT_SUPERSEDE, self._familiar, ASKED)
        if asked is not None:
            mark_compared(writer, self._familiar, asked.position, asked.set_at)
