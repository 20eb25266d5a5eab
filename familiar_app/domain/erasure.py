"""What can be erased, what a plan and a receipt tell of it, and the words that stand for somebody who is gone.

Counts go by kinds, whose words are in `WORDS`; nothing here holds a text or a name but the samples of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from familiar_app.domain.ids import ChannelId, FamiliarId, Lineage, PersonKey, TurnId
from familiar_app.domain.text import ntr

Kind = Literal["person", "message", "channel", "familiar"]


@dataclass(frozen=True, slots=True)
class OfPerson:
    """Somebody with all identities that count as theirs."""

    key: PersonKey
    kind: Kind = "person"


@dataclass(frozen=True, slots=True)
class OfMessage:
    """One turn, and what rests on it alone."""

    turn: TurnId
    kind: Kind = "message"


@dataclass(frozen=True, slots=True)
class OfChannel:
    """Everything that was said in one channel."""

    channel: ChannelId
    kind: Kind = "channel"


@dataclass(frozen=True, slots=True)
class OfFamiliar:
    """Everything one familiar said, heard in channels of its own, and believes.

    Its saved memories go where its lineage is given; leave it out while another familiar shares it.
    """

    familiar: FamiliarId
    lineage: Lineage | None = None
    kind: Kind = "familiar"


Target = OfPerson | OfMessage | OfChannel | OfFamiliar

# Each kind with its words, in the order in which they are told.
WORDS: Mapping[str, Callable[[int], str]] = {
    "turns": lambda n: ntr("{n} message", "{n} messages", n),
    "replies": lambda n: ntr("{n} reply to them", "{n} replies to them", n),
    "revisions": lambda n: ntr("{n} earlier wording", "{n} earlier wordings", n),
    "names": lambda n: ntr("{n} name", "{n} names", n),
    "mentions": lambda n: ntr("{n} mention", "{n} mentions", n),
    "facts": lambda n: ntr("{n} fact", "{n} facts", n),
    "retirements": lambda n: ntr("{n} retirement", "{n} retirements", n),
    "dossiers": lambda n: ntr("{n} portrait", "{n} portraits", n),
    "summaries": lambda n: ntr("{n} summary", "{n} summaries", n),
    "reflections": lambda n: ntr("{n} reflection", "{n} reflections", n),
    "memories": lambda n: ntr("{n} saved memory", "{n} saved memories", n),
    "reminders": lambda n: ntr("{n} reminder", "{n} reminders", n),
    "vectors": lambda n: ntr("{n} vector", "{n} vectors", n),
    "traces": lambda n: ntr("{n} stored prompt", "{n} stored prompts", n),
    "answers": lambda n: ntr("{n} kept answer of a model", "{n} kept answers of a model", n),
    "acts": lambda n: ntr("{n} decision made by hand", "{n} decisions made by hand", n),
    "uses": lambda n: ntr("{n} use of a lorebook entry", "{n} uses of lorebook entries", n),
    "rows": lambda n: ntr("{n} other entry", "{n} other entries", n),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """A text in which a name is going to be replaced: where it stands, as it is, and as it will be."""

    where: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erasure is going to do. `label` is what has to be typed to confirm it.

    `removed` and `redacted` count by kind; `kept_names` are names that somebody else has too and that stay in texts.
    """

    kind: Kind
    label: str
    keys: tuple[str, ...]
    removed: Mapping[str, int]
    redacted: Mapping[str, int]
    samples: tuple[Sample, ...] = ()
    kept_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure did, without a name or a word of it. `finished_at` is None while it is not complete."""

    id: int
    kind: Kind
    asked_at: datetime
    finished_at: datetime | None
    removed: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)


def in_words(counts: Mapping[str, int]) -> list[str]:
    """Return a line for each kind of which there is any, such as `3 messages`."""
    return [words(counts[kind]) for kind, words in WORDS.items() if counts.get(kind)]
