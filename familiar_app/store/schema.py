"""The tables of the vault, and the steps that bring an older vault up to them.

Times are microseconds since 1970 in UTC. `turns` is the log; its columns `active`, `hidden` and `revision` can be
derived from the log again (see `verify`), `deleted` marks a tombstone. The text read is the revision named by
`revision`; number 1 stands in the turn itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlcipher3 import dbapi2

from familiar_app.domain.errors import BugError, OutsideError
from familiar_app.domain.text import tr
from familiar_app.store.schema_alarm import ALARM
from familiar_app.store.schema_answer import ANSWER
from familiar_app.store.schema_audience import AUDIENCE
from familiar_app.store.schema_delivery import DELIVERY
from familiar_app.store.schema_erasure import ERASURE
from familiar_app.store.schema_lore import VERSION_4
from familiar_app.store.schema_lore_use import LORE_USE
from familiar_app.store.schema_lost_place import LOST_PLACE
from familiar_app.store.schema_memory import VERSION_2
from familiar_app.store.schema_message import MESSAGE
from familiar_app.store.schema_opt_in import AGREED, OPT_IN
from familiar_app.store.schema_person import PERSON
from familiar_app.store.schema_saved_memory import SAVED_MEMORY
from familiar_app.store.schema_upkeep import UPKEEP
from familiar_app.store.schema_vector import VERSION_3
from familiar_app.store.schema_veil import VEIL

if TYPE_CHECKING:
    from sqlite3 import Connection

Step = Callable[["Connection"], None]

_VERSION_1 = (
    """CREATE TABLE channels (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        familiar TEXT,
        title TEXT NOT NULL,
        guild TEXT,
        archived INTEGER NOT NULL DEFAULT 0,
        read_turn INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL
    )""",
    "CREATE UNIQUE INDEX channels_identity ON channels (key, coalesce(familiar, ''))",
    """CREATE TABLE subscriptions (
        id INTEGER PRIMARY KEY,
        channel INTEGER NOT NULL REFERENCES channels (id),
        familiar TEXT NOT NULL,
        since INTEGER NOT NULL,
        until INTEGER
    )""",
    "CREATE UNIQUE INDEX subscriptions_open ON subscriptions (familiar, channel) WHERE until IS NULL",
    """CREATE TABLE speakers (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        name TEXT NOT NULL,
        username TEXT,
        global_name TEXT,
        nickname TEXT,
        guild TEXT,
        bot INTEGER NOT NULL
    )""",
    "CREATE INDEX speakers_key ON speakers (key)",
    """CREATE TABLE people (
        key TEXT PRIMARY KEY,
        bot INTEGER NOT NULL DEFAULT 0,
        latest_speaker INTEGER REFERENCES speakers (id),
        latest_at INTEGER
    ) WITHOUT ROWID""",
    """CREATE TABLE names (
        id INTEGER PRIMARY KEY,
        person TEXT NOT NULL REFERENCES people (key),
        kind TEXT NOT NULL,
        guild TEXT NOT NULL DEFAULT '',
        name TEXT NOT NULL,
        since INTEGER NOT NULL,
        until INTEGER
    )""",
    "CREATE INDEX names_person ON names (person, kind, guild, since)",
    """CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        channel INTEGER NOT NULL REFERENCES channels (id),
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool', 'operator')),
        content TEXT NOT NULL,
        at INTEGER NOT NULL,
        arrived_at INTEGER NOT NULL,
        speaker INTEGER REFERENCES speakers (id),
        familiar TEXT,
        guild TEXT,
        message_id TEXT,
        reply_to TEXT,
        mode TEXT,
        answers INTEGER REFERENCES turns (id),
        tool_calls TEXT,
        tool_call_id TEXT,
        attachments TEXT,
        revision INTEGER NOT NULL DEFAULT 1,
        active INTEGER NOT NULL DEFAULT 1,
        hidden INTEGER NOT NULL DEFAULT 0,
        deleted INTEGER NOT NULL DEFAULT 0,
        shown INTEGER NOT NULL AS (active AND NOT hidden AND NOT deleted AND role <> 'operator') VIRTUAL
    )""",
    "CREATE INDEX turns_channel ON turns (channel, shown)",
    "CREATE INDEX turns_day ON turns (channel, at) WHERE shown = 1",
    "CREATE UNIQUE INDEX turns_message ON turns (channel, message_id) WHERE message_id IS NOT NULL",
    "CREATE INDEX turns_speaker ON turns (speaker, at) WHERE speaker IS NOT NULL",
    "CREATE INDEX turns_answers ON turns (answers) WHERE answers IS NOT NULL",
    "CREATE INDEX turns_operator ON turns (id) WHERE role = 'operator'",
    """CREATE TABLE revisions (
        turn INTEGER NOT NULL REFERENCES turns (id),
        number INTEGER NOT NULL CHECK (number > 1),
        content TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (turn, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE mentions (
        turn INTEGER NOT NULL REFERENCES turns (id),
        person TEXT NOT NULL REFERENCES people (key),
        PRIMARY KEY (turn, person)
    ) WITHOUT ROWID""",
    "CREATE INDEX mentions_person ON mentions (person, turn)",
    """CREATE TABLE reactions (
        channel INTEGER NOT NULL REFERENCES channels (id),
        message_id TEXT NOT NULL,
        emoji TEXT NOT NULL,
        count INTEGER NOT NULL CHECK (count >= 0),
        PRIMARY KEY (channel, message_id, emoji)
    ) WITHOUT ROWID""",
    """CREATE TABLE traces (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        familiar TEXT NOT NULL,
        channel TEXT NOT NULL,
        purpose TEXT NOT NULL,
        at INTEGER NOT NULL,
        model TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        first_token_ms REAL,
        total_ms REAL,
        error TEXT,
        reply_turn INTEGER REFERENCES turns (id),
        body BLOB NOT NULL
    )""",
    "CREATE INDEX traces_reply ON traces (reply_turn) WHERE reply_turn IS NOT NULL",
    "CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL, set_at INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)


def _make_version_1(connection: Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)


def _make_version_2(connection: Connection) -> None:
    for statement in VERSION_2:
        connection.execute(statement)


def _make_version_3(connection: Connection) -> None:
    for statement in VERSION_3:
        connection.execute(statement)


def _make_version_4(connection: Connection) -> None:
    for statement in VERSION_4:
        connection.execute(statement)


def _make_lore_use(connection: Connection) -> None:
    for statement in LORE_USE:
        connection.execute(statement)


def _make_saved_memory(connection: Connection) -> None:
    for statement in SAVED_MEMORY:
        connection.execute(statement)


def _make_audience(connection: Connection) -> None:
    for statement in AUDIENCE:
        connection.execute(statement)


def _make_upkeep(connection: Connection) -> None:
    for statement in UPKEEP:
        connection.execute(statement)


def _make_lost_place(connection: Connection) -> None:
    for statement in LOST_PLACE:
        connection.execute(statement)


def _make_person(connection: Connection) -> None:
    for statement in PERSON:
        connection.execute(statement)


def _make_message(connection: Connection) -> None:
    for statement in MESSAGE:
        connection.execute(statement)


def _make_veil(connection: Connection) -> None:
    for statement in VEIL:
        connection.execute(statement)


def _make_answer(connection: Connection) -> None:
    for statement in ANSWER:
        connection.execute(statement)


def _make_opt_in(connection: Connection) -> None:
    for statement in OPT_IN:
        connection.execute(statement)


def _make_alarm(connection: Connection) -> None:
    for statement in ALARM:
        connection.execute(statement)


def _make_delivery(connection: Connection) -> None:
    for statement in DELIVERY:
        connection.execute(statement)


def _make_erasure(connection: Connection) -> None:
    for statement in ERASURE:
        connection.execute(statement)


def _make_agreed(connection: Connection) -> None:
    for statement in AGREED:
        connection.execute(statement)


# Step n brings a vault of version n to version n + 1; an empty database has version 0.
STEPS: tuple[Step, ...] = (
    _make_version_1,
    _make_version_2,
    _make_version_3,
    _make_version_4,
    _make_lore_use,
    _make_saved_memory,
    _make_audience,
    _make_upkeep,
    _make_lost_place,
    _make_person,
    _make_message,
    _make_veil,
    _make_answer,
    _make_opt_in,
    _make_alarm,
    _make_delivery,
    _make_erasure,
    _make_agreed,
)
VERSION = len(STEPS)


def version_of(connection: Connection) -> int:
    """Return the schema version a database was left at."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def definition_of(connection: Connection) -> dict[str, str]:
    """Return the statement behind each table and index of a database."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {name: " ".join((sql or "").split()) for name, sql in rows}


def definition() -> dict[str, str]:
    """Return the same for what this program makes."""
    connection: Connection = dbapi2.connect(":memory:", isolation_level=None)
    try:
        upgrade(connection)
        return definition_of(connection)
    finally:
        connection.close()


def refuse_newer(version: int, *, known: int = VERSION) -> None:
    """Raise OutsideError where the vault was written by a newer program than this one."""
    if version > known:
        raise OutsideError(
            tr(
                "This vault was last used by a newer Familiar (its form is {version}, this program "
                "knows {known}). Nothing was changed.",
                version=str(version),
                known=str(known),
            ),
            tr("Install the newer version of Familiar to open it."),
        )


def upgrade(connection: Connection, steps: Sequence[Step] = STEPS) -> None:
    """Bring the database to the newest version in one transaction: afterwards it is all there, or nothing is.

    Foreign keys are checked at the end instead of at each statement, so that a step may build a table anew.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[version_of(connection) :]:
            step(connection)
        if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise BugError("The upgrade of the vault would break a reference. Nothing was changed.")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
