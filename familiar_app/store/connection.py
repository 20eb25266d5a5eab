"""Opens encrypted connections with the settings every one of them must have. Nothing else in the program does.

The raw data key goes to SQLCipher as it is, so a connection opens in about a millisecond: no passphrase is derived
here. `cipher_memory_security` stays off: it locks and wipes every allocation of SQLite, which slows each query by a
large factor, while the key and the texts live in ordinary Python memory of the same process anyway.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sqlcipher3 import dbapi2

from familiar_app.store.fault import translated

if TYPE_CHECKING:
    from sqlite3 import Connection

PAGE_SIZE_BYTES = 4096
SALT_SIZE_BYTES = 16
BUSY_TIMEOUT_S = 10.0

# The cipher's settings come before the key, the rest after it.
_BEFORE_KEY = ("PRAGMA cipher_log_level = NONE",)
_AFTER_KEY = (
    "PRAGMA cipher_memory_security = OFF",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA recursive_triggers = OFF",
    "PRAGMA cache_size = -16000",
)
_WRITER = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA wal_autocheckpoint = 1000",
    "PRAGMA journal_size_limit = 67108864",
)


# For a copy that is thrown away where anything goes wrong, and forced to the disk when it is complete.
_COPY = ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF")


def connect(path: Path, key: bytes, *, read_only: bool = False, immutable: bool = False) -> Connection:
    """Open the database at `path` with the raw 32-byte `key`; transactions are the caller's own.

    The file must exist for a read-only connection. `immutable` is for a folder that cannot be written, where no
    other process can change the file either. Raises the errors of `fault.translate`.
    """
    settings = ("PRAGMA query_only = ON",) if read_only or immutable else _WRITER
    with translated(path):
        return _connect(path, key, "ro" if read_only or immutable else "rwc", immutable, settings)


def take_back(path: Path, key: bytes) -> None:
    """Let SQLite take back the change that a journal beside the database is left of. Errors as `connect`."""
    with translated(path):
        _connect(path, key, "rw", False, ()).close()


def connect_copy(path: Path, key: bytes) -> Connection:
    """Open a database that is only being made: without a journal, so nothing lies beside it. Errors as `connect`."""
    with translated(path):
        return _connect(path, key, "rwc", False, _COPY)


def _connect(path: Path, key: bytes, mode: str, immutable: bool, settings: tuple[str, ...]) -> Connection:
    # Not Path.as_uri(): it refuses relative paths, and SQLite wants `?` and `#` quoted.
    location = quote(path.absolute().as_posix())
    uri = f"file://{'' if location.startswith('/') else '/'}{location}?mode={mode}{'&immutable=1' if immutable else ''}"
    connection: Connection = dbapi2.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_S, cached_statements=256
    )
    try:
        for pragma in _BEFORE_KEY:
            connection.execute(pragma).close()
        connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"").close()
        for pragma in _AFTER_KEY:
            connection.execute(pragma).close()
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        for pragma in settings:
            connection.execute(pragma).close()
    except BaseException:
        connection.close()
        raise
    return connection
