"""Chats of SillyTavern: JSON Lines whose first line names the two sides, then one message a line.

The person's messages become the owner's turns and the character's the familiar's own; in a group chat the other
characters are people of the platform `import`. Of several swipes the one that was shown is taken; the others are kept
as alternatives where they answer a message of the person. A message's id is made from the chat's identity and the
message's place, so that a chat that went on can be imported again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import blake2b
from pathlib import PurePath
from typing import Any, BinaryIO

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import OWNER, ChannelKey, PersonKey
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Author, Role
from familiar_app.interchange.line import numbered_lines, parse_object
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnRecord, count_kind

_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_AT_FORM = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s(?:\s*(\d{1,3})ms)?\Z")
_WORD_FORMS = ("%B %d, %Y %I:%M%p", "%B %d, %Y %I:%M:%S%p", "%B %d, %Y")


@dataclass(slots=True)
class _Chat:
    """What the header and the lines so far tell about the whole chat."""

    channel: ChannelKey
    title: str
    identity: str
    character: str | None
    last_at: datetime
    last_user_id: str | None = None
    swiped: str | None = None
    """The message of the person whose answer had swipes: a second answer to it is none of its alternatives."""


def looks_like_header(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is the first line of such a chat."""
    return "user_name" in value and "character_name" in value


def read_sillytavern_chat(stream: BinaryIO, options: ReadOptions, report: ReadReport) -> Iterator[TurnRecord]:
    """Yield the chat's turns in bounded memory; lines that cannot be taken go to `report`.

    Raises BadInputError where the first line is no header.
    """
    lines = numbered_lines(stream)
    chat: _Chat | None = None
    for place, (number, line) in enumerate(lines):
        try:
            value = parse_object(line, source=options.source, number=number)
            if chat is None:
                chat = _open_chat(value, options, number)
                continue
            record = _message(value, place, chat, options, report)
        except BadInputError as error:
            if chat is None:
                raise
            error = BadInputError(error.reason, source=options.source, line=number, field=error.field)
            report.bad(error)
            continue
        if record is not None:
            yield record


def _open_chat(header: Mapping[str, Any], options: ReadOptions, number: int) -> _Chat:
    if not looks_like_header(header):
        raise BadInputError(
            tr("the first line has to name user and character, as SillyTavern writes it."),
            source=options.source,
            line=number,
        )
    name = header.get("character_name")
    character = name if isinstance(name, str) and name not in ("", "unused") else None
    metadata = header.get("chat_metadata")
    integrity = metadata.get("integrity") if isinstance(metadata, dict) else None
    origin = integrity if isinstance(integrity, str) and integrity else repr((name, header.get("create_date")))
    identity = blake2b(origin.encode("utf-8", "replace"), digest_size=8).hexdigest()
    title = PurePath(options.source).stem or tr("SillyTavern chat")
    channel = options.channel or ChannelKey(f"local:sillytavern-{identity}")
    try:
        start = _time(header.get("create_date"), options.zone, ReadReport())
    except BadInputError:
        start = datetime.fromtimestamp(0, UTC)
    return _Chat(channel, title, identity, character, start)


def _message(
    value: Mapping[str, Any], place: int, chat: _Chat, options: ReadOptions, report: ReadReport
) -> TurnRecord | None:
    text = value.get("mes")
    if not isinstance(text, str) or _SURROGATE.search(text):
        raise BadInputError(tr("this has to be text."), field="mes")
    name = _name(value)
    if not text.strip():
        count_kind(report.left_out, tr("empty message"))
        return None
    at = _when(value, chat, options.zone, report)
    role = _role(value, name, chat, options)
    _note_losses(value, report)
    others = _other_swipes(value, text, role, chat, report)
    message_id = f"sillytavern:{chat.identity}:{place}"
    reply_to = chat.last_user_id if role is Role.ASSISTANT else None
    if role is Role.USER:
        chat.last_user_id = message_id
    return TurnRecord(
        channel=chat.channel,
        role=role,
        content=text,
        at=at,
        author=_author(value, name, role),
        message_id=message_id,
        reply_to=reply_to,
        channel_title=chat.title,
        others=others,
    )


def _other_swipes(value: Mapping[str, Any], shown: str, role: Role, chat: _Chat, report: ReadReport) -> tuple[str, ...]:
    """Return the answers that were not chosen, each once; those that answer nobody here are told as lost."""
    swipes = value.get("swipes")
    if not isinstance(swipes, list) or len(swipes) < 2:
        return ()
    texts = [one for one in swipes if isinstance(one, str) and one.strip() and not _SURROGATE.search(one)]
    others = tuple(one for one in dict.fromkeys(texts) if one != shown)
    if role is Role.ASSISTANT and chat.last_user_id is not None and chat.swiped != chat.last_user_id:
        chat.swiped = chat.last_user_id
        if others:
            report.changed[tr("swipe that was not shown, kept as another answer")] += len(others)
        return others
    report.lost[tr("other swipes of an answer")] += len(swipes) - 1
    return ()


def _name(value: Mapping[str, Any]) -> str:
    name = value.get("name")
    if name is not None and not isinstance(name, str):
        raise BadInputError(tr("this has to be text."), field="name")
    return _CONTROL.sub(" ", name or "").strip()[:256]


def _role(value: Mapping[str, Any], name: str, chat: _Chat, options: ReadOptions) -> Role:
    if value.get("is_user") is True:
        return Role.USER
    extra = value.get("extra")
    if value.get("is_system") is True and isinstance(extra, dict) and extra.get("type"):
        return Role.SYSTEM
    own = chat.character or options.familiar_name
    return Role.ASSISTANT if not name or name.casefold() == own.casefold() else Role.USER


def _author(value: Mapping[str, Any], name: str, role: Role) -> Author | None:
    if role is Role.SYSTEM:
        return None
    if value.get("is_user") is True:
        return Author(key=OWNER, name=name or "You")
    key = PersonKey("import:" + re.sub(r"\s+", "-", name.casefold()))
    return Author(key=key, name=name or "?") if role is Role.USER else (Author(key=key, name=name) if name else None)


def _note_losses(value: Mapping[str, Any], report: ReadReport) -> None:
    extra = value.get("extra")
    if isinstance(extra, dict):
        for key, what in (
            ("image", tr("picture")),
            ("file", tr("attached file")),
            ("reasoning", tr("reasoning of the model")),
        ):
            if extra.get(key):
                count_kind(report.lost, what)
        if value.get("is_system") is True and not extra.get("type"):
            count_kind(report.changed, tr("hidden message, taken as an ordinary one"))


def _when(value: Mapping[str, Any], chat: _Chat, zone: tzinfo, report: ReadReport) -> datetime:
    raw = value.get("send_date")
    if raw in (None, "", 0):
        chat.last_at += timedelta(seconds=1)
        count_kind(report.changed, tr("message without a time, placed a second after the one before"))
        return chat.last_at
    chat.last_at = _time(raw, zone, report)
    return chat.last_at


def _time(raw: object, zone: tzinfo, report: ReadReport) -> datetime:
    """Read any of the forms in which SillyTavern has written times over the years."""
    try:
        if isinstance(raw, int | float) and not isinstance(raw, bool):
            return datetime.fromtimestamp(raw / 1000, UTC)
        if isinstance(raw, str):
            return _time_from_text(raw.strip(), zone, report)
    except (ValueError, OverflowError, OSError) as error:
        raise BadInputError(tr("this is no time that SillyTavern writes."), field="send_date") from error
    raise BadInputError(tr("this is no time that SillyTavern writes."), field="send_date")


def _time_from_text(text: str, zone: tzinfo, report: ReadReport) -> datetime:
    if text.isdecimal():
        return datetime.fromtimestamp(int(text) / 1000, UTC)
    if match := _AT_FORM.match(text):
        *parts, millisecond = (int(part or 0) for part in match.groups())
        year, month, day, hour, minute, second = parts
        return _placed(datetime(year, month, day, hour, minute, second, millisecond * 1000), zone, report)  # noqa: DTZ001
    for form in _WORD_FORMS:
        try:
            naive = datetime.strptime(text, form)  # noqa: DTZ007
        except ValueError:
            continue
        return _placed(naive, zone, report)
    instant = datetime.fromisoformat(text)
    return instant.astimezone(UTC) if instant.tzinfo is not None else _placed(instant, zone, report)


def _placed(naive: datetime, zone: tzinfo, report: ReadReport) -> datetime:
    """Take a time as one of the place where the chat was written: the file does not name its zone."""
    count_kind(report.changed, tr("time without a time zone, read as {zone}", zone=str(zone)))
    return naive.replace(tzinfo=zone).astimezone(UTC)
