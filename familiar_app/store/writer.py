"""The one thread that changes a vault. Jobs that wait at the same time share a commit.

A job's future is settled only after its commit has reached the disk. After a damaged page was seen nothing more is
written.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlcipher3 import dbapi2

from familiar_app.domain.errors import FamiliarError, LockedError, OutsideError
from familiar_app.domain.text import tr
from familiar_app.store.connection import connect
from familiar_app.store.fault import DamagedVaultError, translate

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)

T = TypeVar("T")
MOST_PER_COMMIT = 256

# What the world may do to a job; anything else a job raises is a defect and goes to its caller as it is.
EXPECTED = (FamiliarError, OSError, MemoryError, UnicodeError, OverflowError, dbapi2.Error)


@dataclass(slots=True)
class _Job:
    work: Callable[[Connection], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    alone: bool


# What became of a job: its result, or what it raised.
_Outcome = tuple[_Job, Any, BaseException | None]


class Writer:
    """Owns the writing connection, from construction to `close`."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._connection = connect(path, key)
        self._pending: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closing = False
        self._submitting = threading.Lock()
        self.broken: DamagedVaultError | None = None
        self._thread = threading.Thread(target=self._serve, name="vault-write", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Connection], T], *, alone: bool = False) -> asyncio.Future[T]:
        """Queue `work` from a running loop; with `alone` it runs outside any transaction.

        Cancelling the future drops a job that has not begun, and does nothing to one that has.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._submitting:
            if self._closing:
                raise closed_error()
            self._pending.put(_Job(work, loop, future, alone))
        return future

    def reopen(self, between: Callable[[], bytes], key: bytes) -> bytes:
        """Close the connection, run `between`, open what is there then. Runs inside a job on the writer's thread.

        Returns the key that `between` gave. Where it raises, the connection is opened again with `key`.
        """
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.close()
        try:
            key = between()
        finally:
            self._connection = connect(self._path, key)
        return key

    def close(self) -> None:
        """Finish the queue, bring everything into the one database file, close it. Blocks; may be repeated."""
        with self._submitting:
            if self._closing:
                return
            self._closing = True
            self._pending.put(None)
        self._thread.join()
        try:
            if self.broken is None:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except dbapi2.Error as error:
            failure = self._note(translate(error, self._path))
            if self.broken is not None or not isinstance(failure, OutsideError):
                raise failure from error
            # Every commit is safe in the log of changes already; the next one that opens the vault reads it from there.
            log.warning("the log of changes stays beside the database", exc_info=failure)
        finally:
            self._connection.close()

    def _serve(self) -> None:
        job = self._pending.get()
        while job is not None:
            group, job = self._gather(job)
            jobs = [one for one in group if not one.future.cancelled()]
            _settle(self._run_together(jobs) if len(jobs) > 1 else [self._run(one) for one in jobs])
            if job is _NOTHING:
                job = self._pending.get()

    def _gather(self, first: _Job) -> tuple[list[_Job], _Job | None]:
        """Take what can share one commit. Returns it with what was taken too far: a job, the end, or nothing."""
        group = [first]
        while not first.alone and len(group) < MOST_PER_COMMIT:
            try:
                job = self._pending.get_nowait()
            except queue.Empty:
                break
            if job is None or job.alone:
                return group, job
            group.append(job)
        return group, _NOTHING

    def _run_together(self, jobs: list[_Job]) -> list[_Outcome]:
        """Run jobs in one transaction, each undone alone where it fails."""
        try:
            self._refuse_if_broken()
            self._connection.execute("BEGIN IMMEDIATE")
            outcomes: list[_Outcome] = [(job, *self._attempt(job)) for job in jobs]
            self._connection.execute("COMMIT")
        except BaseException:  # noqa: BLE001 - not swallowed: each job runs again and reports its own
            # The transaction is gone, and with it jobs that did nothing wrong: each gets a transaction of its own.
            self._roll_back()
            return [self._run(job) for job in jobs]
        return outcomes

    def _attempt(self, job: _Job) -> tuple[Any, FamiliarError | None]:
        self._connection.execute("SAVEPOINT job")
        try:
            return job.work(self._connection), None
        except EXPECTED as error:
            failure = self._note(translate(error, self._path))
            self._connection.execute("ROLLBACK TO job")
            return None, failure
        finally:
            if self._connection.in_transaction:
                self._connection.execute("RELEASE job")

    def _run(self, job: _Job) -> _Outcome:
        try:
            self._refuse_if_broken()
            if job.alone:
                return job, job.work(self._connection), None
            self._connection.execute("BEGIN IMMEDIATE")
            result = job.work(self._connection)
            self._connection.execute("COMMIT")
        except EXPECTED as error:
            self._roll_back()
            return job, None, self._note(translate(error, self._path))
        except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to whoever waits for the job
            self._roll_back()
            return job, None, error
        return job, result, None

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def _refuse_if_broken(self) -> None:
        if self.broken is not None:
            raise self.broken

    def _note(self, error: FamiliarError) -> FamiliarError:
        if isinstance(error, DamagedVaultError):
            self.broken = error
        return error


_NOTHING = cast("_Job", object())


def _settle(outcomes: list[_Outcome]) -> None:
    """Wake those who wait, each loop once."""
    for loop in {job.loop for job, _result, _error in outcomes}:
        # A loop that was closed meanwhile has nobody left who waits.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_deliver, [outcome for outcome in outcomes if outcome[0].loop is loop])


def _deliver(outcomes: list[_Outcome]) -> None:
    for job, result, error in outcomes:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)


def closed_error() -> LockedError:
    """Return the error of a vault that was closed."""
    return LockedError(tr("The vault is closed."), tr("Unlock it first."))
