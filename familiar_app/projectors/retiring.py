"""Turns an answer about contradictions into retirements, for the first time or in a replay. Runs in a transaction.

The watermark tells up to which fact the comparing has come; it speaks of retirements, and goes with the facts too. How
far facts were ever compared is remembered beside it, where nothing empties it, so that a replay asks nothing again.
"""

from __future__ import annotations

from datetime import datetime

from familiar_app.domain.contradiction import verdicts_of
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.kept_answer import KeptAnswer
from familiar_app.domain.projection import Answer, NewRetirement, Watermark
from familiar_app.store.memory_writer import MemoryWriter

FACT_SUPERSEDE = "fact_supersede"


def apply_retirements(writer: MemoryWriter, answer: Answer, kept: KeptAnswer) -> tuple[int, int]:
    """Propose what the answer retires. Returns how many proposals were logged and how many came to nothing."""
    successor = FactId(answer.first)
    shown = [FactId(number) for number in kept.basis["shown"]]
    verdicts = verdicts_of(kept.value, shown)
    logged = 0
    for verdict in verdicts:
        new = NewRetirement(answer.familiar, verdict.prior, successor, verdict.reason, FACT_SUPERSEDE)
        logged += writer.propose_retirement(new, answer.at, act=bool(kept.basis["act"])) is not None
    return logged, len(verdicts) - logged


def mark_compared(writer: MemoryWriter, familiar: FamiliarId, fact: int, at: datetime) -> None:
    """Move the watermark behind a fact, and remember that it was compared."""
    writer.set_watermark(Watermark(FACT_SUPERSEDE, familiar, fact, "retirements", at))
    writer.remember_compared(familiar, fact, at)
