"""Brings facts, their retirements and the owner's acts back from the ledger, in the order in which all of it happened.

Facts and retirements depend on each other: whether a statement was new or said again depends on what had been retired
by then. So where a part of them is missing they are emptied and replayed together, answer by answer, with what the
owner did in between. How far that has come is a watermark of its own: a replay that was cut short goes on there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from familiar_app.domain.ids import FamiliarId, TurnId
from familiar_app.domain.kept_answer import decode
from familiar_app.domain.projection import Answer, Watermark
from familiar_app.projectors.noting import FACTS, RICH_NOTE, apply_notes
from familiar_app.projectors.retiring import FACT_SUPERSEDE, apply_retirements, mark_compared
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault

REPLAY = "replay"
OWNER = "owner"
_SOURCES = (RICH_NOTE, FACT_SUPERSEDE)
_AT_ONCE = 50


class BeliefReplay:
    """The replay of one familiar. Shared by its projectors; costs one small read where nothing is missing."""

    def __init__(self, vault: Vault, familiar: FamiliarId) -> None:
        self._vault = vault
        self._familiar = familiar
        self._whole: dict[str, int] | None = None
        self._replaying = asyncio.Lock()

    async def bring_back(self) -> int:
        """Replay what is kept but not in the tables. Returns how many answers were replayed. Asks no model."""
        async with self._replaying:
            marks = await self._marks()
            if self._whole is None or any(marks.get(name, -1) < position for name, position in self._whole.items()):
                count = await self._replay(marks)
                self._whole = await self._marks()
                return count
            self._whole = marks
            return 0

    def forget(self) -> None:
        """Look again at the next call whether anything is missing."""
        self._whole = None

    async def _marks(self) -> dict[str, int]:
        """Return how far each source of beliefs has come; one that is missing was never begun, or has lost its rows."""
        found = await self._vault.projections.watermarks(self._familiar, scope="")
        return {mark.projector: mark.position for mark in found if mark.projector in (*_SOURCES, OWNER, REPLAY)}

    async def _replay(self, marks: dict[str, int]) -> int:
        projections = self._vault.projections
        position = marks.get(REPLAY)
        if position is None and not await self._is_missing(marks):
            await projections.write(lambda writer: writer.replay_owner_acts(self._familiar))
            return 0
        count = 0
        while True:
            answers = await projections.answers_of(_SOURCES, self._familiar, after=position or 0, limit=_AT_ONCE)
            done = await projections.write(
                lambda writer, page=answers, position=position: self._apply(writer, page, position)  # type: ignore[misc]
            )
            count += len(answers)
            if done or len(answers) < _AT_ONCE:
                return count
            position = answers[-1].id

    async def _is_missing(self, marks: dict[str, int]) -> bool:
        for name in _SOURCES:
            if name not in marks and await self._vault.projections.answers(name, self._familiar, limit=1):
                return True
        return False

    def _apply(self, writer: MemoryWriter, answers: Sequence[Answer], position: int | None) -> bool:
        """Replay a page of answers behind `position`; None begins. True where somebody else has done so meanwhile."""
        mark = writer.watermark(REPLAY, self._familiar)
        if (mark.position if mark else None) != position:
            return True
        if position is None:
            writer.empty("facts", self._familiar)
            writer.empty("retirements", self._familiar)
        for answer in answers:
            kept = decode(answer.answer)
            writer.replay_owner_acts(self._familiar, answer.at, up_to=TurnId(kept.newest_turn))
            if answer.projector == RICH_NOTE:
                apply_notes(writer, answer, kept)
            else:
                apply_retirements(writer, answer, kept)
        if len(answers) < _AT_ONCE:
            self._finish(writer, answers[-1] if answers else None)
        else:
            self._remember(writer, answers[-1])
        return False

    def _remember(self, writer: MemoryWriter, last: Answer) -> None:
        writer.set_watermark(Watermark(REPLAY, self._familiar, last.id, FACTS, last.at))

    def _finish(self, writer: MemoryWriter, last: Answer | None) -> None:
        writer.replay_owner_acts(self._familiar)
        writer.forget_watermarks(REPLAY, self._familiar)
        compared = writer.compared(self._familiar)
        if compared is not None:
            mark_compared(writer, self._familiar, *compared)
        elif last is not None:
            # Answers that no mark speaks of would look like lost rows for ever.
            writer.set_watermark(Watermark(FACT_SUPERSEDE, self._familiar, 0, "retirements", last.at))
