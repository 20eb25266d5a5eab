"""Why an entry is in the prompt or not, said for every entry and pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from familiar_app.domain.lorebook.entry import EntryKey


class Reason(StrEnum):
    """Reason codes. The first six let an entry in, the others keep it out; `decorator` does either."""

    KEY = "key"
    CONSTANT = "constant"
    STICKY = "sticky"
    FORCED = "forced"
    VECTOR = "vector"
    DECORATOR = "decorator"
    DISABLED = "disabled"
    TRIGGER = "trigger"
    NAME_FILTER = "name-filter"
    TAG_FILTER = "tag-filter"
    DELAY = "delay"
    COOLDOWN = "cooldown"
    WAIT_RECURSION = "wait-recursion"
    EXCLUDE_RECURSION = "exclude-recursion"
    NO_KEYS = "no-keys"
    NO_MATCH = "no-match"
    SECONDARY = "secondary"
    GROUP_LOST = "group-lost"
    GROUP_HELD = "group-held"
    ROLL = "roll"
    BUDGET = "budget"
    NOT_INSERTED = "not-inserted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass made of one entry; `detail` holds JSON values only."""

    accepted: bool
    reason: Reason
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome with its entry and pass; passes count from 1."""

    key: EntryKey
    name: str
    number: int
    outcome: Outcome

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON values."""
        return {
            "entry": self.name,
            "book": self.key.book,
            "uid": self.key.uid,
            "pass": self.number,
            "verdict": "in" if self.outcome.accepted else "out",
            "reason": self.outcome.reason.value,
            "detail": dict(self.outcome.detail),
        }
