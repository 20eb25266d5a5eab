"""What a projector may write, all of it in one transaction: the answer it got, the rows it made of it, its watermark.

A projector hands a function to `Projections.write`, which calls it with a `MemoryWriter` on the writer's thread. The
function may be called twice, so it touches nothing but the writer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.fact import Fact, FactId, NewFact
from familiar_app.domain.ids import ChannelId, FamiliarId, PersonKey, TurnId
from familiar_app.domain.projection import (
    Answer,
    AnswerId,
    Dossier,
    NewAnswer,
    NewReflection,
    NewRetirement,
    Reflection,
    Retirement,
    Summary,
    Watermark,
)
from familiar_app.store import (
    dossier,
    fact_write,
    heard,
    ledger,
    owner_act,
    reflection,
    retirement,
    reword,
    saved_memory_log,
)
from familiar_app.store.fact_write import Stamp, Superseded
from familiar_app.store.owner_act import ReplayCount

if TYPE_CHECKING:
    from sqlite3 import Connection

ProjectionTable = Literal["facts", "retirements", "people_dossiers", "summaries", "reflections"]


class MemoryWriter:
    """Writes within one transaction. `at` is the time of the answer, also in a replay: it becomes system time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.touched: set[FactId] = set()

    def record_answer(self, answer: NewAnswer) -> Answer:
        """Keep the answer of a model. A replay does not record it again."""
        return ledger.record_answer(self._connection, answer)

    def append_fact(
        self, new: NewFact, at: datetime, *, answer: AnswerId | None = None, item: int = 0
    ) -> tuple[Fact, bool]:
        """Store a fact, or let the current one that says the same grow by the new sources (False).

        With `answer` and `item` (its place in the answer) a replay gives the fact the id it had.
        """
        number = None if answer is None else ledger.fact_number(self._connection, answer, item)
        fact, created = fact_write.append_fact(self._connection, new, Stamp(at), number=number)
        if answer is not None:
            ledger.remember_fact(self._connection, answer, item, fact.id)
        self.touched.add(fact.id)
        return fact, created

    def supersede(
        self, priors: Sequence[FactId], at: datetime, *, by: FactId | None = None, merged: NewFact | None = None
    ) -> Superseded:
        """Retire facts for nothing, for `by`, or for `merged`, stored first. Those retired before are skipped."""
        outcome = fact_write.supersede_facts(self._connection, priors, Stamp(at), by=by, merged=merged)
        self.touched.update(outcome.touched())
        return outcome

    def propose_retirement(self, new: NewRetirement, at: datetime, *, act: bool = True) -> Retirement | None:
        """Log that a fact should be retired, and retire it with `act`. None where it is barred or moot.

        In a replay, what was done then is recognised and not done twice.
        """
        logged = retirement.propose(self._connection, new, Stamp(at), act=act)
        self.touched.update((new.prior, new.successor))
        return logged

    def is_barred(self, prior: FactId, successor: FactId) -> bool:
        """Tell whether the owner has undone or refused this retirement."""
        return retirement.is_barred(self._connection, prior, successor)

    def put_dossier(self, new: Dossier) -> None:
        """Store a person's dossier. An empty text changes nothing."""
        dossier.put_dossier(self._connection, new)

    def add_summary(self, new: Summary) -> None:
        """Store a channel's next summary. An empty text changes nothing."""
        dossier.add_summary(self._connection, new)

    def add_reflection(self, new: NewReflection, at: datetime) -> Reflection | None:
        """Store a reflection; None where nothing it cites is left."""
        return reflection.add_reflection(self._connection, new, at)

    def watermark(self, projector: str, familiar: FamiliarId, scope: str = "") -> Watermark | None:
        """Return how far a projector has come, or None: from the beginning."""
        return ledger.watermark(self._connection, projector, familiar, scope)

    def set_watermark(self, mark: Watermark) -> None:
        """Move a projector's watermark.

        `speaks_of` names the table whose rows it counts on (`facts`, `retirements`, `people_dossiers`, `summaries`,
        `reflections`; any other text is never emptied). When the last such row of the familiar goes, so does the
        watermark. For `summaries` the scope is the channel's id, for `people_dossiers` the person's key, or "".
        """
        ledger.set_watermark(self._connection, mark)

    def forget_watermarks(self, projector: str, familiar: FamiliarId) -> None:
        """Let a projector begin again."""
        ledger.forget_watermarks(self._connection, projector, familiar)

    def void_answers(self, projector: str, familiar: FamiliarId, at: datetime) -> None:
        """Keep the answers so far but replay them no more, because the model is to be asked again."""
        ledger.void_answers(self._connection, projector, familiar, at)

    def compared(self, familiar: FamiliarId) -> tuple[int, datetime] | None:
        """Return up to which fact facts were ever compared with earlier ones, and when; None where none was."""
        return ledger.compared(self._connection, familiar)

    def remember_compared(self, familiar: FamiliarId, fact: int, at: datetime) -> None:
        """Note up to which fact facts were compared. Survives when facts and watermarks are emptied."""
        ledger.remember_compared(self._connection, familiar, fact, at)

    def forget_compared(self, familiar: FamiliarId) -> None:
        """Let every fact be compared again."""
        ledger.forget_compared(self._connection, familiar)

    def newest_turn(self) -> TurnId:
        """Return the id of the newest turn of the vault, 0 where there is none."""
        return TurnId(self._connection.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()[0])

    def turns_left(self, turns: Iterable[TurnId]) -> set[TurnId]:
        """Return those of some turns that still have a row, tombstones too."""
        found = (
            self._connection.execute("SELECT id FROM turns WHERE id = ?", (turn,)).fetchone() for turn in set(turns)
        )
        return {TurnId(row[0]) for row in found if row is not None}

    def drop_unsaid(self, familiar: FamiliarId, turn: TurnId, act: int, said: Collection[FactId], at: datetime) -> None:
        """Let a turn that was read again, after the deletion of others, support only what it says by itself."""
        self.touched.update(reword.drop_unsaid(self._connection, familiar, turn, act, said, at))

    def wordings(self, turns: Iterable[TurnId]) -> dict[TurnId, int]:
        """Return which revision of each turn is read at present; deleted ones are left out."""
        sql = "SELECT id, revision FROM turns WHERE id = ? AND deleted = 0"
        rows = (self._connection.execute(sql, (turn,)).fetchone() for turn in turns)
        return {TurnId(row[0]): int(row[1]) for row in rows if row is not None}

    def believed_about(self, familiar: FamiliarId, person: PersonKey, *, until: int = 1 << 62) -> list[int]:
        """Return the facts about somebody that are believed now, ended ones too, oldest first."""
        return heard.believed_about(self._connection, familiar, person, until=until)

    def empty(self, table: ProjectionTable, familiar: FamiliarId) -> None:
        """Take every row of a familiar out of a projection's table; the watermarks that speak of it go along."""
        if table == "facts":
            rows = self._connection.execute("SELECT id FROM facts WHERE familiar = ?", (familiar,))
            self.touched.update(FactId(number) for (number,) in rows)
        self._connection.execute(f"DELETE FROM {table} WHERE familiar = ?", (familiar,))

    def empty_summaries(self, familiar: FamiliarId, channel: ChannelId) -> None:
        """Take out every summary of a channel; its watermark goes along."""
        self._connection.execute("DELETE FROM summaries WHERE familiar = ? AND channel = ?", (familiar, channel))

    def empty_vectors(self, familiar: FamiliarId, model: str) -> None:
        """Take out the vectors that a model gave a familiar's facts."""
        rows = self._connection.execute(
            """DELETE FROM fact_embeddings WHERE model = ? AND fact_id IN (SELECT id FROM facts WHERE familiar = ?)
            RETURNING fact_id""",
            (model, familiar),
        )
        self.touched.update(FactId(number) for (number,) in rows.fetchall())

    def empty_saved_memories(self) -> None:
        """Take out the saved memories of every familiar, and the levels of privacy; the log has them."""
        saved_memory_log.empty(self._connection)

    def empty_turn_vectors(self, model: str) -> None:
        """Take out the vectors that a model gave to turns, whoever hears them."""
        self._connection.execute("DELETE FROM turn_embeddings WHERE model = ?", (model,))

    def replay_owner_acts(
        self, familiar: FamiliarId, until: datetime | None = None, *, up_to: TurnId | None = None
    ) -> ReplayCount:
        """Carry out what the owner decided up to an instant and the tables have lost. Cheap when there is none.

        In a rebuild, call it with the time of each answer before that answer is replayed, and once at the end without
        a time: then everything happens again in its order, under the same ids and the same system times. `up_to` is
        the turn that was the newest then; it decides among acts of the same instant.
        """
        return owner_act.replay(self._connection, familiar, until, self.touched, up_to=up_to)
