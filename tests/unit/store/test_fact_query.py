"""The four questions in SQL give what the rules of the domain give, over random histories at random instants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlcipher3 import dbapi2

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import (
    Cause,
    Fact,
    FactId,
    NewFact,
    Subject,
    as_known_at,
    begin,
    end,
    is_current,
    was_believed,
    was_believed_about,
    was_true,
)
from familiar_app.domain.fact_text import normalise
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.interval import Interval
from familiar_app.store import fact_query, fact_write, schema
from familiar_app.store.fact_query import FactQuestion
from familiar_app.store.fact_verify import fact_problems
from familiar_app.store.fact_write import Stamp

if TYPE_CHECKING:
    from sqlite3 import Connection

START = datetime(2024, 1, 1, tzinfo=UTC)
FAMILIARS = (FamiliarId("mira"), FamiliarId("bell"))
PEOPLE = (PersonKey("discord:1"), PersonKey("discord:2"), PersonKey("ego:mira"))
LAST_DAY = 30


def day(number: int) -> datetime:
    return START + timedelta(days=number)


@contextmanager
def memory() -> Iterator[Connection]:
    connection: Connection = dbapi2.connect(":memory:", isolation_level=None)
    try:
        schema.upgrade(connection)
        yield connection
    finally:
        connection.close()


@dataclass
class Model:
    """The same history in plain Python, by the rules of the domain."""

    facts: dict[FactId, Fact] = field(default_factory=dict)

    def append(self, number: FactId, new: NewFact, at: datetime) -> None:
        beliefs = begin((), at, Cause.LEARNED)
        valid = Interval(new.valid_from, new.valid_to)
        about = tuple(sorted(new.subjects, key=lambda one: one.key))
        self.facts[number] = Fact(
            number, new.familiar, new.text, about, (), None, new.importance, new.origin, valid, beliefs
        )

    def same(self, new: NewFact, at: datetime) -> Fact | None:
        keys = {one.key for one in new.subjects}
        return next(
            (
                fact
                for fact in self.facts.values()
                if fact.familiar == new.familiar
                and normalise(fact.text) == normalise(new.text)
                and {one.key for one in fact.subjects} == keys
                and is_current(fact, at)
            ),
            None,
        )

    def retire(self, number: FactId, at: datetime, by: FactId | None) -> None:
        fact = self.facts[number]
        cause = Cause.RETIRED if by is None else Cause.SUPERSEDED
        self.facts[number] = replace(fact, beliefs=end(fact.beliefs, at, cause, by))

    def restore(self, number: FactId, at: datetime) -> None:
        fact = self.facts[number]
        self.facts[number] = replace(fact, beliefs=begin(fact.beliefs, at, Cause.RESTORED))

    def page(self, question: FactQuestion) -> list[Fact]:
        found = [fact for fact in self.facts.values() if self._answers(fact, question)]
        found.sort(key=lambda fact: -fact.id)
        if question.known_at is not None:
            found = [known for fact in found if (known := as_known_at(fact, question.known_at)) is not None]
        return found[: question.limit]

    def _answers(self, fact: Fact, question: FactQuestion) -> bool:
        as_of, known_at = question.as_of, question.known_at
        if fact.familiar != question.familiar or (question.before is not None and fact.id >= question.before):
            return False
        if question.subject is not None and question.subject not in {one.key for one in fact.subjects}:
            return False
        if question.search.casefold() not in fact.text.casefold():
            return False
        if question.include_retired:
            learned = known_at is None or fact.created_at <= known_at
            return learned and (as_of is None or was_true(fact, as_of))
        if as_of is not None and known_at is not None:
            return was_believed_about(fact, known_at, as_of)
        if as_of is not None:
            return was_true(fact, as_of)
        return is_current(fact, question.now) if known_at is None else was_believed(fact, known_at)


days = st.integers(0, LAST_DAY)
maybe_day = st.none() | days
maybe = st.booleans()
step = st.tuples(
    st.sampled_from(["append", "append", "retire", "supersede", "merge", "restore", "restore"]),
    st.integers(0, 3),
    st.tuples(
        st.sampled_from(FAMILIARS), st.sampled_from(["Tea.", "tea", "Straße", "Ann"]), st.sets(st.sampled_from(PEOPLE))
    ),
    st.tuples(maybe_day, maybe_day),
    st.tuples(st.integers(1, 4), st.integers(1, 6)),
)
question = st.tuples(
    st.sampled_from(FAMILIARS), maybe_day, maybe_day, st.none() | st.sampled_from(PEOPLE),
    st.sampled_from(["", "", "EA", "STRASSE"]), maybe, st.sampled_from([1, 3, 100]), st.none() | st.integers(1, 12),
)  # fmt: skip


def described(about: tuple[FamiliarId, str, set[PersonKey]], valid: tuple[int | None, int | None]) -> NewFact:
    familiar, text, people = about
    since, until = valid
    if since is not None and until is not None and until <= since:
        until = None
    return NewFact(
        familiar, text, "rich_note", tuple(Subject(key, "name") for key in sorted(people)),
        valid_from=None if since is None else day(since), valid_to=None if until is None else day(until),
    )  # fmt: skip


def apply(connection: Connection, model: Model, steps: list[tuple[object, ...]]) -> None:
    """Carry out the steps in both; what the store refuses must leave both as they are."""
    now = 0
    for kind, pause, about, valid, chosen in steps:
        now = min(now + pause, LAST_DAY)  # type: ignore[operator]
        at, new = day(now), described(about, valid)  # type: ignore[arg-type]
        first, second = (FactId(number) for number in chosen)  # type: ignore[attr-defined]
        if kind == "restore" and first in model.facts and model.facts[first].superseded_at is None:
            kind = "retire"
        try:
            if kind == "append":
                known = model.same(new, at)
                stored, created = fact_write.append_fact(connection, new, Stamp(at))
                assert created is (known is None)
                if known is None:
                    model.append(stored.id, new, at)
                else:
                    assert stored.id == known.id
            elif kind == "restore":
                restored = fact_write.restore_fact(connection, first, Stamp(at))
                model.restore(restored.id, at)
            else:
                by = second if kind == "supersede" else None
                merged = new if kind == "merge" else None
                outcome = fact_write.supersede_facts(connection, (first,), Stamp(at), by=by, merged=merged)
                successor = None if outcome.successor is None else outcome.successor.id
                if successor is not None and successor not in model.facts:
                    model.append(successor, new, at)
                for number in outcome.retired:
                    model.retire(number, at, successor)
        except UserError:
            continue


@settings(max_examples=80)
@given(st.lists(step, max_size=14), st.lists(question, min_size=1, max_size=12), days)
def test_sql_and_rules_agree(steps: list[tuple[object, ...]], questions: list[tuple[object, ...]], today: int) -> None:
    with memory() as connection:
        model = Model()
        apply(connection, model, steps)
        for familiar, as_of, known_at, subject, search, retired, limit, before in questions:
            then = None if as_of is None else day(as_of)  # type: ignore[arg-type]
            known = None if known_at is None else day(known_at)  # type: ignore[arg-type]
            asked = FactQuestion(familiar, day(today), then, known, subject, search, retired, limit, before)  # type: ignore[arg-type]
            assert fact_query.page(connection, asked) == model.page(asked)
            everything = replace(asked, limit=1000)
            assert fact_query.count(connection, asked) == len(model.page(everything))
            heavy = sorted(model.page(asked), key=lambda fact: (-(fact.importance or 5), -fact.id))
            assert fact_query.weightiest(connection, asked, 2) == heavy[:2]
        assert list(fact_problems(connection)) == []


@settings(max_examples=40)
@given(st.lists(step, min_size=3, max_size=14))
def test_they_agree_at_every_edge(steps: list[tuple[object, ...]]) -> None:
    """A microsecond before, at and after each instant at which an answer can change."""
    with memory() as connection:
        model = Model()
        apply(connection, model, steps)
        ends = {
            end for fact in model.facts.values() for one in fact.beliefs for end in (one.held.since, one.held.until)
        }
        ends |= {end for fact in model.facts.values() for end in (fact.valid.since, fact.valid.until)}
        edges = {one for one in ends if one is not None}
        for at in sorted(one + timedelta(microseconds=nudge) for one in edges for nudge in (-1, 0, 1)):
            for familiar in FAMILIARS:
                now = day(LAST_DAY)
                for asked in (
                    FactQuestion(familiar, at),
                    FactQuestion(familiar, now, as_of=at),
                    FactQuestion(familiar, now, known_at=at),
                    FactQuestion(familiar, now, as_of=at, known_at=at),
                    FactQuestion(familiar, now, known_at=at, include_retired=True),
                ):
                    assert fact_query.page(connection, asked) == model.page(asked), asked


def test_questions_walk_along_indexes() -> None:
    """No plan scans the facts, sorts, or looks up each fact's row to decide."""
    with memory() as connection:
        for subject in (None, PEOPLE[0]):
            for as_of in (None, day(1)):
                for known_at in (None, day(1)):
                    asked = FactQuestion(FAMILIARS[0], day(2), as_of, known_at, subject, before=FactId(7))
                    sql, values = fact_query._statement(asked)
                    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
                    assert not [one for one in plan if "TEMP B-TREE" in one], plan
                    walked = [one for one in plan if " m " in one or one.endswith(" m")]
                    assert walked, plan
                    assert all("USING COVERING INDEX fact" in one for one in walked), plan
                    scans = [one for one in plan if one.startswith("SCAN")]
                    assert scans in ([], ["SCAN k"]), plan
