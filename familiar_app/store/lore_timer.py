"""The timed effects of lorebook entries in each channel: what stays, what rests, and until when."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelId, FamiliarId
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.store.engine import Engine
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)


class LoreTimers:
    """Timers by familiar and channel."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def get(self, familiar: FamiliarId, channel: ChannelId) -> Timers:
        """Return the timers of a channel, none where there are none or they cannot be read."""

        def work(connection: Connection) -> str | None:
            row = connection.execute(
                "SELECT effects FROM lore_timers WHERE familiar = ? AND channel = ?", (familiar, channel)
            ).fetchone()
            return None if row is None else str(row[0])

        text = await self._engine.read(work)
        try:
            return Timers() if text is None else Timers.from_json(json.loads(text))
        except (BadInputError, ValueError) as error:
            log.warning("the lorebook timers of a channel cannot be read and start anew", exc_info=error)
            return Timers()

    async def set(self, familiar: FamiliarId, channel: ChannelId, timers: Timers) -> None:
        """Store the timers of a channel in the place of those before."""
        text = storable(json.dumps(timers.to_json(), ensure_ascii=False))

        def work(connection: Connection) -> None:
            if timers == Timers():
                connection.execute("DELETE FROM lore_timers WHERE familiar = ? AND channel = ?", (familiar, channel))
                return
            connection.execute(
                """INSERT INTO lore_timers VALUES (?1, ?2, ?3)
                ON CONFLICT (familiar, channel) DO UPDATE SET effects = ?3""",
                (familiar, channel, text),
            )

        await self._engine.write(work)
