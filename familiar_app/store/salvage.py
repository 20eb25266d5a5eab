"""Brings what can be read of a damaged vault into a new one, and says exactly what is lost.

The damaged files are kept. Where the rows of a projection are lost and the model's answers are not, the projection is
emptied, so that it comes back from them. Rows that pointed to what is lost point to nothing, or to a stand-in where
they must point to something; where neither is possible they go too, and are counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store import schema
from familiar_app.store.backup import Report, on_this_loop, refuse_without_room
from familiar_app.store.connection import PAGE_SIZE_BYTES, connect, connect_copy
from familiar_app.store.fault import DamagedVaultError, translated
from familiar_app.store.file_mode import make_private
from familiar_app.store.keys import KeyFile
from familiar_app.store.lock import VaultLock
from familiar_app.store.log_check import has_lost_commits
from familiar_app.store.profile_swap import VAULT_FILES, coming_folder, drop_coming, exchange
from familiar_app.store.row_rescue import Row, RowReader, TableLoss
from familiar_app.store.vault_file import keys_path, read_head
from familiar_app.store.verify import Problem, verify_database

if TYPE_CHECKING:
    from sqlite3 import Connection

# What comes back from the ledger and the log, in an order in which nothing is left pointing to what is gone.
_PROJECTED = (
    "watermarks", "reflection_facts", "reflection_turns", "reflections", "summaries", "people_dossiers", "retirements",
    "fact_embeddings", "fact_lost_places", "fact_beliefs", "fact_sources", "fact_subjects", "fact_blocks", "facts",
)  # fmt: skip
_SOURCES = ("ledger", "ledger_facts")
_STAND_INS = {
    "channels": "INSERT INTO channels (id, key, familiar, title, created_at) "
    "VALUES (?1, 'lost:' || ?1, NULL, 'Lost channel ' || ?1, 0)",
    "speakers": "INSERT INTO speakers (id, key, name, bot) VALUES (?1, 'lost:' || ?1, 'Somebody', 0)",
    "people": "INSERT INTO people (key) VALUES (?1)",
}


@dataclass(slots=True)
class Salvaged:
    """What became of it. `rows` counts what was brought over by table; `rebuilt` tells that projections come anew,
    `newest_lost` that what was stored last is gone from the log of changes."""

    rows: dict[str, int] = field(default_factory=dict)
    losses: list[TableLoss] = field(default_factory=list)
    loosened: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    stand_ins: dict[str, int] = field(default_factory=dict)
    rebuilt: bool = False
    newest_lost: bool = False
    problems: Sequence[Problem] = ()
    kept: Path | None = None

    @property
    def whole(self) -> bool:
        """Tell whether nothing at all was lost."""
        return not (self.losses or self.dropped or self.loosened or self.newest_lost)


def salvage_sentences(done: Salvaged) -> list[str]:
    """Say what became of it, a sentence for each thing."""
    texts = [f"{done.rows.get('turns', 0):,} turns were brought into a new vault."]
    texts += [f"{loss.table}: {loss.sentence()}." for loss in done.losses]
    texts += [f"{table}: {count:,} rows point to nothing any more." for table, count in done.loosened.items()]
    texts += [
        f"{table}: {count:,} rows went, for what they belonged to is lost." for table, count in done.dropped.items()
    ]
    texts += [f"{table}: {count:,} stand in for lost ones." for table, count in done.stand_ins.items()]
    if done.rebuilt:
        texts.append("Facts and what is drawn from them come back from the kept answers of the model.")
    texts += [f"{one.where}: {one.what} {one.how_to_mend}" for one in done.problems]
    if done.newest_lost:
        texts.append("What was stored last before the program ended is lost; how much it was, nothing tells.")
    if done.whole:
        texts.append("Nothing was lost.")
    if done.kept is not None:
        texts.append(f"The damaged files lie in {done.kept}.")
    return texts


async def salvage(root: Path, data_key: bytes, at: datetime, progress: Report | None = None) -> Salvaged:
    """Put a new vault with all that is readable in the place of the damaged one, which is set aside.

    Raises LockedError where it is in use, OutsideError where there is no room or not even its beginning can be read.
    """
    report = on_this_loop(progress)
    lock = await asyncio.to_thread(VaultLock, root / "vault.db")
    try:
        done = await asyncio.to_thread(_bring_over, root, data_key, report)
        done.kept = await asyncio.to_thread(exchange, root, VAULT_FILES, at, "salvage")
    except BaseException:
        await asyncio.to_thread(drop_coming, root)
        raise
    finally:
        lock.release()
    report(1.0)
    return done


def _bring_over(root: Path, data_key: bytes, report: Report) -> Salvaged:
    vault = root / "vault.db"
    refuse_without_room(root, 2 * vault.stat().st_size)
    reader = RowReader(vault, data_key)
    try:
        with translated(vault):
            tables = reader.tables()
            version, newest_lost = _version(vault, data_key)
    except DamagedVaultError as error:
        raise OutsideError(
            tr("The beginning of the vault is damaged, so nothing in it can be found. Nothing was changed."),
            tr("Restore the newest good backup with 'familiar restore'."),
        ) from error
    schema.refuse_newer(version)
    target = coming_folder(root) / "vault.db"
    done = Salvaged(newest_lost=newest_lost)
    try:
        with translated(target):
            _make_empty(target, data_key, version)
            connection = connect_copy(target, data_key)
            try:
                _copy_tables(reader, connection, tables, done, report)
                _mend(connection, done)
                if version < schema.VERSION:
                    schema.upgrade(connection)
                done.problems = verify_database(connection, lambda part: report(0.8 + part * 0.19))
            finally:
                connection.close()
            _settle_journal(target, data_key)
        KeyFile.read(keys_path(vault)).for_database(read_head(target)).write(keys_path(target))
    finally:
        reader.close()
    return done


def _version(vault: Path, data_key: bytes) -> tuple[int, bool]:
    """Return the version of the schema, and whether changes are lost out of the log."""
    connection = connect(vault, data_key, read_only=True)
    try:
        return schema.version_of(connection), has_lost_commits(vault, PAGE_SIZE_BYTES)
    finally:
        connection.close()


def _make_empty(target: Path, data_key: bytes, version: int) -> None:
    make_private(target)
    connection = connect_copy(target, data_key)
    try:
        schema.upgrade(connection, schema.STEPS[:version])
    finally:
        connection.close()


def _settle_journal(target: Path, data_key: bytes) -> None:
    """Give the new database the form of journal that every vault has."""
    connection = connect(target, data_key)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()


def _copy_tables(
    reader: RowReader, connection: Connection, tables: Sequence[str], done: Salvaged, report: Report
) -> None:
    """Copy row by row, without triggers, which would take one loss for many."""
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for name, _sql in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    wanted = [table for table in tables if table in known]
    for number, table in enumerate(wanted):
        report(0.8 * number / len(wanted))
        loss = reader.read(table, _inserting(connection, table, reader.columns(table)))
        done.rows[table] = int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
        if loss.any:
            done.losses.append(loss)
    connection.execute("BEGIN")
    _forget_half_projections(connection, known, done)
    connection.execute("COMMIT")
    for _name, sql in triggers:
        connection.execute(sql)


def _inserting(connection: Connection, table: str, columns: Sequence[str]) -> Callable[[Sequence[Row]], None]:
    names = ", ".join(f'"{column}"' for column in columns)
    statement = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({", ".join("?" * len(columns))})'

    def take(rows: Sequence[Row]) -> None:
        connection.execute("BEGIN")
        connection.executemany(statement, rows)
        connection.execute("COMMIT")

    return take


def _forget_half_projections(connection: Connection, known: set[str], done: Salvaged) -> None:
    lost = {loss.table for loss in done.losses}
    if lost.isdisjoint(_PROJECTED) or not lost.isdisjoint(_SOURCES):
        return
    for table in _PROJECTED:
        if table in known:
            connection.execute(f'DELETE FROM "{table}"')
            done.rows[table] = 0
    done.losses = [loss for loss in done.losses if loss.table not in _PROJECTED]
    done.rebuilt = True


def _mend(connection: Connection, done: Salvaged) -> None:
    """Let no row point to one that is missing, until every reference holds."""
    connection.execute("PRAGMA foreign_keys = OFF")
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    changed = True
    while changed:
        changed = False
        connection.execute("BEGIN")
        for table in tables:
            for reference in connection.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
                changed |= _mend_reference(connection, table, str(reference[2]), str(reference[3]), reference[4], done)
        connection.execute("COMMIT")


def _mend_reference(
    connection: Connection, table: str, parent: str, column: str, target: str | None, done: Salvaged
) -> bool:
    target = target or "rowid"
    broken = f'"{column}" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "{parent}" p WHERE p."{target}" = t."{column}")'
    ids = [row[0] for row in connection.execute(f'SELECT DISTINCT "{column}" FROM "{table}" t WHERE {broken}')]
    if not ids:
        return False
    if parent in _STAND_INS:
        connection.executemany(_STAND_INS[parent], [(one,) for one in ids])
        done.stand_ins[parent] = done.stand_ins.get(parent, 0) + len(ids)
        return True
    info = {row[1]: row for row in connection.execute(f'PRAGMA table_xinfo("{table}")')}
    loosens = not info[column][3] and not info[column][5]
    act = f'UPDATE "{table}" AS t SET "{column}" = NULL' if loosens else f'DELETE FROM "{table}" AS t'
    count = int(connection.execute(f"{act} WHERE {broken}").rowcount)
    tally = done.loosened if loosens else done.dropped
    tally[table] = tally.get(table, 0) + count
    return True
