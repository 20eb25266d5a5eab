"""The result of one evaluation. Verdicts are worked out only when somebody asks for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from familiar_app.domain.lorebook.decoration import idle_decorators
from familiar_app.domain.lorebook.placement import Accepted, Placement
from familiar_app.domain.lorebook.prepared import Candidate, PreparedBooks
from familiar_app.domain.lorebook.selection import Selection
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.domain.lorebook.verdict import Outcome, Reason, Verdict
from familiar_app.domain.lorebook.window import PassState


@dataclass(frozen=True, slots=True)
class PassRecord:
    """One pass. `settled` entries were decided before; those without an outcome had no way in."""

    state: PassState
    settled: frozenset[int]
    outcomes: dict[int, Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """What one evaluation brought. `accepted` is in order of acceptance.

    `timers` are those to keep for the next message. `rolls` and `counts` are what chance and the token counter said,
    in the order in which they were asked. `slow_patterns` numbers the patterns that ran out of time.
    """

    books: PreparedBooks = field(repr=False)
    selection: Selection = field(repr=False)
    accepted: tuple[Accepted, ...]
    placement: Placement
    passes: tuple[PassRecord, ...] = field(repr=False)
    overflowed: bool
    budget_tokens: int
    used_tokens: int
    timers: Timers
    rolls: tuple[float, ...]
    counts: tuple[int, ...]
    slow_patterns: tuple[int, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the accepted entries, in order of acceptance."""
        return [one.candidate.entry.name for one in self.accepted]

    def to_json(self, *, verdicts: bool = True) -> dict[str, Any]:
        """Return names, passes, overflow and places as JSON values, and the verdicts unless they are not wanted."""
        values: dict[str, Any] = {
            "activated": self.names,
            "passes": len(self.passes),
            "overflowed": self.overflowed,
            **self.placement.to_json(),
        }
        return values | {"verdicts": [one.to_json() for one in self.verdicts()]} if verdicts else values

    def verdicts(self) -> list[Verdict]:
        """Return a verdict for every entry in every pass in which it was still open, with its nearest miss.

        An entry that was let in but stands nowhere in the prompt gets one more, which says why.
        """
        found = [
            self._verdict(candidate, record)
            for record in self.passes
            for candidate in self.books.candidates
            if candidate.index not in record.settled
        ]
        last = len(self.passes)
        for index, why in self.placement.left_out.items():
            outcome = Outcome(False, Reason.NOT_INSERTED, {"why": why})
            found.append(self.verdict(self.books.candidates[index], last, outcome))
        return found

    def verdict(self, candidate: Candidate, number: int, outcome: Outcome) -> Verdict:
        """Return an outcome as a verdict, which names the decorators of the entry that do nothing."""
        idle = idle_decorators(candidate.entry, self.books.rules)
        if idle:
            detail = {**outcome.detail, "idle_decorators": [one.name for one in idle]}
            outcome = Outcome(outcome.accepted, outcome.reason, detail)
        return Verdict(candidate.key, candidate.entry.name, number, outcome)

    def _verdict(self, candidate: Candidate, record: PassRecord) -> Verdict:
        outcome = record.outcomes.get(candidate.index)
        if outcome is None or outcome.reason is Reason.NO_MATCH:
            outcome = self.selection.explain(candidate, record.state, self.slow_patterns)
        return self.verdict(candidate, record.state.number, outcome)
