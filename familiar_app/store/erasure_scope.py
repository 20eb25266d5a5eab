"""Finds what an erasure reaches: whose keys and names, which turns, which facts. Runs inside a transaction.

Turns and facts are noted in tables of their own, so that an erasure that was cut off goes on with the same ones. A fact
that rests on nothing but erased turns becomes an empty shell like the turns themselves, since others may have replaced
it or been replaced by it; a fact that is about nobody else goes altogether.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.domain.erasure import Kind, OfChannel, OfFamiliar, OfMessage, OfPerson, Target
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.redaction import Redaction, usable_names
from familiar_app.domain.text import tr
from familiar_app.store.channel import read_channel
from familiar_app.store.person_alias import identities_of, read_aliases
from familiar_app.store.turn_write import existing

if TYPE_CHECKING:
    from sqlite3 import Connection

_KINDS_OF_NAMES = ("name", "username", "global_name", "nickname")
# Direct messages in which nobody else has spoken but familiars.
_ALONE = """SELECT c.id FROM channels c WHERE c.guild IS NULL AND c.key NOT GLOB 'local:*'
    AND EXISTS (SELECT 1 FROM turns t JOIN speakers s ON s.id = t.speaker
        WHERE t.channel = c.id AND s.key IN (SELECT value FROM json_each(?1)))
    AND NOT EXISTS (SELECT 1 FROM turns t JOIN speakers s ON s.id = t.speaker WHERE t.channel = c.id
        AND s.bot = 0 AND s.key NOT GLOB 'ego:*' AND s.key NOT IN (SELECT value FROM json_each(?1)))"""
_SAID = """INSERT OR IGNORE INTO erasure_turns SELECT t.id FROM turns t JOIN speakers s ON s.id = t.speaker
    WHERE s.key IN (SELECT value FROM json_each(?))"""
_REPLIES = """INSERT OR IGNORE INTO erasure_turns SELECT r.id FROM turns r JOIN erasure_turns e ON e.turn = r.answers
    WHERE r.role <> 'operator'"""
_IN_CHANNELS = """INSERT OR IGNORE INTO erasure_turns SELECT id FROM turns
    WHERE channel IN (SELECT value FROM json_each(?)) AND role <> 'operator'"""
_REMINDERS = """INSERT OR IGNORE INTO erasure_turns SELECT turn FROM alarms
    WHERE person IN (SELECT value FROM json_each(?1)) OR asked IN (SELECT turn FROM erasure_turns)
    UNION SELECT fired FROM alarms WHERE fired IS NOT NULL AND (person IN (SELECT value FROM json_each(?1))
        OR asked IN (SELECT turn FROM erasure_turns))"""
_SHELLS = """INSERT OR IGNORE INTO erasure_facts SELECT f.id, 0 FROM facts f WHERE f.act IS NULL
    AND f.id IN (SELECT s.fact FROM fact_sources s JOIN erasure_turns e ON e.turn = s.turn)
    AND NOT EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact = f.id
        AND s.turn NOT IN (SELECT turn FROM erasure_turns))"""
_ABOUT = """INSERT OR IGNORE INTO erasure_facts SELECT f.id, 1 FROM facts f
    WHERE f.id IN (SELECT fact FROM fact_subjects WHERE key IN (SELECT value FROM json_each(?1)))
    AND NOT EXISTS (SELECT 1 FROM fact_subjects s WHERE s.fact = f.id
        AND s.key NOT IN (SELECT value FROM json_each(?1)))"""
# What one of them had replaced was about the same person, and is retired: it can't come back without its successor.
_REPLACED = """INSERT OR IGNORE INTO erasure_facts SELECT p.id, 1 FROM facts p
    JOIN erasure_facts e ON e.fact = p.superseded_by AND e.gone = 1
    WHERE EXISTS (SELECT 1 FROM fact_subjects s WHERE s.fact = p.id AND s.key IN (SELECT value FROM json_each(?1)))"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whom and what an erasure is about. `channels` are those of which every turn goes."""

    kind: Kind
    label: str
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    channels: tuple[int, ...] = ()
    familiar: str | None = None
    lineage: str | None = None

    def as_text(self) -> str:
        """Return what the vault keeps of it until the erasure is complete."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @property
    def keys_json(self) -> str:
        """The keys as SQL reads them."""
        return json.dumps(self.keys)


def scope_from(text: str) -> Scope:
    """Read what `Scope.as_text` wrote."""
    fields: dict[str, Any] = json.loads(text)
    read: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return Scope(**read)


def find(connection: Connection, target: Target) -> Scope:
    """Return what a target is about. Raises UserError where it is not there or cannot be erased."""
    if isinstance(target, OfPerson):
        return _person(connection, target.key)
    if isinstance(target, OfMessage):
        turn = existing(connection, target.turn)
        if turn.role == "operator":
            raise UserError(tr("What was decided by hand is no message."), tr("Choose a message."))
        return Scope("message", str(target.turn))
    if isinstance(target, OfChannel):
        channel = read_channel(connection, target.channel)
        if channel is None:
            raise UserError(
                tr("There is no channel {channel}.", channel=str(target.channel)), tr("Look at the list of channels.")
            )
        return Scope("channel", channel.title or channel.key, channels=(target.channel,))
    return Scope("familiar", target.familiar, familiar=target.familiar, lineage=target.lineage)


def note_down(connection: Connection, scope: Scope, target: Target) -> None:
    """Note which turns and facts go."""
    for table in ("erasure_turns", "erasure_facts"):
        connection.execute(f"DELETE FROM {table}")
    if isinstance(target, OfMessage):
        connection.execute("INSERT INTO erasure_turns VALUES (?)", (target.turn,))
    if scope.keys:
        connection.execute(_SAID, (scope.keys_json,))
        connection.execute(_REPLIES)
    if scope.channels:
        connection.execute(_IN_CHANNELS, (json.dumps(scope.channels),))
    if isinstance(target, OfFamiliar):
        connection.execute(
            """INSERT OR IGNORE INTO erasure_turns SELECT id FROM turns WHERE familiar = ?1
            OR channel IN (SELECT id FROM channels WHERE familiar = ?1)""",
            (target.familiar,),
        )
    connection.execute(_REMINDERS, (scope.keys_json,))
    connection.execute(_SHELLS)
    if scope.keys:
        connection.execute(_ABOUT, (scope.keys_json,))
        while connection.execute(_REPLACED, (scope.keys_json,)).rowcount > 0:
            pass


def redaction_of(connection: Connection, scope: Scope) -> Redaction:
    """Return what is taken out of all that stays: names, keys, and what the erased turns said where it is quoted."""
    rows = connection.execute(
        """SELECT t.content FROM erasure_turns e JOIN turns t ON t.id = e.turn WHERE t.role = 'user'
        UNION ALL SELECT r.content FROM erasure_turns e JOIN revisions r ON r.turn = e.turn
        JOIN turns t ON t.id = e.turn WHERE t.role = 'user'"""
    )
    texts = (text for (text,) in rows) if scope.kind in ("person", "message") else ()
    return Redaction(scope.names, scope.keys, texts)


def _person(connection: Connection, key: PersonKey) -> Scope:
    if key == OWNER:
        raise UserError(
            tr("You are the owner of this profile, so you cannot be erased from it."),
            tr("Erase a channel or a familiar, or remove the whole profile."),
        )
    if key.startswith("ego:"):
        raise UserError(tr("A familiar is no person."), tr("Erase it with 'familiar familiar forget'."))
    keys = identities_of(read_aliases(connection), key)
    if OWNER in keys:
        raise UserError(
            tr("This identity counts as you, the owner."), tr("Take it apart first with 'familiar person part'.")
        )
    named = list(_names_of(connection, keys))
    if not named and not _is_known(connection, keys):
        raise UserError(tr("Nobody is known by this key."), tr("Look up the keys with 'familiar person list'."))
    names, shared = usable_names(named, _names_of_others(connection, keys))
    alone = [number for (number,) in connection.execute(_ALONE, (json.dumps(keys),))]
    return Scope("person", _label(connection, keys), tuple(keys), tuple(names), tuple(shared), tuple(alone))


def _is_known(connection: Connection, keys: Iterable[str]) -> bool:
    row = connection.execute(
        """SELECT EXISTS (SELECT 1 FROM people WHERE key IN (SELECT value FROM json_each(?1)))
        OR EXISTS (SELECT 1 FROM fact_subjects WHERE key IN (SELECT value FROM json_each(?1)))
        OR EXISTS (SELECT 1 FROM saved_memories WHERE owner IN (SELECT value FROM json_each(?1)))
        OR EXISTS (SELECT 1 FROM person_privacy WHERE person IN (SELECT value FROM json_each(?1)))""",
        (json.dumps(list(keys)),),
    ).fetchone()
    return bool(row[0])


def _label(connection: Connection, keys: Iterable[str]) -> str:
    for key in keys:
        row = connection.execute(
            "SELECT s.name FROM people p JOIN speakers s ON s.id = p.latest_speaker WHERE p.key = ?", (key,)
        ).fetchone()
        if row is not None and row[0].strip():
            return str(row[0])
    return next(iter(keys))


def _names_of(connection: Connection, keys: Iterable[str]) -> dict[str, None]:
    marked = json.dumps(list(keys))
    columns = " UNION ".join(
        f"SELECT {kind} FROM speakers WHERE key IN (SELECT value FROM json_each(?1)) AND {kind} IS NOT NULL"
        for kind in _KINDS_OF_NAMES
    )
    rows = connection.execute(
        f"""SELECT name FROM names WHERE person IN (SELECT value FROM json_each(?1)) UNION {columns}
        UNION SELECT display_at_write FROM fact_subjects WHERE key IN (SELECT value FROM json_each(?1))""",
        (marked,),
    )
    found = {name: None for (name,) in rows if name}
    for key in keys:
        # Somebody of the program's own channels is known by nothing but the key.
        platform, _, own = key.partition(":")
        if platform == "local" and own:
            found[own] = None
    return found


def _names_of_others(connection: Connection, keys: Iterable[str]) -> set[str]:
    marked = json.dumps(list(keys))
    columns = " UNION ".join(
        f"SELECT {kind} FROM speakers WHERE key NOT IN (SELECT value FROM json_each(?1)) AND {kind} IS NOT NULL"
        for kind in _KINDS_OF_NAMES
    )
    rows = connection.execute(
        f"SELECT name FROM names WHERE person NOT IN (SELECT value FROM json_each(?1)) UNION {columns}", (marked,)
    )
    return {name.strip().casefold() for (name,) in rows}


def note_later_turns(connection: Connection, scope: Scope) -> int | None:
    """Note what they said since the beginning. Returns the first of these turns, None where there is none."""
    if not scope.keys:
        return None
    row = connection.execute(
        """SELECT min(t.id) FROM turns t JOIN speakers s ON s.id = t.speaker
        WHERE s.key IN (SELECT value FROM json_each(?))""",
        (scope.keys_json,),
    ).fetchone()
    connection.execute(_SAID, (scope.keys_json,))
    return None if row[0] is None else int(row[0])
