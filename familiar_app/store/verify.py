"""Checks a vault: its pages, its structure, its references, and what its columns say about the log.

The texts of problems name tables and ids, never what was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlcipher3 import dbapi2

from familiar_app.domain.text import in_english, tr, tr_later
from familiar_app.store import schema
from familiar_app.store.derived import derive_columns
from familiar_app.store.fact_verify import fact_problems
from familiar_app.store.fault import DAMAGE_CODES, DamagedVaultError, primary_code
from familiar_app.store.row_rescue import RowReader
from familiar_app.store.saved_memory_verify import saved_memory_problems

if TYPE_CHECKING:
    from sqlite3 import Connection

_MOST_OF_A_KIND = 20
RESTORE = tr_later(
    "Restore the newest good backup with 'familiar restore', or bring over what can be read with 'familiar salvage'."
)
_REBUILD = tr_later(
    "Make a backup, then bring the projection back with 'familiar rebuild'; the log itself is not affected."
)
_REPORT = tr_later("Make a backup, then report this as a defect; the log itself is not affected.")

# References that no foreign key holds. Each query returns the ids that break its rule.
_REFERENCES = (
    ("people", tr_later("has a newest snapshot of somebody else"),
     "SELECT p.key FROM people p JOIN speakers s ON s.id = "
     "p.latest_speaker WHERE s.key <> p.key"),
    ("speakers", tr_later("belongs to no known person"),
     "SELECT s.id FROM speakers s WHERE NOT EXISTS (SELECT 1 FROM people p "
     "WHERE p.key = s.key)"),
    ("names", tr_later("ends before it begins"),
     "SELECT id FROM names WHERE until IS NOT NULL AND until < since"),
    ("subscriptions", tr_later("ends before it begins"),
     "SELECT id FROM subscriptions WHERE until < since"),
    ("turns", tr_later("answers a turn of another channel"),
     "SELECT t.id FROM turns t JOIN turns a ON a.id = t.answers "
     "WHERE a.channel <> t.channel"),
    ("turns", tr_later("answers a turn that came after it"),
     "SELECT id FROM turns WHERE answers >= id"),
    ("turns", tr_later("is deleted but still has a text"),
     "SELECT id FROM turns WHERE deleted AND (content <> '' OR "
     "tool_calls IS NOT NULL OR attachments IS NOT NULL OR id IN (SELECT turn FROM revisions))"),
    ("revisions", tr_later("is missing from the series"),
     "SELECT turn FROM revisions GROUP BY turn HAVING max(number) <> "
     "count(*) + 1 OR min(number) <> 2"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be, and what to do about it."""

    where: str
    what: str
    how_to_mend: str


def verify_database(connection: Connection, report: Callable[[float], None]) -> list[Problem]:
    """Return what is wrong, nothing where all is well. Where pages are damaged, nothing beyond them is judged."""
    checks = (_pages, _structure, _schema, _foreign_keys, _references, _derived, _facts, _saved_memories)
    problems: list[Problem] = []
    for done, check in enumerate(checks):
        report(done / len(checks))
        try:
            problems.extend(check(connection))
        except dbapi2.DatabaseError as error:
            if primary_code(error) not in DAMAGE_CODES:
                raise
            problems.append(Problem("vault.db", tr("a part of the database cannot be read"), tr(RESTORE)))
        if problems and check in (_pages, _structure):
            break
    report(1.0)
    return problems


def lost_rows(path: Path, data_key: bytes) -> list[Problem]:
    """Name the tables of a damaged database whose rows cannot be read, and which these are."""
    reader = RowReader(path, data_key)
    try:
        losses = [reader.read(table, _pass_over) for table in reader.tables()]
    except DamagedVaultError:
        return [Problem("vault.db", tr("not even its table of contents can be read"), tr(RESTORE))]
    finally:
        reader.close()
    return [Problem(loss.table, loss.sentence(), tr(RESTORE)) for loss in losses if loss.any]


def advised(problems: Iterable[Problem], newest: Path | None) -> list[Problem]:
    """Return the problems with the newest backup named where one is needed."""
    if newest is None:
        return list(problems)
    text = tr(
        "Restore the newest good backup with 'familiar restore \"{newest}\"', or bring over what can be read with "
        "'familiar salvage'.",
        newest=newest,
    )
    return [replace(one, how_to_mend=text) if in_english(one.how_to_mend) == RESTORE else one for one in problems]


def _pass_over(_rows: object) -> None:
    """Read and keep nothing."""


def _pages(connection: Connection) -> Iterator[Problem]:
    for (text,) in connection.execute("PRAGMA cipher_integrity_check").fetchall():
        yield Problem("vault.db", tr("damaged page: {detail}", detail=text), tr(RESTORE))


def _structure(connection: Connection) -> Iterator[Problem]:
    for (text,) in connection.execute(f"PRAGMA quick_check({_MOST_OF_A_KIND})").fetchall():
        if text != "ok":
            yield Problem("vault.db", tr("damaged structure: {detail}", detail=str(text).splitlines()[-1]), tr(RESTORE))


def _schema(connection: Connection) -> Iterator[Problem]:
    expected = schema.definition()
    found = schema.definition_of(connection)
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield Problem(name, tr("this table or index is missing"), tr(RESTORE))
        elif name not in expected:
            yield Problem(name, tr("this table or index does not belong here"), tr(_REPORT))
        elif expected[name] != found[name]:
            yield Problem(name, tr("this table or index does not have its proper form"), tr(RESTORE))


def _foreign_keys(connection: Connection) -> Iterator[Problem]:
    for table, row, parent, _number in connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST_OF_A_KIND):
        yield Problem(
            f"{table} {row if row is not None else ''}".strip(),
            tr("refers to a missing row of {table}", table=parent),
            tr(_REPORT),
        )


def _references(connection: Connection) -> Iterator[Problem]:
    for table, what, query in _REFERENCES:
        for (number,) in connection.execute(query).fetchmany(_MOST_OF_A_KIND):
            yield Problem(f"{table} {number}", tr(what), tr(_REPORT))


def _derived(connection: Connection) -> Iterator[Problem]:
    for count, (turn, column) in enumerate(derive_columns(connection)):
        if count == _MOST_OF_A_KIND:
            return
        yield Problem(f"turns {turn}", tr("the column {column} is not what the log says", column=column), tr(_REPORT))


def _facts(connection: Connection) -> Iterator[Problem]:
    for where, what in fact_problems(connection):
        yield Problem(where, what, tr(_REBUILD))


def _saved_memories(connection: Connection) -> Iterator[Problem]:
    for where, what in saved_memory_problems(connection):
        yield Problem(where, what, tr(_REBUILD))
