"""Facts of one vault: storing and superseding them, the four questions about them, and the owner's corrections.

What a projector writes goes through `Projections.write`, together with its answer and its watermark. What the owner
does here is logged as an operator turn in the same transaction, and comes back with a rebuild.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from familiar_app.domain.audience import Audience
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId, NewFact, Subject
from familiar_app.domain.ids import OWNER, FamiliarId, PersonKey, TurnId
from familiar_app.domain.projection import Reflection, Retirement, RetirementId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel, Turn
from familiar_app.store import fact_act, fact_query, fact_write, owner_act
from familiar_app.store.channel import read_channel
from familiar_app.store.engine import Engine
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.fact_query import FactQuestion
from familiar_app.store.fact_row import existing_fact, read_fact, read_facts, read_labels
from familiar_app.store.fact_span import FactSpans, FactWording, read_spans, read_wording
from familiar_app.store.fact_write import Stamp, Superseded
from familiar_app.store.owner_act import ReplayCount, facts_of
from familiar_app.store.person import label_of, names_of
from familiar_app.store.privacy import read_levels, refuse_private
from familiar_app.store.reflection import reflections_citing
from familiar_app.store.retirement import read_retirement
from familiar_app.store.turn_row import read_turn

if TYPE_CHECKING:
    from sqlite3 import Connection

_MOST_IN_A_CHAIN = 1000


@dataclass(frozen=True, slots=True)
class FactHistory:
    """A fact with what it rests on and what became of it.

    `supersedes` are the facts that point at it today, `successors` the chain from it to the fact believed now, nearest
    first. `labels` has today's names of its subjects. `reason` is what a projector gave for its last retirement,
    "" where none did or it was undone.
    """

    fact: Fact
    labels: dict[PersonKey, str]
    supersedes: tuple[FactId, ...]
    successors: tuple[FactId, ...]
    sources: tuple[Turn, ...]
    reflections: tuple[Reflection, ...]
    reason: str = ""
    channel: Channel | None = None


class Facts:
    """Facts of one vault. Lists are newest first. A write is on the disk when it returns."""

    def __init__(self, engine: Engine, clock: Clock, feed: FactFeed) -> None:
        self._engine = engine
        self._clock = clock
        self.feed = feed

    async def page(
        self,
        familiar: FamiliarId,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        subject: PersonKey | None = None,
        search: str = "",
        include_retired: bool = False,
        limit: int = 100,
        before: FactId | None = None,
        audience: Audience | None = None,
    ) -> list[Fact]:
        """Return facts of a familiar by the four questions; never hidden ones, nor any about people who want none kept.

        Neither time: current truth. `as_of`: what was true then, by all that was ever believed. `known_at`: what was
        believed then, with stamps and sources as they stood. Both: what was believed then about that time.
        `include_retired` adds what was retired (by `known_at`) and, without times, what has ended. `search` finds a
        text whatever the case, and reads every text that the times let through; all else is one walk along an index.
        An `audience` is told only what it may hear.
        """
        question = FactQuestion(
            familiar, self._clock.now(), as_of, known_at, subject, search, include_retired, limit, before, audience
        )
        return await self._engine.read(lambda connection: fact_query.page(connection, question))

    async def count(self, familiar: FamiliarId, *, subject: PersonKey | None = None) -> int:
        """Count the facts that are current truth."""
        question = FactQuestion(familiar, self._clock.now(), subject=subject)
        return await self._engine.read(lambda connection: fact_query.count(connection, question))

    async def get(self, fact: FactId) -> Fact | None:
        """Return a fact as it is today, retired or hidden too."""
        return await self._engine.read(lambda connection: read_fact(connection, fact))

    async def many(self, facts: Sequence[FactId], *, known_at: datetime | None = None) -> list[Fact]:
        """Return facts in the order asked for, those that do not exist left out."""
        return await self._engine.read(lambda connection: read_facts(connection, facts, known_at))

    async def after(self, familiar: FamiliarId, fact: int, *, limit: int = 100) -> list[Fact]:
        """Return the facts with a higher id, oldest first, retired and ended ones too: for projectors and indexes."""

        def work(connection: Connection) -> list[Fact]:
            rows = connection.execute(
                "SELECT id FROM facts INDEXED BY facts_time WHERE familiar = ? AND id > ? AND hidden = 0 LIMIT ?",
                (familiar, fact, max(limit, 0)),
            )
            return read_facts(connection, [FactId(number) for (number,) in rows])

        return await self._engine.read(work)

    async def newest_id(self, familiar: FamiliarId) -> int:
        """Return the highest id of a familiar's facts, 0 where it has none."""
        sql = "SELECT coalesce(max(id), 0) FROM facts WHERE familiar = ? AND hidden = 0"
        return await self._engine.read(lambda connection: int(connection.execute(sql, (familiar,)).fetchone()[0]))

    async def history(self, fact: FactId) -> FactHistory | None:
        """Return a fact, its sources, its chain and what cites it; None too where it is about somebody private."""
        return await self._engine.read(lambda connection: _history(connection, fact))

    async def labels(self, facts: Sequence[Fact]) -> dict[FactId, dict[PersonKey, str]]:
        """Return what the subjects of each fact are called today where the fact was learned."""
        return await self._engine.read(lambda connection: read_labels(connection, facts))

    async def spans(self, familiar: FamiliarId) -> FactSpans:
        """Return the times of all facts of a familiar as columns, for a picture of them."""
        return await self._engine.read(lambda connection: read_spans(connection, familiar))

    async def wording(self, familiar: FamiliarId) -> FactWording:
        """Return what all facts of a familiar say; reads every text."""
        return await self._engine.read(lambda connection: read_wording(connection, familiar))

    async def append(self, new: NewFact, *, at: datetime | None = None) -> tuple[Fact, bool]:
        """Store a fact. Where a current one says the same of the same people, that one grows by the sources (False)."""
        stamp = Stamp(at or self._clock.now())
        writing = self._engine.write(lambda connection: fact_write.append_fact(connection, new, stamp))
        return await self.feed.following(writing, lambda done: (done[0].id,))

    async def supersede(
        self,
        priors: Sequence[FactId],
        *,
        by: FactId | None = None,
        merged: NewFact | None = None,
        at: datetime | None = None,
    ) -> Superseded:
        """Retire facts for nothing, for the fact `by`, or for `merged`, which is stored first; all or nothing.

        A fact retired before is reported as skipped and stays as it is. The dossiers of the retired facts' subjects go.
        Raises UserError where a fact does not exist, is another familiar's, or `by` is retired itself.
        """
        stamp = Stamp(at or self._clock.now())
        writing = self._engine.write(
            lambda connection: fact_write.supersede_facts(connection, priors, stamp, by=by, merged=merged)
        )
        return await self.feed.following(writing, Superseded.touched)

    async def restore(self, fact: FactId, *, at: datetime | None = None) -> Fact:
        """Believe a retired fact again. What the owner restores goes through `restore_by_owner`."""
        stamp = Stamp(at or self._clock.now())
        writing = self._engine.write(lambda connection: fact_write.restore_fact(connection, fact, stamp))
        return await self.feed.following(writing, lambda restored: (restored.id,))

    async def add_by_owner(
        self,
        familiar: FamiliarId,
        text: str,
        *,
        subjects: Sequence[PersonKey] = (),
        sources: Sequence[TurnId] = (),
        importance: int | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
    ) -> tuple[Fact, bool]:
        """Store what the owner says. False where it was believed already; it then rests on the owner's word too."""

        def act(connection: Connection) -> tuple[FamiliarId, fact_act.Act]:
            refuse_private(connection, subjects)
            named = tuple(Subject(key, label_of(key, names_of(connection, key))) for key in dict.fromkeys(subjects))
            new = NewFact(
                familiar, text.strip(), fact_act.ORIGIN, named, tuple(sources), None, importance, valid_from, valid_to
            )
            return familiar, fact_act.add_act(new)

        return await self._act(act)

    async def edit_by_owner(self, fact: FactId, changes: NewFact, *, decided_by: PersonKey = OWNER) -> Fact:
        """Put another fact in the place of one: an edit never changes a row. Raises UserError where it is retired.

        Somebody else than the owner decides so about themselves alone, which the caller has to see to.
        """

        def act(connection: Connection) -> tuple[FamiliarId, fact_act.Act]:
            refuse_private(connection, (subject.key for subject in changes.subjects))
            made = fact_act.edit_act(connection, fact, changes)
            return existing_fact(connection, fact).familiar, fact_act.decided(made, decided_by)

        return (await self._act(act))[0]

    async def retire_by_owner(self, fact: FactId, *, by: FactId | None = None, decided_by: PersonKey = OWNER) -> Fact:
        """Retire a fact, for another one or for none. Raises UserError where it is retired already."""

        def act(connection: Connection) -> tuple[FamiliarId, fact_act.Act]:
            made = fact_act.retire_act(connection, fact, by)
            return existing_fact(connection, fact).familiar, fact_act.decided(made, decided_by)

        return (await self._act(act))[0]

    async def restore_by_owner(self, fact: FactId, *, decided_by: PersonKey = OWNER) -> Fact:
        """Believe a retired fact again; whoever retired it may not propose the same again."""

        def act(connection: Connection) -> tuple[FamiliarId, fact_act.Act]:
            made = fact_act.restore_act(connection, fact)
            return existing_fact(connection, fact).familiar, fact_act.decided(made, decided_by)

        return (await self._act(act))[0]

    async def undo_retirement(self, retirement: RetirementId) -> Fact:
        """Take back a retirement that a projector made: the fact is believed again, the pair is barred."""
        return await self._decide("retirement_undo", retirement)

    async def refuse_retirement(self, retirement: RetirementId) -> Fact:
        """Turn down a retirement that waits for the owner; the pair is barred."""
        return await self._decide("retirement_refuse", retirement)

    async def accept_retirement(self, retirement: RetirementId) -> Fact:
        """Carry out a retirement that waits for the owner."""
        return await self._decide("retirement_accept", retirement)

    async def never_retire(self, retirement: RetirementId) -> Fact:
        """Let neither fact of a proposal ever retire the other; where one has, that is taken back."""
        return await self._decide(owner_act.NEVER, retirement)

    async def reopen_retirement(self, retirement: RetirementId) -> Fact:
        """Take back the owner's last decision about a retirement; the pair is not barred any more."""
        return await self._decide(owner_act.REOPEN, retirement)

    async def replay_owner_acts(self, familiar: FamiliarId, *, until: datetime | None = None) -> ReplayCount:
        """Do again what the owner decided and what an emptied table has lost; see `MemoryWriter.replay_owner_acts`."""
        touched: set[FactId] = set()
        writing = self._engine.write(lambda connection: owner_act.replay(connection, familiar, until, touched))
        return await self.feed.following(writing, lambda _counted: touched)

    async def _decide(self, name: str, number: RetirementId) -> Fact:
        def act(connection: Connection) -> tuple[FamiliarId, fact_act.Act]:
            known: Retirement | None = read_retirement(connection, number)
            if known is None:
                raise UserError(tr("There is no proposal {number}.", number=str(number)), tr("Look at the list again."))
            return known.familiar, fact_act.decision_act(connection, name, known.prior.id, known.successor.id)

        return (await self._act(act))[0]

    async def _act(self, make: Callable[[Connection], tuple[FamiliarId, dict[str, Any]]]) -> tuple[Fact, bool]:
        def work(connection: Connection) -> tuple[Fact, bool, set[FactId]]:
            familiar, act = make(connection)
            fact, created = owner_act.perform(connection, familiar, act, self._clock.now())
            return fact, created, facts_of(act)

        fact, created, _named = await self.feed.following(self._engine.write(work), lambda done: (done[0].id, *done[2]))
        return fact, created


def _history(connection: Connection, number: FactId) -> FactHistory | None:
    fact = read_fact(connection, number)
    if fact is None or not read_levels(connection).keys().isdisjoint(subject.key for subject in fact.subjects):
        return None
    priors = connection.execute("SELECT id FROM facts WHERE superseded_by = ? ORDER BY id", (number,))
    sources = (read_turn(connection, turn) for turn in fact.source_turns)
    return FactHistory(
        fact=fact,
        labels=read_labels(connection, (fact,))[number],
        supersedes=tuple(FactId(prior) for (prior,) in priors),
        successors=_successors(connection, number),
        sources=tuple(turn for turn in sources if turn is not None),
        reflections=tuple(reflections_citing(connection, number)),
        reason=_reason(connection, fact),
        channel=None if fact.channel is None else read_channel(connection, fact.channel),
    )


def _reason(connection: Connection, fact: Fact) -> str:
    row = connection.execute(
        "SELECT reason FROM retirements WHERE prior = ? AND successor = ? AND state = 'acted'",
        (fact.id, fact.superseded_by),
    ).fetchone()
    return "" if row is None else str(row[0])


def _successors(connection: Connection, number: FactId) -> tuple[FactId, ...]:
    chain, here = list[FactId](), number
    while len(chain) < _MOST_IN_A_CHAIN:
        row = connection.execute("SELECT superseded_by FROM facts WHERE id = ?", (here,)).fetchone()
        if row is None or row[0] is None or row[0] in chain:
            break
        here = FactId(row[0])
        chain.append(here)
    return tuple(chain)
