"""Reads what may be told of people to those who hear it: dossiers, or single facts where a dossier tells too much.

A dossier is one text about everything that is believed of somebody, so it may be shown only where all of that may be
heard. Elsewhere the facts that may be heard stand in its place: nothing has to be written twice, and what an audience
may hear can change without asking a model again. So they do where another time in the world is asked for. At an
earlier moment a dossier is the one that was written last by then, unless something it rests on was retired or restored
in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.audience import Audience
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.kept_answer import decode
from familiar_app.domain.projection import Dossier
from familiar_app.store import fact_query
from familiar_app.store.dossier import read_dossier
from familiar_app.store.engine import Engine
from familiar_app.store.fact_query import FactQuestion
from familiar_app.store.fact_row import read_labels
from familiar_app.store.moment import from_micros, to_micros
from familiar_app.store.person import label_of, names_of
from familiar_app.store.provenance import closed_to, read_provenance, told_by

if TYPE_CHECKING:
    from sqlite3 import Connection

PROJECTOR = "people_dossier"
_READ_FACTS = 200
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


class Portraits:
    """What may be told of people, in one vault."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def of(self, people: Sequence[PersonKey], glimpse: Glimpse, *, most_facts: int) -> list[Portrait]:
        """Return the portraits of those of the people who had a dossier, in their order."""

        def work(connection: Connection) -> list[Portrait]:
            found = (_portrait(connection, person, glimpse, most_facts) for person in people)
            return [portrait for portrait in found if portrait is not None]

        return await self._engine.read(work)


def _portrait(connection: Connection, person: PersonKey, glimpse: Glimpse, most_facts: int) -> Portrait | None:
    dossier = _dossier(connection, person, glimpse)
    if dossier is None:
        return None
    held = _tells_too_much(connection, dossier, glimpse)
    if not held and glimpse.as_of is None:
        return Portrait(person, dossier.text)
    return Portrait(person, "", held=held, facts=_facts(connection, person, glimpse, most_facts))


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


def _facts(connection: Connection, person: PersonKey, glimpse: Glimpse, most: int) -> tuple[ToldFact, ...]:
    question = FactQuestion(
        familiar=glimpse.familiar,
        now=glimpse.now,
        as_of=glimpse.as_of,
        known_at=glimpse.known_at,
        subject=person,
        limit=_READ_FACTS,
        audience=glimpse.audience,
    )
    found = sorted(fact_query.page(connection, question), key=lambda fact: (-(fact.importance or 5), -fact.id))[:most]
    labels = read_labels(connection, found)
    known = read_provenance(connection, [fact.id for fact in found], glimpse.known_at)
    told = []
    for fact in found:
        tellers = told_by(fact, known.get(fact.id))
        names = {key: label_of(key, names_of(connection, key)) for key in tellers}
        told.append(ToldFact(fact, labels[fact.id] | names, tellers))
    return tuple(told)
