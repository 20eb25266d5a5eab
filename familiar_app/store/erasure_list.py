"""Remembers who and what was erased, as keyed digests: so that it does not come back by an import or an old backup.

A digest tells nothing to whoever does not know the key of a person already; the key of the digests lies in the vault
and goes along with the list.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.text import tr
from familiar_app.domain.turn import NewTurn
from familiar_app.store.moment import to_micros
from familiar_app.store.text import storable

if TYPE_CHECKING:
    from sqlite3 import Connection

    from familiar_app.store.erasure_scope import Scope

_KEY = "erasure.key"
_DIGEST_BYTES = 20
# What erasures reach and no platform's id tells again; a person's own words are known by the person.
_WITHOUT_ID = """SELECT t.id FROM erasure_turns e JOIN turns t ON t.id = e.turn LEFT JOIN speakers s ON s.id = t.speaker
    WHERE t.message_id IS NULL AND t.role <> 'operator'
    AND (s.key IS NULL OR s.key NOT IN (SELECT value FROM json_each(?)))"""
_WORDS = """SELECT c.key, t.role, s.key, t.at, t.content FROM turns t JOIN channels c ON c.id = t.channel
    LEFT JOIN speakers s ON s.id = t.speaker WHERE t.id = ?1 AND t.content <> ''
    UNION SELECT c.key, t.role, s.key, t.at, r.content FROM turns t JOIN channels c ON c.id = t.channel
    LEFT JOIN speakers s ON s.id = t.speaker JOIN revisions r ON r.turn = t.id WHERE t.id = ?1"""
_SPOKEN = """SELECT c.key, t.role, s.key, t.at FROM turns t JOIN channels c ON c.id = t.channel
    LEFT JOIN speakers s ON s.id = t.speaker WHERE t.id = ?"""
_BURIED = "SELECT 1 FROM turns WHERE id = ? AND deleted = 1 AND speaker IS NULL"


@dataclass(frozen=True, slots=True)
class ErasedOne:
    """A digest, of what kind, and before which instant (microseconds) everything of it is erased."""

    digest: str
    kind: str
    before: int
    level: str | None = None


@dataclass(frozen=True, slots=True)
class ErasedList:
    """Everything that was erased from a vault, without a name."""

    key: str
    entries: tuple[ErasedOne, ...]

    def to_json(self) -> str:
        """Return the list as a text that can be kept beside a vault or handed to another."""
        entries = [[one.digest, one.kind, one.before, one.level] for one in self.entries]
        return json.dumps({"key": self.key, "erased": entries})

    @classmethod
    def from_json(cls, text: str) -> ErasedList:
        """Read what `to_json` wrote. Raises BadInputError for anything else."""
        try:
            fields = json.loads(text)
            return cls(str(fields["key"]), tuple(ErasedOne(*one) for one in fields["erased"]))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInputError(tr("this is no list of what was erased.")) from error


def digest_of(key: str, kind: str, name: str) -> str:
    """Return what stands for a person, a channel, a message or a familiar in the list."""
    message = f"{kind}\x1f{name}".encode("utf-8", "surrogatepass")
    return hmac.new(bytes.fromhex(key), message, hashlib.sha256).hexdigest()[: 2 * _DIGEST_BYTES]


def key_of(connection: Connection) -> str:
    """Return the key of the digests, made where there is none."""
    row = connection.execute("SELECT value FROM state WHERE key = ?", (_KEY,)).fetchone()
    if row is None:
        connection.execute("INSERT INTO state VALUES (?, ?)", (_KEY, json.dumps(secrets.token_hex(32))))
        return key_of(connection)
    return str(json.loads(row[0]))


def read_list(connection: Connection) -> ErasedList:
    """Return the whole list; without a key where nothing was ever erased."""
    rows = connection.execute("SELECT digest, kind, before, level FROM erased ORDER BY before, digest").fetchall()
    entries = tuple(ErasedOne(digest.hex(), kind, before, level) for digest, kind, before, level in rows)
    return ErasedList(key_of(connection) if entries else "", entries)


def take_over(connection: Connection, others: ErasedList) -> list[ErasedOne]:
    """Add the entries of another list, whose key becomes this vault's. Returns those that tell of more than its own.

    Whoever was erased before and once more later was known in between: the later erasure counts.
    """
    own = read_list(connection)
    if not others.entries or (own.entries and own.key != others.key):
        # Two lists of different keys can't be told apart entry by entry: all of the other one counts as new.
        return list(others.entries)
    connection.execute(
        "INSERT INTO state VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2", (_KEY, json.dumps(others.key))
    )
    known = {one.digest: one.before for one in own.entries}
    new = [one for one in others.entries if one.digest not in known or one.before > known[one.digest]]
    for one in new:
        _insert(connection, one)
    return new


def remember(connection: Connection, scope: Scope, before: int, level: str | None) -> None:
    """Note what is being erased."""
    key = key_of(connection)
    for kind, name in _named(connection, scope):
        _insert(connection, ErasedOne(digest_of(key, kind, name), kind, before, level))
    if scope.kind in ("person", "message"):
        for (number,) in connection.execute(_WITHOUT_ID, (scope.keys_json,)).fetchall():
            remember_words(connection, number)


def remember_words(connection: Connection, turn: int) -> None:
    """Note what a turn says before words of it go: nothing else tells that they come again."""
    key = key_of(connection)
    for channel, role, speaker, at, content in connection.execute(_WORDS, (turn,)).fetchall():
        _insert(
            connection, ErasedOne(digest_of(key, "words", _words(channel, role, speaker, at, content)), "words", at)
        )


def wishes(connection: Connection) -> dict[PersonKey, str]:
    """Return how much may be kept of people who were erased and are known again, as they had wished."""
    rows = connection.execute("SELECT digest, level FROM erased WHERE kind = 'person' AND level IS NOT NULL").fetchall()
    if not rows:
        return {}
    levels = {digest.hex(): level for digest, level in rows}
    return {person: levels[digest] for digest, person in people_named(connection, key_of(connection), levels).items()}


def forget_wish(connection: Connection, person: PersonKey) -> bool:
    """Let a wish from before an erasure count no longer, because another one is made. False where there is none."""
    if connection.execute("SELECT 1 FROM erased WHERE level IS NOT NULL LIMIT 1").fetchone() is None:
        return False
    digest = bytes.fromhex(digest_of(key_of(connection), "person", person))
    statement = "UPDATE erased SET level = NULL WHERE digest = ? AND level IS NOT NULL"
    return connection.execute(statement, (digest,)).rowcount > 0


def is_erased(connection: Connection, turn: NewTurn) -> bool:
    """Tell whether a turn is from before its author or its channel was erased, or its author wants nothing kept.

    Costs one empty look-up where nothing was ever erased.
    """
    if connection.execute("SELECT 1 FROM erased LIMIT 1").fetchone() is None:
        return False
    at = to_micros(turn.at)
    if turn.answers is not None and connection.execute(_BURIED, (turn.answers,)).fetchone() is not None:
        # A model was still answering when what it answers was erased.
        return True
    if turn.author is not None:
        found = _look_up(connection, "person", turn.author.key)
        if found is not None and (at < found[0] or found[1] == "full"):
            return True
    row = connection.execute("SELECT key, familiar FROM channels WHERE id = ?", (turn.channel,)).fetchone()
    if row is None:
        return False
    found = _look_up(connection, "channel", _channel(*row))
    return (found is not None and at < found[0]) or _says_what_was_erased(connection, turn, row[0])


def brings_back(connection: Connection, turn: int, content: str) -> bool:
    """Tell whether a newer text of a turn is one out of which something was erased, maybe with a link's preview."""
    row = connection.execute(_SPOKEN, (turn,)).fetchone()
    if row is None or connection.execute("SELECT 1 FROM erased WHERE kind = 'words' LIMIT 1").fetchone() is None:
        return False
    channel, role, speaker, at = row
    texts = {storable(content), storable(content).rpartition("\n(")[0]}
    return any(_look_up(connection, "words", _words(channel, role, speaker, at, text)) for text in texts)


def _says_what_was_erased(connection: Connection, turn: NewTurn, channel: str) -> bool:
    if turn.message_id is not None:
        return False
    speaker = None if turn.author is None else turn.author.key
    said = _words(channel, turn.role.value, speaker, to_micros(turn.at), storable(turn.content))
    return _look_up(connection, "words", said) is not None


def channels_named(connection: Connection, key: str, digests: Iterable[str]) -> dict[str, int]:
    """Return which channels of this vault stand behind digests."""
    wanted = set(digests)
    rows = connection.execute("SELECT id, key, familiar FROM channels")
    return {
        found: number
        for number, name, owner in rows
        if (found := digest_of(key, "channel", _channel(name, owner))) in wanted
    }


def people_named(connection: Connection, key: str, digests: Iterable[str]) -> dict[str, PersonKey]:
    """Return which people of this vault stand behind digests, whether they spoke or are only spoken of."""
    wanted = set(digests)
    rows = connection.execute(
        """SELECT key FROM people UNION SELECT key FROM fact_subjects UNION SELECT person FROM person_privacy
        UNION SELECT owner FROM saved_memories WHERE scope = 'personal' UNION SELECT person FROM people_dossiers"""
    )
    return {found: PersonKey(name) for (name,) in rows if (found := digest_of(key, "person", name)) in wanted}


def familiars_named(connection: Connection, key: str, digests: Iterable[str]) -> dict[str, str]:
    """Return which familiars of this vault stand behind digests."""
    wanted = set(digests)
    rows = connection.execute(
        """SELECT familiar FROM channels WHERE familiar IS NOT NULL UNION SELECT familiar FROM facts
        UNION SELECT familiar FROM subscriptions UNION SELECT familiar FROM ledger"""
    )
    return {found: name for (name,) in rows if (found := digest_of(key, "familiar", name)) in wanted}


def messages_named(connection: Connection, key: str, digests: Iterable[str]) -> dict[str, int]:
    """Return which turns that are still there stand behind digests. Reads all of them."""
    wanted = set(digests)
    if not wanted:
        return {}
    rows = connection.execute(
        """SELECT t.id, t.arrived_at, t.message_id, c.key FROM turns t JOIN channels c ON c.id = t.channel
        WHERE t.deleted = 0 AND t.role <> 'operator'"""
    )
    return {
        found: number
        for number, arrived, message, channel in rows
        if (found := digest_of(key, "message", _message(channel, message, number, arrived))) in wanted
    }


def _named(connection: Connection, scope: Scope) -> list[tuple[str, str]]:
    named = [("person", key) for key in scope.keys]
    if scope.kind == "channel":
        rows = connection.execute(
            "SELECT key, familiar FROM channels WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(scope.channels),),
        )
        named += [("channel", _channel(key, owner)) for key, owner in rows]
    if scope.kind == "message":
        row = connection.execute(
            """SELECT c.key, t.message_id, t.id, t.arrived_at FROM turns t JOIN channels c ON c.id = t.channel
            WHERE t.id = ?""",
            (int(scope.label),),
        ).fetchone()
        named.append(("message", _message(*row)))
    if scope.familiar is not None:
        named.append(("familiar", scope.familiar))
    return named


def _channel(key: str, familiar: str | None) -> str:
    """A channel of the window is one familiar's own."""
    return key if familiar is None else f"{key}\x1f{familiar}"


def _message(channel: str, message: str | None, number: int, arrived: int) -> str:
    """A message is known by its platform's id; what was said in the window by its place in the log."""
    return f"{channel}\x1f{message}" if message is not None else f"{channel}\x1f{number}\x1f{arrived}"


def _words(channel: str, role: str, speaker: str | None, at: int, content: str) -> str:
    """What was said without a platform's id is known by who said it, where, when, and in which words."""
    return "\x1f".join((channel, role, speaker or "", str(at), content))


def _look_up(connection: Connection, kind: str, name: str) -> tuple[int, str | None] | None:
    digest = bytes.fromhex(digest_of(key_of(connection), kind, name))
    row = connection.execute("SELECT before, level FROM erased WHERE digest = ?", (digest,)).fetchone()
    return None if row is None else (int(row[0]), row[1])


def _insert(connection: Connection, one: ErasedOne) -> None:
    connection.execute(
        """INSERT INTO erased VALUES (?1, ?2, ?3, ?4) ON CONFLICT (digest) DO UPDATE SET before = max(before, ?3),
        level = coalesce(?4, level)""",
        (bytes.fromhex(one.digest), one.kind, one.before, one.level),
    )
