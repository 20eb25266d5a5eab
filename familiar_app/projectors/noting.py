"""Turns an answer of the extractor into facts, for the first time or in a replay. Runs inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.kept_answer import KeptAnswer
from familiar_app.domain.note import batch_of, notes_of
from familiar_app.domain.projection import Answer, Watermark
from familiar_app.store.memory_writer import MemoryWriter

RICH_NOTE = "rich_note"
FACTS = "facts"
AGAIN = "again"
"""The scope of answers about turns that were read before and have been edited since."""
EDIT = "edit"
REST = "rest"
"""In the basis of an answer about a turn that was read again because another source of its facts is deleted."""


def apply_notes(writer: MemoryWriter, answer: Answer, kept: KeptAnswer) -> Mapping[str, int]:
    """Store what the answer holds, and move the watermark behind its batch. Returns what guards dropped."""
    batch = batch_of(kept.basis, answer.familiar)
    notes = notes_of(kept.value, batch, RICH_NOTE)
    there, said = writer.turns_left(batch.turns), set[FactId]()
    for place, new in notes.kept:
        # Turns of somebody who was erased since have no row any more.
        sources = tuple(turn for turn in new.source_turns if turn in there)
        if sources:
            fact, _ = writer.append_fact(replace(new, source_turns=sources), answer.at, answer=answer.id, item=place)
            said.add(fact.id)
    if kept.basis.get(REST):
        writer.drop_unsaid(answer.familiar, TurnId(answer.first), kept.basis[EDIT], said, answer.at)
    # A turn that was read again after an edit lies behind; there the edit is what has been dealt with.
    position = kept.basis[EDIT] if answer.scope == AGAIN else answer.last
    writer.set_watermark(Watermark(RICH_NOTE, answer.familiar, position, FACTS, answer.at, answer.scope))
    return notes.rejected
