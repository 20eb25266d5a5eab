"""What the lorebook decided for a prompt, entry by entry. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from familiar_app.domain.lorebook.sentence import near, sentence
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.text import ntr, ptr, tr


@dataclass(frozen=True, slots=True)
class LoreRow:
    """The verdict on one entry. `state` is one of `_ORDER`, `tone` a colour role."""

    entry: str
    book: str
    uid: str
    number: int
    state: str
    tone: str
    why: str

    @property
    def key(self) -> tuple[str, str]:
        return "lore", f"{self.book}/{self.uid}"

    @property
    def verdict(self) -> str:
        """The state as a word."""
        context = {
            "in": ptr("verdict of the lorebook", "in"),
            "nearly": ptr("verdict of the lorebook", "nearly"),
            "out": ptr("verdict of the lorebook", "out"),
        }
        return context[self.state]


@dataclass(frozen=True, slots=True)
class LoreReport:
    """All verdicts: those that are in first, then near misses. `summary` is for the head of the table."""

    rows: tuple[LoreRow, ...]
    summary: str


def lore_report(trace: Mapping[str, Any] | None) -> LoreReport:
    """Read the lorebook's part of a trace."""
    if trace is None:
        return LoreReport((), tr("The lorebook was no layer of this prompt."))
    rows = [_row(one) for one in trace.get("verdicts", ())]
    rows.sort(key=lambda row: _ORDER.index(row.state))
    fired = sum(row.state == "in" for row in rows)
    if not rows:
        return LoreReport((), tr("No lorebook was asked, or it has no entries."))
    told = [tr("{fired} of {n} in", fired=fired, n=len(rows))]
    if trace.get("budget_tokens"):
        told.append(tr("{n} of {most} tokens", n=trace.get("used_tokens", 0), most=trace["budget_tokens"]))
    if trace.get("passes", 0) > 1:
        told.append(ntr("{n} pass", "{n} passes", trace["passes"]))
    if (more := trace.get("unexplained")) is not None and more:
        told.append(ntr("{n} more that nothing matched", "{n} more that nothing matched", more))
    return LoreReport(tuple(rows), " · ".join(told))


_ORDER = ("in", "nearly", "out")


def _row(one: Mapping[str, Any]) -> LoreRow:
    accepted = one.get("verdict") == "in"
    state, tone, why = ("in", "good", "") if accepted else ("out", "text_3", "")
    reason = str(one.get("reason", ""))
    if reason in Reason.__members__.values():
        outcome = Outcome(accepted, Reason(reason), dict(one.get("detail") or {}))
        why = sentence(outcome)
        if near(outcome):
            state, tone = "nearly", "warning"
    return LoreRow(
        entry=" ".join(str(one.get("entry", "")).split()),
        book=str(one.get("book", "")),
        uid=str(one.get("uid", "")),
        number=int(one.get("pass", 1)),
        state=state,
        tone=tone,
        why=why or reason,
    )
