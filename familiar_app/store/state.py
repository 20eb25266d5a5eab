"""Small things the window remembers: drafts, scroll positions, the last channel. Drafts are text, so they lie here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import BugError
from familiar_app.store.engine import Engine
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection


class State:
    """JSON values by key."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def get(self, key: str) -> Any | None:
        """Return a value, or None."""

        def work(connection: Connection) -> Any | None:
            row = connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
            return None if row is None else json.loads(row[0])

        return await self._engine.read(work)

    async def set(self, key: str, value: Any) -> None:
        """Store a value that JSON can hold; None forgets the key."""
        if value is None:
            await self._engine.write(
                lambda connection: connection.execute("DELETE FROM state WHERE key = ?", (key,)).close()
            )
            return
        try:
            text = storable(json.dumps(value, ensure_ascii=False))
        except (TypeError, ValueError) as error:
            raise BugError("A value of the window's state is not JSON.") from error
        await self._engine.write(
            lambda connection: connection.execute(
                "INSERT INTO state VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2", (key, text)
            ).close()
        )
