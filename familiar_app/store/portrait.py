"""Reads what may be told of people to those who hear it: dossiers, or single facts where a dossier tells too much.

A dossier is one text about everything that is believed of somebody, so it may be shown only where all of that may be
heard. Elsewhere the facts that may be heard stand in its place: nothing has to be written twice, and what an audience
may hear can change without asking a model again. So they do where another time in the world is asked for. At an
earlier moment a dossier is the one that was written last by then, unless something it rests on was retired or restored
in between.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.audience import Audience
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.kept_answer import decode
from familiar_app.domain.projection import Dossier
from familiar_app.store import fact_query
from familiar_app.store.dossier import read_dossier
from familiar_app.store.engine import Engine
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.fact_query import FactQuestion
from familiar_app.store.fact_row import read_labels
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.person import label_of, names_of_each
from familiar_app.store.privacy import read_levels
from familiar_app.store.provenance import closed_to, read_provenance, told_by

if TYPE_CHECKING:
    from sqlite3 import Connection

PROJECTOR = "people_dossier"
_READ_FACTS = 100
_REMEMBERED = 512
_WRITTEN = """SELECT answer, last, at FROM ledger WHERE familiar = ? AND projector = ? AND scope = ? AND at <= ?
    ORDER BY id DESC"""
_SHAKEN = """SELECT 1 FROM fact_subjects s JOIN fact_beliefs b ON b.fact = s.fact
    WHERE s.familiar = ? AND s.key = ? AND ((b.until > ? AND b.until <= ?)
    OR (b.number > 1 AND b.since > ? AND b.since <= ?)) LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """Whom it is about, what may be heard and at which moment."""

    familiar: FamiliarId
    audience: Audience
    now: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def key(self) -> Hashable:
        """What two glimpses share that see the same, but for the time that passes."""
        return self.audience.open_to, self.audience.unplaced, self.as_of, self.known_at


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact with today's names of its subjects, and with those by whose word alone it is known."""

    fact: Fact
    labels: dict[PersonKey, str]
    told_by: tuple[PersonKey, ...]


@dataclass(frozen=True, slots=True)
class Portrait:
    """What may be told of a person. Where the dossier is `held` back, `facts` stand for it, the weightiest first."""

    person: PersonKey
    text: str
    held: bool = False
    facts: tuple[ToldFact, ...] = ()


@dataclass(frozen=True, slots=True)
class _Judged:
    """Whether a dossier tells too much to an audience, and the facts that may stand for it, with who alone says so."""

    held: bool
    facts: tuple[tuple[Fact, tuple[PersonKey, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A portrait without names."""

    person: PersonKey
    text: str
    held: bool = False
    facts: tuple[tuple[Fact, tuple[PersonKey, ...]], ...] = ()


class Portraits:
    """What may be told of people, in one vault. What was judged is remembered until a fact changes."""

    def __init__(self, engine: Engine, feed: FactFeed) -> None:
        self._engine = engine
        self._judged: dict[Hashable, _Judged] = {}
        self._changes = 0
        feed.listen(self._facts_changed)

    async def of(
        self,
        people: Sequence[PersonKey],
        glimpse: Glimpse,
        *,
        most_people: int,
        most_facts: int,
        before: Sequence[PersonKey] = (),
    ) -> list[Portrait]:
        """Return the portraits of the first `most_people` who had a dossier of which something may be told.

        Those of whom nothing may be told come too, and are not counted; nor are those of `before`, who come first.
        """
        changes, judged = self._changes, dict[Hashable, _Judged]()

        def work(connection: Connection) -> list[Portrait]:
            found: list[_Sketch] = []
            left, private = most_people, read_levels(connection).keys()
            for place, person in enumerate((*before, *people)):
                counts = place >= len(before)
                dossier = _dossier(connection, person, glimpse) if left > 0 or not counts else None
                if dossier is None:
                    continue
                key = (dossier.familiar, person, dossier.last_fact_id, dossier.created_at, glimpse.key, most_facts)
                known = self._judged.get(key) or _judge(connection, dossier, glimpse, most_facts)
                judged[key] = known
                found.append(_sketch(dossier, known, glimpse, private))
                left -= counts and bool(found[-1].text or found[-1].facts)
            return _portraits(connection, found)

        portraits = await self._engine.read(work)
        if changes == self._changes:
            self._judged = judged | dict(list(self._judged.items())[:_REMEMBERED])
        return portraits

    def _facts_changed(self, _facts: frozenset[FactId]) -> None:
        self._changes += 1
        self._judged = {}


def _judge(connection: Connection, dossier: Dossier, glimpse: Glimpse, most_facts: int) -> _Judged:
    held = _tells_too_much(connection, dossier, glimpse)
    if not held and glimpse.as_of is None:
        return _Judged(held=False)
    return _Judged(held, _weightiest(connection, dossier.person, glimpse, most_facts))


def _sketch(dossier: Dossier, known: _Judged, glimpse: Glimpse, private: Collection[PersonKey]) -> _Sketch:
    """Leave out what has ended since it was chosen, and what names somebody who is private now."""
    if not known.held and glimpse.as_of is None:
        return _Sketch(dossier.person, dossier.text)
    told = [
        (fact, tellers)
        for fact, tellers in known.facts
        if (glimpse.as_of or fact.valid.until is None or fact.valid.until > glimpse.now)
        and not any(one.key in private for one in fact.subjects)
    ]
    return _Sketch(dossier.person, "", known.held, tuple(told))


def _portraits(connection: Connection, found: Sequence[_Sketch]) -> list[Portrait]:
    """Put today's names to what is told; they are read for all portraits at once."""
    told = [one for sketch in found for one in sketch.facts]
    labels = read_labels(connection, [fact for fact, _tellers in told])
    spans = names_of_each(connection, {key for _fact, tellers in told for key in tellers})
    names = {key: label_of(key, known) for key, known in spans.items()}
    return [
        Portrait(
            sketch.person,
            sketch.text,
            sketch.held,
            tuple(
                ToldFact(fact, labels[fact.id] | {key: names[key] for key in tellers}, tellers)
                for fact, tellers in sketch.facts
            ),
        )
        for sketch in found
    ]


def _dossier(connection: Connection, person: PersonKey, glimpse: Glimpse) -> Dossier | None:
    """Return the dossier as it stood at the moment."""
    stored = read_dossier(connection, glimpse.familiar, person)
    if glimpse.known_at is None or (stored is not None and stored.created_at <= glimpse.known_at):
        return stored
    then = to_micros(glimpse.known_at)
    written: tuple[int, int] | None = None
    for answer, last, at in connection.execute(_WRITTEN, (glimpse.familiar, PROJECTOR, person, then)):
        written = written or (last, at)
        # An empty answer left the text before it standing.
        text = str(decode(answer).value)
        if text:
            span = (at, then)
            shaken = connection.execute(_SHAKEN, (glimpse.familiar, person, *span, *span)).fetchone()
            return None if shaken else Dossier(glimpse.familiar, person, text, written[0], from_micros(at))
    return None


def _tells_too_much(connection: Connection, dossier: Dossier, glimpse: Glimpse) -> bool:
    """Tell whether any belief that the dossier can rest on is closed to the audience."""
    if glimpse.audience.everything:
        return False
    closed, places = closed_to(glimpse.audience, "s.fact")
    believed = "s.superseded_at IS NULL" if glimpse.known_at is None else "s.created_at <= ?"
    times = [] if glimpse.known_at is None else [to_micros(glimpse.known_at)]
    row = connection.execute(
        f"""SELECT 1 FROM fact_subjects s WHERE s.familiar = ? AND s.key = ? AND s.fact <= ? AND s.hidden = 0
        AND {believed} AND {closed} LIMIT 1""",
        (glimpse.familiar, dossier.person, dossier.last_fact_id, *times, *places),
    ).fetchone()
    return row is not None


def _weightiest(
    connection: Connection, person: PersonKey, glimpse: Glimpse, most: int
) -> tuple[tuple[Fact, tuple[PersonKey, ...]], ...]:
    """Choose among the newest facts that may be heard."""
    question = FactQuestion(
        familiar=glimpse.familiar,
        now=glimpse.now,
        as_of=glimpse.as_of,
        known_at=glimpse.known_at,
        subject=person,
        limit=_READ_FACTS,
        audience=glimpse.audience,
    )
    found = fact_query.weightiest(connection, question, most)
    known = read_provenance(connection, [fact.id for fact in found], glimpse.known_at)
    return tuple((fact, told_by(fact, known.get(fact.id))) for fact in found)
