"""Tokens and keys of outside services, by name. They are in the vault and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr
from familiar_app.store.engine import Engine
from familiar_app.store.moment import to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection


class Secrets:
    """Secrets of one vault."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def get(self, name: str) -> str | None:
        """Return a secret, or None."""

        def work(connection: Connection) -> str | None:
            row = connection.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
            return None if row is None else str(row[0])

        return await self._engine.read(work)

    async def set(self, name: str, value: str) -> None:
        """Store a secret, in place of one of the same name."""
        if not name:
            raise BadInputError(tr("a secret needs a name."), field="name")
        now = to_micros(self._clock.now())
        await self._engine.write(
            lambda connection: connection.execute(
                "INSERT INTO secrets VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET value = ?2, set_at = ?3",
                (name, value, now),
            ).close()
        )

    async def delete(self, name: str) -> None:
        """Forget a secret. One that is not there is no error."""
        await self._engine.write(
            lambda connection: connection.execute("DELETE FROM secrets WHERE name = ?", (name,)).close()
        )

    async def names(self) -> list[str]:
        """Return the names of all secrets, sorted."""
        return await self._engine.read(
            lambda connection: [row[0] for row in connection.execute("SELECT name FROM secrets ORDER BY name")]
        )
