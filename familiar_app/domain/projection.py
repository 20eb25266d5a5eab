"""What projectors store beside facts: watermarks, answers of models, dossiers, summaries, reflections, retirements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId

AnswerId = NewType("AnswerId", int)
ReflectionId = NewType("ReflectionId", int)
RetirementId = NewType("RetirementId", int)


class RetirementState(StrEnum):
    """What became of a proposal to retire a fact. Refused and undone pairs are barred: nobody proposes them again."""

    WAITING = "waiting"
    ACTED = "acted"
    REFUSED = "refused"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a projector has read, within a `scope` of its own ("" where it has one only)."""

    projector: str
    familiar: FamiliarId
    position: int
    speaks_of: str
    set_at: datetime
    scope: str = ""


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """An answer a projector got from a model for the input `first` to `last` (turn or fact ids) of a `scope`.

    `ms` is how long it took, `malformed` that it came in a wrong form, `rejected` how often each guard dropped an item.
    """

    projector: str
    version: int
    familiar: FamiliarId
    first: int
    last: int
    model: str
    answer: str
    at: datetime
    scope: str = ""
    tokens: int = 0
    ms: float = 0.0
    malformed: bool = False
    rejected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer(NewAnswer):
    """A kept answer. A void one is no longer replayed, because the model was asked again."""

    id: AnswerId = AnswerId(0)
    void: bool = False


@dataclass(frozen=True, slots=True)
class Dossier:
    """What a familiar knows about one person, folded up to the fact `last_fact_id`; 0 asks for a full fold."""

    familiar: FamiliarId
    person: PersonKey
    text: str
    last_fact_id: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """The story of a channel up to a turn."""

    familiar: FamiliarId
    channel: ChannelId
    text: str
    last_turn_id: TurnId
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewReflection:
    """A thought about to be stored, with what it cites and the newest turn and fact it could have known."""

    familiar: FamiliarId
    text: str
    channel: ChannelId | None
    cited_turns: tuple[TurnId, ...]
    cited_facts: tuple[FactId, ...]
    last_turn_id: TurnId
    last_fact_id: int


@dataclass(frozen=True, slots=True)
class Reflection(NewReflection):
    """A stored thought. `stale` where it cites a fact that is not believed any more."""

    id: ReflectionId
    created_at: datetime
    stale: bool


@dataclass(frozen=True, slots=True)
class NewRetirement:
    """A proposal that `successor` contradicts or replaces `prior`; `reason` is the model's own."""

    familiar: FamiliarId
    prior: FactId
    successor: FactId
    reason: str
    proposed_by: str


@dataclass(frozen=True, slots=True)
class Retirement:
    """A logged proposal with both facts as they are now. `never` where the owner bars the two in either order."""

    id: RetirementId
    familiar: FamiliarId
    prior: Fact
    successor: Fact
    reason: str
    proposed_by: str
    proposed_at: datetime
    state: RetirementState
    decided_at: datetime | None
    decided_by: PersonKey | None
    never: bool = False

    @property
    def barred(self) -> bool:
        return self.never or self.state in (RetirementState.REFUSED, RetirementState.UNDONE)
