"""Records who spoke under which names, as part of appending a turn.

Names are spans of time, and turns may arrive in any order (an import brings old ones): a span is known to hold from
the first to the last turn that shows it, and is taken to last until the next name is seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.turn import Author
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

# Which column of `speakers` holds a name of each kind.
_KINDS = ("name", "username", "global_name", "nickname")
_END_OF_TIME = 1 << 62


@dataclass(frozen=True, slots=True)
class _Latest:
    author: Author
    guild: str | None
    speaker: int
    at: int


class SpeakerMemory:
    """Remembers within one transaction which snapshot of a person is the newest, so that an import asks only once."""

    def __init__(self) -> None:
        self._latest: dict[PersonKey, _Latest] = {}

    def record(self, connection: Connection, author: Author, guild: str | None, at: int) -> int:
        """Do as `record_speaker`, without a query where the same person goes on speaking under the same names."""
        known = self._latest.get(author.key)
        if known is not None and known.at <= at and known.guild == guild and known.author == author:
            return known.speaker
        speaker, is_newest = record_speaker(connection, author, guild, at)
        if is_newest:
            self._latest[author.key] = _Latest(author, guild, speaker, at)
        else:
            self._latest.pop(author.key, None)
        return speaker


def record_speaker(connection: Connection, author: Author, guild: str | None, at: int) -> tuple[int, bool]:
    """Return the row of this author's snapshot, made if new, after bringing their names up to date.

    True beside it where these are the names the person has now.
    """
    names = (
        storable(author.name),
        storable(author.username),
        storable(author.global_name),
        storable(author.nickname),
    )
    snapshot = (author.key, *names, guild, int(author.bot))
    row = connection.execute(
        """SELECT s.id, p.latest_speaker = s.id AND p.latest_at <= ? FROM speakers s JOIN people p ON p.key = s.key
        WHERE s.key = ? AND s.name = ? AND s.username IS ? AND s.global_name IS ? AND s.nickname IS ?
        AND s.guild IS ? AND s.bot = ?""",
        (at, *snapshot),
    ).fetchone()
    if row is not None and row[1]:
        return int(row[0]), True
    speaker = int(row[0]) if row is not None else _add_snapshot(connection, snapshot)
    current = [
        _record_name(connection, (author.key, kind, guild or "" if kind == "nickname" else ""), name, at)
        for kind, name in zip(_KINDS, names, strict=True)
        if name and not (kind == "nickname" and guild is None)
    ]
    if all(current):
        connection.execute(
            "UPDATE people SET latest_speaker = ?, latest_at = ?, bot = ? WHERE key = ?",
            (speaker, at, int(author.bot), author.key),
        )
    return speaker, all(current)


def record_mentions(connection: Connection, turn: TurnId, people: Iterable[PersonKey]) -> None:
    """Remember who a turn speaks of; somebody never seen before becomes a person without names."""
    for person in people:
        connection.execute("INSERT INTO people (key) VALUES (?) ON CONFLICT DO NOTHING", (person,))
        connection.execute("INSERT INTO mentions VALUES (?, ?) ON CONFLICT DO NOTHING", (turn, person))


def _add_snapshot(connection: Connection, snapshot: tuple[object, ...]) -> int:
    connection.execute("INSERT INTO people (key) VALUES (?) ON CONFLICT DO NOTHING", (snapshot[0],))
    added = connection.execute(
        """INSERT INTO speakers (key, name, username, global_name, nickname, guild, bot)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id""",
        snapshot,
    ).fetchone()
    return int(added[0])


def _record_name(connection: Connection, place: tuple[str, str, str], name: str, at: int) -> bool:
    """Fit a name seen at `at` into the spans of one person, kind and guild. True where it is the newest name now."""
    before = connection.execute(
        """SELECT id, name, until FROM names WHERE person = ? AND kind = ? AND guild = ? AND since <= ?
        ORDER BY since DESC, id DESC LIMIT 1""",
        (*place, at),
    ).fetchone()
    if before is not None and before[1] == name:
        return before[2] is None
    after = connection.execute(
        """SELECT id, name, since FROM names WHERE person = ? AND kind = ? AND guild = ? AND since > ?
        ORDER BY since, id LIMIT 1""",
        (*place, at),
    ).fetchone()
    until = None if after is None else after[2]
    if before is not None:
        again = _next_seen(connection, place, before[1], at, before[2])
        if again is not None:
            # The earlier name was seen again afterwards: this one was an interlude.
            _insert_name(connection, place, before[1], again, before[2])
            after, until = None, again
        connection.execute("UPDATE names SET until = ? WHERE id = ?", (at, before[0]))
    if after is not None and after[1] == name:
        connection.execute("UPDATE names SET since = ? WHERE id = ?", (at, after[0]))
        still: int | None = connection.execute("SELECT until FROM names WHERE id = ?", (after[0],)).fetchone()[0]
        return still is None
    _insert_name(connection, place, name, at, until)
    return until is None


def _insert_name(connection: Connection, place: tuple[str, str, str], name: str, since: int, until: int | None) -> None:
    connection.execute(
        "INSERT INTO names (person, kind, guild, name, since, until) VALUES (?, ?, ?, ?, ?, ?)",
        (*place, name, since, until),
    )


def _next_seen(
    connection: Connection, place: tuple[str, str, str], name: str, after: int, before: int | None
) -> int | None:
    """Return when a turn first showed this name between two instants."""
    person, kind, guild = place
    seen: int | None = connection.execute(
        f"""SELECT min(t.at) FROM speakers s JOIN turns t ON t.speaker = s.id
        WHERE s.key = ? AND s.{kind} = ? AND (? = '' OR s.guild = ?) AND t.at > ? AND t.at < ?""",
        (person, name, guild, guild, after, before if before is not None else _END_OF_TIME),
    ).fetchone()[0]
    return seen
