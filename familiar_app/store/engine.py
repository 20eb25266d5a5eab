"""The async door to one open database: writes go to its writer thread, reads to a few reader threads.

A cancelled await either took its write out of the queue in time, or the write completes; it never happens in half.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlcipher3 import dbapi2

from familiar_app.domain.errors import LockedError
from familiar_app.domain.text import tr
from familiar_app.store.connection import connect
from familiar_app.store.fault import DamagedVaultError, translate
from familiar_app.store.keys import wipe
from familiar_app.store.writer import EXPECTED, Writer, closed_error

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")
READERS = 3


class Engine:
    """The connections of one open vault. Built in any thread; its coroutines may be awaited on any loop."""

    def __init__(self, path: Path, key: bytes, *, read_only: bool = False, immutable: bool = False) -> None:
        self.path = path
        self._key = bytearray(key)
        self._immutable = immutable
        self._closed = False
        self._writer = None if read_only else Writer(path, key)
        self._idle: list[Connection] = []
        self._active = 0
        self._reading = threading.Condition()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="vault-read")

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction on the writer; its result comes back once it is durable.

        `work` may run twice (its first transaction can be lost with its neighbours'), so it touches nothing but the
        connection. What it raises undoes it and comes out translated.
        """
        return await self._open_writer().submit(work)

    async def write_alone(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on the writer with no transaction open, for checkpoints and exports."""
        return await self._open_writer().submit(work, alone=True)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a reader that sees one state of the database throughout."""
        if self._closed:
            raise closed_error()
        return await asyncio.wrap_future(self._readers.submit(self._read_now, work))

    async def exchange(self, prepare: Callable[[Connection], T], put_in_place: Callable[[T], bytes]) -> None:
        """Put another file in the place of the database, with nothing lost in between.

        `prepare` runs on the writer while reads go on; `put_in_place` runs with every connection closed and returns
        the key of what is there now. Where it fails, the old file is opened again.
        """
        writer = self._open_writer()

        def work(connection: Connection) -> None:
            prepared = prepare(connection)
            with self._reading:
                self._reading.wait_for(lambda: self._active == 0)
                self._close_idle()
                old, self._key = self._key, bytearray(writer.reopen(lambda: put_in_place(prepared), bytes(self._key)))
                wipe(old)

        await writer.submit(work, alone=True)

    def close(self) -> None:
        """Finish what is queued, bring it into the one file, close everything. Blocks; may be repeated."""
        self._closed = True
        self._readers.shutdown(wait=True, cancel_futures=True)
        damaged = self._writer is not None and self._writer.broken is not None
        if not damaged:
            self._close_idle()
        if self._writer is not None:
            self._writer.close()
        # The last connection to close brings the log into the database. In a damaged one a reader is the last, since
        # it can't: the log is left as it is, for whoever rescues the vault.
        self._close_idle()
        wipe(self._key)

    def _read_now(self, work: Callable[[Connection], T]) -> T:
        connection = self._take_reader()
        try:
            connection.execute("BEGIN")
            return work(connection)
        except EXPECTED as error:
            failure = translate(error, self.path)
            if isinstance(failure, DamagedVaultError):
                # The cipher remembers the fault, so this connection would go on failing.
                connection.close()
                if self._writer is not None:
                    self._writer.broken = failure
            raise failure from error
        finally:
            self._give_back(connection)

    def _take_reader(self) -> Connection:
        with self._reading:
            connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = connect(self.path, bytes(self._key), read_only=True, immutable=self._immutable)
            self._active += 1
            return connection

    def _give_back(self, connection: Connection) -> None:
        usable = True
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except dbapi2.ProgrammingError:  # it was closed above
            usable = False
        with self._reading:
            self._active -= 1
            if usable:
                self._idle.append(connection)
            self._reading.notify_all()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _open_writer(self) -> Writer:
        if self._closed:
            raise closed_error()
        if self._writer is None:
            raise LockedError(
                tr("This vault was opened for reading only."), tr("Open it for writing to change something.")
            )
        return self._writer
