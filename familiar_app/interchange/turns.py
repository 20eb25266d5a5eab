"""Turns as JSON Lines: one object a line, oldest first, the form in which the program writes and reads its own log.

    {"channel": "local:main", "guild": null, "author": {"key": "discord:1", "name": "Ann", "username": "ann",
     "bot": false}, "role": "user", "content": "…", "at": "2024-05-01T12:00:00Z", "message_id": "7",
     "reply_to": null, "mode": null}

`channel`, `role`, `content` and `at` are needed; what else is missing counts as null. Keys that are not known are
reported and left out. What a line holds is checked by hand: a million lines go through here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO

from familiar_app.domain.clock import as_utc, format_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelKey, PersonKey
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Author, Role, Turn
from familiar_app.interchange.line import numbered_lines, parse_object
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnRecord, count_kind

MAX_NAME_CHARS = 256
_ROLES = {role.value: role for role in Role if role is not Role.OPERATOR}
_TURN_KEYS = frozenset({"channel", "guild", "author", "role", "content", "at", "message_id", "reply_to", "mode"})
_AUTHOR_KEYS = frozenset({"key", "name", "username", "bot"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PERSON_KEY = re.compile(r"[a-z][a-z0-9_-]*:.+\Z", re.DOTALL)


class _FieldError(Exception):
    """A field that cannot be taken; becomes a BadInputError once file and line are known."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


def read_turns(stream: BinaryIO, options: ReadOptions, report: ReadReport) -> Iterator[TurnRecord]:
    """Yield the turns of a JSON Lines file in bounded memory; lines that cannot be taken go to `report`."""
    for number, line in numbered_lines(stream):
        try:
            yield parse_turn(parse_object(line, source=options.source, number=number), report)
        except _FieldError as error:
            report.bad(BadInputError(error.reason, source=options.source, line=number, field=error.field))
        except BadInputError as error:
            report.bad(error)


def parse_turn(value: Mapping[str, Any], report: ReadReport) -> TurnRecord:
    """Check one object; unknown keys are counted in `report`. Raises _FieldError."""
    role = _ROLES.get(value["role"]) if isinstance(value.get("role"), str) else None
    if role is None:
        raise _FieldError("role", tr("this has to be one of {names}.", names=", ".join(_ROLES)))
    if not value.keys() <= _TURN_KEYS:
        for key in value.keys() - _TURN_KEYS:
            count_kind(report.lost, tr("unknown key {key}", key=_shown(key)))
    return TurnRecord(
        channel=ChannelKey(_short_text(value, "channel")),
        role=role,
        content=_content(value),
        at=_time(value),
        author=_author(value.get("author"), role, report),
        guild=_optional_text(value, "guild") or None,
        message_id=_optional_text(value, "message_id") or None,
        reply_to=_optional_text(value, "reply_to") or None,
        mode=_optional_text(value, "mode") or None,
    )


def _content(value: Mapping[str, Any]) -> str:
    content = value.get("content")
    if not isinstance(content, str):
        raise _FieldError("content", tr("this has to be text."))
    if not content.isascii() and _SURROGATE.search(content):
        raise _FieldError("content", tr("this has half of a surrogate pair, which is no text."))
    return content


def _time(value: Mapping[str, Any]) -> datetime:
    at = value.get("at")
    if not isinstance(at, str):
        raise _FieldError("at", tr("this has to be an ISO 8601 date or time."))
    try:
        return as_utc(datetime.fromisoformat(at))
    except (ValueError, OverflowError):
        raise _FieldError("at", tr("this is not an ISO 8601 date or time.")) from None


def _author(author: object, role: Role, report: ReadReport) -> Author | None:
    if author is None:
        return None
    if not isinstance(author, dict):
        raise _FieldError("author", tr("this has to be an object or null."))
    if not author.keys() <= _AUTHOR_KEYS:
        for key in author.keys() - _AUTHOR_KEYS:
            count_kind(report.lost, tr("unknown key {key}", key="author." + _shown(key)))
    key = _short_text(author, "key", "author.key")
    if not _PERSON_KEY.match(key):
        raise _FieldError("author.key", tr("this has to be platform:id, such as discord:123."))
    if role is not Role.ASSISTANT and key.startswith("ego:"):
        raise _FieldError("author.key", tr("only an assistant turn can be said by a familiar."))
    username = _optional_text(author, "username", "author.username")
    bot = author.get("bot")
    if bot is not None and not isinstance(bot, bool):
        raise _FieldError("author.bot", tr("this has to be true, false or null."))
    name = _optional_text(author, "name", "author.name") or username or key.partition(":")[2]
    return Author(key=PersonKey(key), name=name, username=username, bot=bool(bot))


def _short_text(value: Mapping[str, Any], key: str, field: str | None = None) -> str:
    text = _optional_text(value, key, field)
    if text is None or not text.strip():
        raise _FieldError(field or key, tr("this is missing or empty."))
    return text


def _optional_text(value: Mapping[str, Any], key: str, field: str | None = None) -> str | None:
    text = value.get(key)
    if text is None:
        return None
    if not isinstance(text, str):
        raise _FieldError(field or key, tr("this has to be text or null."))
    if len(text) > MAX_NAME_CHARS:
        raise _FieldError(field or key, tr("this is longer than {limit} characters.", limit=MAX_NAME_CHARS))
    if _CONTROL.search(text):
        raise _FieldError(field or key, tr("this has control characters."))
    return text


def _shown(key: str) -> str:
    return _CONTROL.sub("?", key[:40])


def render_turn(turn: Turn) -> bytes:
    """Write a stored turn as one line, line feed included."""
    author = turn.author
    value = {
        "channel": turn.channel_key,
        "guild": turn.guild,
        "author": None
        if author is None
        else {"key": author.key, "name": author.name, "username": author.username, "bot": author.bot},
        "role": turn.role.value,
        "content": turn.content,
        "at": format_time(turn.at),
        "message_id": turn.message_id,
        "reply_to": turn.reply_to,
        "mode": turn.mode,
    }
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8") + b"\n"
