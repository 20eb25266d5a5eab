"""What one look into memory may see: the channels a familiar hears, the times asked for, and everybody's names."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.name_cue import NameBook
from familiar_app.domain.recall import Recall
from familiar_app.store.index.text_index import FACT, NEVER, TURN, Scope
from familiar_app.store.moment import to_micros

if TYPE_CHECKING:
    from sqlite3 import Connection

_HEARD = """SELECT id FROM channels WHERE familiar = ?1
    UNION SELECT channel FROM subscriptions WHERE familiar = ?1"""


class NameShelf:
    """Keeps the book of names of one vault, and reads it again where there are new ones."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[int, int], NameBook] | None = None

    def book(self, connection: Connection) -> NameBook:
        """Return every name that anybody has or had."""
        state = connection.execute("SELECT count(*), coalesce(max(id), 0) FROM names").fetchone()
        kept = self._kept
        if kept is None or kept[0] != state:
            rows = connection.execute("SELECT DISTINCT person, name FROM names").fetchall()
            kept = self._kept = (state, NameBook((PersonKey(person), name) for person, name in rows))
        return kept[1]


def scope_of(connection: Connection, request: Recall, now: datetime, *, held: bool = False) -> Scope:
    """Return the conditions of a request as the index takes them; `held` asks for what its audience may not hear."""
    with_facts = "fact" in request.kinds or request.weights.facts > 0
    window = None if held else request.window
    channels, closed = _channels(connection, request, held)
    return Scope(
        kinds=(TURN, FACT) if with_facts else (TURN,),
        channels=channels,
        closed=closed,
        familiar=request.familiar,
        fact_channels=_fact_channels(request, held),
        last_turn=_last_turn(connection, request),
        window_channel=window.channel if window else None,
        window_from=window.first if window else None,
        **_fact_times(request, now),
    )


def _fact_channels(request: Recall, held: bool) -> tuple[int, ...] | None:
    """Return where facts may come from, 0 for those of no channel; None where that does not matter.

    A fact may come from several, so each one is looked at again.
    """
    audience = request.audience
    if audience is None or audience.everything:
        return None
    places = audience.closed if held else audience.open_to
    return tuple(sorted({*places, *((0,) if audience.unplaced != held else ())}))


def _fact_times(request: Recall, now: datetime) -> dict[str, int]:
    """Without times: believed today and not ended. With them: believed then, true then, or both."""
    times: dict[str, int] = {}
    if request.as_of is None and request.known_at is None:
        return {"believed_at": NEVER - 1, "not_ended_by": to_micros(now)}
    if request.as_of is not None:
        times["true_at"] = to_micros(request.as_of)
    if request.known_at is not None:
        times["believed_at"] = to_micros(request.known_at)
    return times


def _last_turn(connection: Connection, request: Recall) -> int | None:
    """Return the last turn that counts, None where all do.

    Turns are numbered as they arrive, so the last one that had arrived by a late time is found at once.
    """
    if request.known_at is None:
        return request.until
    row = connection.execute(
        "SELECT id FROM turns WHERE arrived_at <= ? ORDER BY id DESC LIMIT 1", (to_micros(request.known_at),)
    ).fetchone()
    arrived = 0 if row is None else int(row[0])
    return arrived if request.until is None else min(arrived, request.until)


def _channels(connection: Connection, request: Recall, held: bool) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    """Return the channels whose turns may be found, None where that is every channel there is; and the others."""
    heard = _heard(connection, request.familiar)
    chosen = heard if request.channels is None else heard & set(request.channels)
    if request.audience is not None and not request.audience.everything:
        chosen = {one for one in chosen if (one in request.audience.open_to) != held}
    everything = {row[0] for row in connection.execute("SELECT id FROM channels")}
    closed = everything - chosen
    return tuple(sorted(chosen)) if closed else None, tuple(sorted(closed))


def _heard(connection: Connection, familiar: FamiliarId) -> set[int]:
    return {row[0] for row in connection.execute(_HEARD, (familiar,))}
