"""Reads every value of every column of a vault, packed ones unpacked, as one lower-case text; and its free pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from familiar_app.store.trace_pack import unsqueeze

if TYPE_CHECKING:
    from sqlite3 import Connection

    from familiar_app.store.vault import Vault


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
