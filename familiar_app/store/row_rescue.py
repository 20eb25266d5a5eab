"""Reads what can be read of the tables of a damaged database, and says which rows cannot.

A page that fails its authentication takes its rows with it, and a connection that met one goes on failing; so each
attempt that fails is followed by a fresh connection. A table is read from both ends up to the damage, and what lies
between is searched by halves.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlcipher3 import dbapi2

from familiar_app.domain.text import ntr, tr
from familiar_app.store.connection import connect
from familiar_app.store.fault import DAMAGE_CODES, primary_code

if TYPE_CHECKING:
    from sqlite3 import Connection

Row = tuple[Any, ...]
Take = Callable[[Sequence[Row]], None]

BATCH = 500
MOST_FRUITLESS = 256
"""After so many attempts in a row that brought nothing, what is left of a gap counts as lost."""
_FAR = 100_000
"""How far beyond the last readable row rows are looked for, where nothing tells the highest."""


@dataclass(slots=True)
class TableLoss:
    """What could not be read of a table: ranges of its ids, both ends included. `unsure` where more may be missing."""

    table: str
    ranges: list[tuple[int, int]] = field(default_factory=list)
    unsure: bool = False
    known: int | None = None
    """How many rows are lost, where an intact index tells."""

    @property
    def any(self) -> bool:
        """Tell whether anything is missing at all."""
        return bool(self.ranges) or self.unsure

    def sentence(self) -> str:
        """Say it for people."""
        if not self.ranges:
            return tr("some of its rows cannot be read")
        places = ", ".join(_span(low, high) for low, high in self.ranges[:20])
        if len(self.ranges) > 20:
            more = len(self.ranges) - 20
            places = ntr("{places} and {n} more place", "{places} and {n} more places", more, places=places)
        if self.unsure:
            places = tr("{places}, perhaps more", places=places)
        if self.known is None:
            return tr("rows cannot be read: {places}", places=places)
        return ntr("{n} row cannot be read: {places}", "{n} rows cannot be read: {places}", self.known, places=places)


def _span(low: int, high: int) -> str:
    return str(low) if low == high else tr("{low} to {high}", low=str(low), high=str(high))


@dataclass(frozen=True, slots=True)
class _Table:
    name: str
    columns: tuple[str, ...]
    key: str | None
    order: str
    indexes: tuple[str, ...]


class RowReader:
    """Reads the tables of the database at `path`, which nobody changes meanwhile."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path, self._key = path, key
        self._connection: Connection | None = None

    def close(self) -> None:
        """Let the file go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def tables(self) -> list[str]:
        """Return the names of the tables. Raises DamagedVaultError where even that cannot be read."""
        rows = self._open().execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        )
        return [str(row[0]) for row in rows]

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a table that are stored."""
        return self._describe(table).columns

    def read(self, name: str, take: Take) -> TableLoss:
        """Give every row that can be read to `take`, in batches, and return what is missing."""
        table, loss = self._describe(name), TableLoss(name)
        last = self._run(table, "", (), f"ORDER BY {table.order}", take)
        if last is _WHOLE:
            return loss
        if table.key is None:
            # Rows from the other end would come twice: they are told apart by whoever takes them.
            self._run(table, "", (), f"ORDER BY {_descending(table.order)}", take)
            loss.unsure = True
            return loss
        low = int(last[0]) if last is not None else -1
        high = self._from_the_end(table, low, take)
        ids = self._ids_of_index(table, low, high)
        if ids is None and high is None:
            loss.unsure, high = True, low + _FAR
        self._between(table, ids, low + 1, (high if high is not None else max(ids or [low]) + 1) - 1, take, loss)
        if ids is not None and not loss.unsure:
            loss.known = sum(1 for one in ids if any(a <= one <= b for a, b in loss.ranges))
        return loss

    def _from_the_end(self, table: _Table, low: int, take: Take) -> int | None:
        last = self._run(table, f"{table.key} > ?", (low,), f"ORDER BY {_descending(table.order)}", take)
        return int(last[0]) if last is not None and last is not _WHOLE else None

    def _between(self, table: _Table, ids: list[int] | None, low: int, high: int, take: Take, loss: TableLoss) -> None:
        """Search what lies between two readable stretches by halves, the largest first, until nothing comes any more.

        So a readable stretch is passed over only where it is a small part of what is lost.
        """
        open_ranges = [(low - high, low, high)]
        fruitless = 0
        while open_ranges:
            _size, low, high = heapq.heappop(open_ranges)
            if ids is not None:
                low, high = _narrowed(ids, low, high)
            if low > high:
                continue
            if fruitless >= MOST_FRUITLESS:
                loss.ranges.append((low, high))
                continue
            last = self._run(table, f"{table.key} BETWEEN ? AND ?", (low, high), f"ORDER BY {table.order}", take)
            if last is _WHOLE:
                fruitless = 0
                continue
            fruitless = 0 if last is not None else fruitless + 1
            low = low if last is None else int(last[0]) + 1
            if low >= high:
                loss.ranges.append((high, high))
            else:
                middle = (low + high) // 2
                for part in ((low, middle), (middle + 1, high)):
                    heapq.heappush(open_ranges, (part[0] - part[1], *part))
        loss.ranges = _joined(loss.ranges, ids)

    def _run(self, table: _Table, where: str, values: Row, order: str, take: Take) -> Row | None:
        """Read rows until the end or the first fault. Returns `_WHOLE`, or the last row that was read (None: none)."""
        columns = ", ".join(f'"{column}"' for column in table.columns)
        query = f'SELECT {table.key or 1}, {columns} FROM "{table.name}" {"WHERE " + where if where else ""} {order}'
        last: Row | None = None
        try:
            for batch in _batches(self._open().execute(query, values)):
                take([row[1:] for row in batch])
                last = batch[-1]
        except _HalfBatch as half:
            if half.rows:
                take([row[1:] for row in half.rows])
                last = half.rows[-1]
            self._after(half.fault)
            return last
        except dbapi2.DatabaseError as error:
            self._after(error)
            return last
        return _WHOLE

    def _ids_of_index(self, table: _Table, low: int, high: int | None) -> list[int] | None:
        """Return the ids between, as an intact index of the table tells them."""
        for index in table.indexes:
            try:
                rows = self._open().execute(f'SELECT rowid FROM "{table.name}" INDEXED BY "{index}"').fetchall()
            except dbapi2.OperationalError as error:
                if primary_code(error) in DAMAGE_CODES:
                    self._after(error)
                continue
            except dbapi2.DatabaseError as error:
                self._after(error)
                continue
            return sorted(row[0] for row in rows if row[0] > low and (high is None or row[0] < high))
        return None

    def _describe(self, name: str) -> _Table:
        connection = self._open()
        info = connection.execute(f'PRAGMA table_xinfo("{name}")').fetchall()
        columns = tuple(str(row[1]) for row in info if not row[6])
        keys = [(str(row[1]), str(row[2])) for row in sorted(info, key=lambda row: row[5]) if row[5]]
        sql = str(connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0])
        if "WITHOUT ROWID" not in sql:
            rows = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND "
                "(sql IS NULL OR upper(sql) NOT LIKE '% WHERE %')",
                (name,),
            )
            return _Table(name, columns, "rowid", "rowid", tuple(str(row[0]) for row in rows))
        order = ", ".join(f'"{key}"' for key, _type in keys)
        return _Table(name, columns, f'"{keys[0][0]}"' if keys[0][1] == "INTEGER" else None, order, ())

    def _open(self) -> Connection:
        if self._connection is None:
            self._connection = connect(self._path, self._key, read_only=True)
        return self._connection

    def _after(self, fault: dbapi2.DatabaseError) -> None:
        """Let go of the connection that met a fault; anything but damage is raised."""
        if primary_code(fault) not in DAMAGE_CODES:
            raise fault
        self.close()


class _HalfBatch(Exception):  # noqa: N818 - not an error of its own: it hands on rows beside one
    def __init__(self, rows: list[Row], fault: dbapi2.DatabaseError) -> None:
        super().__init__()
        self.rows, self.fault = rows, fault


_WHOLE: Row = ("whole",)


def _batches(cursor: Any) -> Iterator[list[Row]]:
    """Give rows in batches; the rows before a fault come along with it."""
    batch: list[Row] = []
    while True:
        try:
            row = cursor.fetchone()
        except dbapi2.DatabaseError as error:
            raise _HalfBatch(batch, error) from error
        if row is None:
            break
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _descending(order: str) -> str:
    return ", ".join(f"{part} DESC" for part in order.split(", "))


def _narrowed(ids: list[int], low: int, high: int) -> tuple[int, int]:
    """Return the lowest and highest of the sorted ids within a range; an empty range where there are none."""
    first, behind = bisect_left(ids, low), bisect_right(ids, high)
    return (ids[first], ids[behind - 1]) if first < behind else (low, low - 1)


def _joined(ranges: list[tuple[int, int]], ids: list[int] | None) -> list[tuple[int, int]]:
    """Return the ranges in order; neighbours with no row between them become one."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and _touch(joined[-1][1], low, ids):
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def _touch(end: int, start: int, ids: list[int] | None) -> bool:
    if ids is None:
        return end + 1 == start
    return bisect_right(ids, end) == bisect_left(ids, start)
