"""The one thread that changes a vault. Jobs that wait at the same time share a commit.

A job's future is settled only after its commit has reached the disk. After a damaged page was seen nothing more is
written.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlcipher3 import dbapi2

from familiar_app.domain.errors import FamiliarError, LockedError
from familiar_app.store.connection import connect
from familiar_app.store.fault import DamagedVaultError, translate

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")
MOST_PER_COMMIT = 256

# What the world may do to a job; anything else a job raises is a defect and goes to its caller as it is.
EXPECTED = (FamiliarError, OSError, MemoryError, UnicodeError, OverflowError, dbapi2.Error)


@dataclass(slots=True)
class _Job:
    work: Callable[[Connection], Any]
    future: Future[Any]
    alone: bool


class Writer:
    """Owns the writing connection, from construction to `close`."""

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._connection = connect(path, key)
        self._pending: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self.broken: DamagedVaultError | None = None
        self._thread = threading.Thread(target=self._serve, name="vault-write", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Connection], T], *, alone: bool = False) -> Future[T]:
        """Queue `work`; with `alone` it runs outside any transaction and begins its own where it needs one."""
        future: Future[T] = Future()
        with self._changed:
            if self._closing:
                raise closed_error()
            self._pending.append(_Job(work, future, alone))
            self._changed.notify()
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
        with self._changed:
            if self._closing:
                return
            self._closing = True
            self._changed.notify()
        self._thread.join()
        try:
            if self.broken is None:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except dbapi2.Error as error:
            raise translate(error, self._path) from error
        finally:
            self._connection.close()

    def _serve(self) -> None:
        while (group := self._next_group()) is not None:
            jobs = [job for job in group if job.future.set_running_or_notify_cancel()]
            if len(jobs) > 1:
                self._run_together(jobs)
            else:
                for job in jobs:
                    self._run(job)

    def _next_group(self) -> list[_Job] | None:
        """Wait for work and take what can share one commit; None at the end."""
        with self._changed:
            while not self._pending:
                if self._closing:
                    return None
                self._changed.wait()
            group = [self._pending.popleft()]
            while self._pending and not group[0].alone and not self._pending[0].alone and len(group) < MOST_PER_COMMIT:
                group.append(self._pending.popleft())
        return group

    def _run_together(self, jobs: list[_Job]) -> None:
        """Run jobs in one transaction, each undone alone where it fails."""
        outcomes: list[tuple[_Job, Any, FamiliarError | None]] = []
        try:
            self._refuse_if_broken()
            self._connection.execute("BEGIN IMMEDIATE")
            outcomes = [(job, *self._attempt(job)) for job in jobs]
            self._connection.execute("COMMIT")
        except BaseException:  # noqa: BLE001 - not swallowed: each job runs again and reports its own
            # The transaction is gone, and with it jobs that did nothing wrong: each gets a transaction of its own.
            self._roll_back()
            for job in jobs:
                self._run(job)
            return
        for job, result, failure in outcomes:
            if failure is None:
                job.future.set_result(result)
            else:
                job.future.set_exception(failure)

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

    def _run(self, job: _Job) -> None:
        try:
            self._refuse_if_broken()
            if job.alone:
                result = job.work(self._connection)
            else:
                self._connection.execute("BEGIN IMMEDIATE")
                result = job.work(self._connection)
                self._connection.execute("COMMIT")
        except EXPECTED as error:
            self._roll_back()
            job.future.set_exception(self._note(translate(error, self._path)))
        except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to whoever waits for the job
            self._roll_back()
            job.future.set_exception(error)
        else:
            job.future.set_result(result)

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


def closed_error() -> LockedError:
    """Return the error of a vault that was closed."""
    return LockedError("The vault is closed.", "Unlock it first.")
