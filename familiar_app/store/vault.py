"""The vault: one encrypted database with everything the program remembers, behind async methods.

Opening and closing are explicit; a vault is written by one process at a time. What a method returns after a write is
on the disk. A failed read is an error and never leads to a write.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import LockedError, UsageError
from familiar_app.domain.text import tr
from familiar_app.store import vault_file
from familiar_app.store.alarm import Alarms
from familiar_app.store.attention import Attention
from familiar_app.store.audience import Audiences
from familiar_app.store.backup import SPARE_BYTES, Backups, Report, on_this_loop, refuse_without_room
from familiar_app.store.channel import Channels
from familiar_app.store.delivery import Deliveries
from familiar_app.store.engine import Engine
from familiar_app.store.erasure import Erasure
from familiar_app.store.fact import Facts
from familiar_app.store.fact_feed import FactFeed
from familiar_app.store.health import Health
from familiar_app.store.index.search_index import SearchIndex
from familiar_app.store.keys import DEFAULT_COST, KdfCost, KeyFile, Way
from familiar_app.store.lore_timer import LoreTimers
from familiar_app.store.lore_use import LoreUses
from familiar_app.store.lore_vector import LoreVectors
from familiar_app.store.message import Messages
from familiar_app.store.person import People
from familiar_app.store.person_page import PersonPages
from familiar_app.store.portrait import Portraits
from familiar_app.store.privacy import Privacy
from familiar_app.store.projection import Projections
from familiar_app.store.recall_mark import RecallMarks
from familiar_app.store.reflection_page import ReflectionPages
from familiar_app.store.rekey import FreshCopy, put_in_place, write_compact_copy, write_fresh_copy
from familiar_app.store.retirement_inbox import Retirements
from familiar_app.store.retrieval import Retrieval
from familiar_app.store.saved_memory import SavedMemories
from familiar_app.store.secret import Secrets
from familiar_app.store.state import State
from familiar_app.store.trace import Traces
from familiar_app.store.turn import Turns
from familiar_app.store.vault_file import OpenedVault, keys_path
from familiar_app.store.vector import Vectors
from familiar_app.store.verify import RESTORE, Problem, lost_rows, verify_database

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")


class Vault:
    """An open vault. Made by `create` or `open`, never directly."""

    def __init__(self, opened: OpenedVault, clock: Clock, cost: KdfCost) -> None:
        self.path = opened.path
        self._opened = opened
        self._clock = clock
        self._cost = cost
        self._bind(opened.engine)

    @classmethod
    async def create(
        cls, path: Path, passphrase: str, *, recovery_code: str, clock: Clock, cost: KdfCost = DEFAULT_COST
    ) -> Vault:
        """Make a vault at `path` (`…/vault.db`) with its key file, and open it.

        Raises UserError where one is there already, OutsideError where the folder cannot be written.
        """
        ways: dict[Way, str] = {"passphrase": passphrase, "recovery_code": recovery_code}
        opened = await _opening(lambda: vault_file.create_vault(path, ways, cost), vault_file.take_back)
        return cls(opened, clock, cost)

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        clock: Clock,
        passphrase: str | None = None,
        recovery_code: str | None = None,
        data_key: bytes | None = None,
        read_only: bool = False,
        cost: KdfCost = DEFAULT_COST,
        keep_copy: bool = True,
    ) -> Vault:
        """Open the vault at `path` with exactly one of the three. `cost` is for passphrases set later.

        Without `keep_copy` no backup is made before an upgrade: for a vault that came out of one a moment ago.

        Raises LockedError (wrong key, in use elsewhere), UserError (no vault there) or OutsideError (not a vault,
        damaged, newer, unreadable).
        """
        if sum(given is not None for given in (passphrase, recovery_code, data_key)) != 1:
            raise UsageError(tr("A vault is opened with a passphrase, a recovery code or a key: exactly one of them."))
        way: Way | None = None
        if data_key is None:
            way = "passphrase" if passphrase is not None else "recovery_code"
        secret = passphrase or recovery_code or ""
        opened = await _opening(
            lambda: vault_file.open_vault(
                path, way=way, secret=secret, data_key=data_key, read_only=read_only, keep_copy=keep_copy
            ),
            OpenedVault.close,
        )
        return cls(opened, clock, cost)

    @property
    def id(self) -> str:
        """A random name of this vault that stays with it, for the keyring."""
        return self._opened.keys.vault

    def data_key(self) -> bytes:
        """Return the data key, for the copy in the keyring and for nothing else."""
        return bytes(self._opened.data_key)

    async def confirm(self, secret: str) -> None:
        """Make sure that somebody knows the passphrase or the recovery code. Raises LockedError; takes a second."""

        def work() -> None:
            try:
                self._opened.keys.unwrap("passphrase", secret)
            except LockedError:
                if not self._is_recovery_code(secret):
                    raise

        await asyncio.to_thread(work)

    async def change_passphrase(self, new: str) -> None:
        """Let `new` open the vault instead of the old passphrase. Rewrites the key file only."""
        await self._rewrap("passphrase", new)

    async def replace_recovery_code(self, new: str) -> None:
        """Let `new` open the vault instead of the old recovery code. Rewrites the key file only."""
        await self._rewrap("recovery_code", new)

    async def rekey(self, passphrase: str, *, recovery_code: str, progress: Report | None = None) -> None:
        """Write the whole database again under a new data key, opened by a new passphrase and recovery code.

        Writes wait meanwhile. Until the new file is complete and checked, the old one stays as it is. Copies of the
        old key, and backups made with it, open only what they belong to.
        """
        ways: dict[Way, str] = {"passphrase": passphrase, "recovery_code": recovery_code}
        report = on_this_loop(progress)

        def prepare(connection: Connection) -> FreshCopy:
            return write_fresh_copy(connection, self.path, self._opened.keys, ways, self._cost, report)

        await self._exchange(prepare)
        report(1.0)

    async def vacuum(self, progress: Report | None = None) -> tuple[int, int]:
        """Write the whole database again without unused room; returns its size in bytes before and after.

        Writes wait meanwhile. Until the new file is complete and checked, the old one stays as it is. Raises
        OutsideError where there is no room for both.
        """
        report = on_this_loop(progress)

        def prepare(connection: Connection) -> FreshCopy:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            refuse_without_room(self.path.parent, self.path.stat().st_size + SPARE_BYTES)
            return write_compact_copy(connection, self.path, self._opened.keys, self.data_key(), report)

        before = await asyncio.to_thread(self._size)
        await self._exchange(prepare)
        report(1.0)
        return before, await asyncio.to_thread(self._size)

    async def verify(self, progress: Report | None = None) -> list[Problem]:
        """Check every page, the structure, the references and what is derived from the log. Reads everything.

        Where pages are damaged, the rows that cannot be read are named too.
        """
        report = on_this_loop(progress)
        problems = await self._opened.engine.read(lambda connection: verify_database(connection, report))
        if any(problem.how_to_mend == RESTORE for problem in problems):
            problems += await asyncio.to_thread(lost_rows, self.path, self.data_key())
        return problems

    async def close(self) -> None:
        """Finish what is being written, bring it into one file and give the vault back. May be called twice."""
        self.backups.stop()
        await _unbroken(self._opened.close)

    async def discard(self) -> None:
        """Close the vault and remove its files: only for one that was made a moment ago and never handed out."""
        await self.close()
        await asyncio.to_thread(vault_file.remove_vault, self.path)

    async def _exchange(self, prepare: Callable[[Connection], FreshCopy]) -> None:
        def put(copy: FreshCopy) -> bytes:
            put_in_place(self.path)
            self._opened.keys, self._opened.data_key = copy.keys, bytearray(copy.data_key)
            return copy.data_key

        await self._opened.engine.exchange(prepare, put)

    def _size(self) -> int:
        log = self.path.with_name(f"{self.path.name}-wal")
        return self.path.stat().st_size + (log.stat().st_size if log.exists() else 0)

    def _is_recovery_code(self, secret: str) -> bool:
        try:
            self._opened.keys.unwrap("recovery_code", secret)
        except LockedError:
            return False
        return True

    async def _rewrap(self, way: Way, secret: str) -> None:
        def work(_connection: object) -> None:
            keys = self._opened.keys.with_wrap(way, secret, self.data_key(), self._cost)
            keys.write(keys_path(self.path))
            self._opened.keys = keys

        await self._opened.engine.write_alone(work)

    def _bind(self, engine: Engine) -> None:
        feed = FactFeed()
        self.backups = Backups(engine, lambda: self._opened.keys, self.data_key)
        self.turns = Turns(engine, self._clock, feed)
        self.facts = Facts(engine, self._clock, feed)
        self.projections = Projections(engine, self._clock, feed)
        self.retirements = Retirements(engine, self.facts)
        self.reflection_pages = ReflectionPages(engine, self._clock)
        self.health = Health(engine, self._clock)
        self.recall_marks = RecallMarks(engine, self._clock)
        self.index = SearchIndex(engine, self.turns, feed)
        self.vectors = Vectors(engine, self._clock, self.turns, feed)
        self.retrieval = Retrieval(engine, self.index, self.vectors, self._clock)
        self.channels = Channels(engine, self._clock)
        self.audiences = Audiences(engine)
        self.alarms = Alarms(engine, self._clock, self.turns)
        self.attention = Attention(engine)
        self.messages = Messages(engine)
        self.deliveries = Deliveries(engine, self._clock)
        self.portraits = Portraits(engine, feed)
        self.people = People(engine)
        self.person_pages = PersonPages(engine, self._clock, self.turns.announce)
        self.privacy = Privacy(engine, self._clock, self.turns.announce)
        self.saved_memories = SavedMemories(engine, self._clock, self.turns)
        self.erasure = Erasure(engine, self._clock, self.turns, feed)
        self.traces = Traces(engine)
        self.secrets = Secrets(engine, self._clock)
        self.state = State(engine)
        self.lore_timers = LoreTimers(engine)
        self.lore_uses = LoreUses(engine)
        self.lore_vectors = LoreVectors(engine)


def vault_id(path: Path) -> str:
    """Return the id of the vault at `path` without opening it. Raises OutsideError where its key file is unreadable."""
    return KeyFile.read(keys_path(path)).vault


async def _opening(blocking: Callable[[], OpenedVault], undo: Callable[[OpenedVault], None]) -> OpenedVault:
    """Run `blocking` in a thread; where nobody waits for it any more, the thread itself undoes what it opened.

    So it is undone even where the loop ends meanwhile, since a program waits for its threads.
    """
    guard = threading.Lock()
    awaited = True
    ready: OpenedVault | None = None

    def work() -> OpenedVault:
        nonlocal ready
        opened = blocking()
        with guard:
            if awaited:
                ready = opened
                return opened
        undo(opened)
        return opened

    try:
        return await asyncio.to_thread(work)
    except asyncio.CancelledError:
        with guard:
            awaited = False
        if ready is not None:
            # It was ready in the very moment in which nobody wanted it any more.
            asyncio.get_running_loop().run_in_executor(None, undo, ready)
        raise


async def _unbroken(blocking: Callable[[], T]) -> T:
    """Run `blocking` in a thread to its end, even where the waiting task is cancelled meanwhile."""
    running = asyncio.ensure_future(asyncio.to_thread(blocking))
    return await asyncio.shield(running)
