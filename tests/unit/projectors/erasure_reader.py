"""Reads every value of every column of a vault, packed ones unpacked, as one lower-case text; and its free pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from familiar_app.store.connection import PAGE_SIZE_BYTES, SALT_SIZE_BYTES
from familiar_app.store.trace_pack import unsqueeze

if TYPE_CHECKING:
    from sqlite3 import Connection

    from familiar_app.store.vault import Vault

_RESERVED_BYTES = 80


async def everything_in(vault: Vault) -> str:
    """Return all that can be read in a vault."""
    return await vault.projections._engine.read(_read)


def _read(connection: Connection) -> str:
    parts: list[str] = []
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        for row in connection.execute(f"SELECT * FROM {table}"):
            parts.extend(f"{table}: {_text(table, value)}" for value in row)
    return "\n".join(parts).casefold()


def _text(table: str, value: object) -> str:
    if isinstance(value, bytes):
        return unsqueeze(value) if table == "traces" else value.decode("latin-1")
    return str(value)


def pages_of(path: Path, key: bytes) -> bytes:
    """Return every page of a database without its encryption: free ones, and what is left over in others, too."""
    held = path.read_bytes()
    return b"".join(
        _opened(held[at : at + PAGE_SIZE_BYTES], key, at == 0) for at in range(0, len(held), PAGE_SIZE_BYTES)
    )


def _opened(page: bytes, key: bytes, first: bool) -> bytes:
    """Decrypt a page: behind its text stand the initialisation vector and the check sum."""
    end = PAGE_SIZE_BYTES - _RESERVED_BYTES
    opener = Cipher(algorithms.AES(key), modes.CBC(page[end : end + 16])).decryptor()
    return opener.update(page[SALT_SIZE_BYTES if first else 0 : end]) + opener.finalize()
