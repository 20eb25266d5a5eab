"""Channels saved by DiscordChatExporter in its JSON form: one object with guild, channel and an array of messages.

Every author is a person `discord:<id>`; whose turns are the familiar's own is never guessed from a name, it is told
by `own_key`. The messages are read one at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO

from familiar_app.domain.clock import parse_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelKey, PersonKey
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.turn import Author, Role
from familiar_app.interchange.json_array import JsonArrayReader
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnRecord, count_kind

_SAID = frozenset({"Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SNOWFLAKE = re.compile(r"\d{1,20}\Z", re.ASCII)
_LOSSES = (
    ("embeds", tr_later("link preview")),
    ("stickers", tr_later("sticker")),
    ("reactions", tr_later("reaction")),
)


def read_discord_chat_exporter(stream: BinaryIO, options: ReadOptions, report: ReadReport) -> Iterator[TurnRecord]:
    """Yield the channel's turns in bounded memory; messages that cannot be taken go to `report`.

    Raises BadInputError where the file as a whole is not of this form.
    """
    reader = JsonArrayReader(stream, options.source)
    place: _Place | None = None
    for number, message in enumerate(reader.items("messages")):
        place = place or _Place(reader.fields, options)
        line = reader.line
        try:
            record = place.turn(message, report)
        except BadInputError as error:
            where = f"messages[{number}]{'.' + error.field if error.field else ''}"
            report.bad(BadInputError(error.reason, source=options.source, line=line, field=where))
            continue
        if record is not None:
            yield record
    if place is None:
        _Place(reader.fields, options)


class _Place:
    """The channel of a file, which turns its messages into turns."""

    def __init__(self, fields: Mapping[str, Any], options: ReadOptions) -> None:
        channel, guild = fields.get("channel"), fields.get("guild")
        if not isinstance(channel, dict) or not isinstance(guild, dict):
            raise BadInputError(tr("guild and channel are missing before the messages."), source=options.source)
        self._key = options.channel or ChannelKey(f"discord:{_snowflake(channel, 'id')}")
        guild_id = _snowflake(guild, "id")
        self._guild = f"discord:{guild_id}" if int(guild_id) else None
        self._title = _clean(channel.get("name")) or None
        self._own_key = options.own_key

    def turn(self, message: object, report: ReadReport) -> TurnRecord | None:
        """Return the turn of one message, or None where it is left out."""
        if not isinstance(message, dict):
            raise BadInputError(tr("a message has to be an object."))
        if message.get("type", "Default") not in _SAID:
            count_kind(report.left_out, tr("notice of Discord, not said by anybody"))
            return None
        attachments = _attachments(message)
        content = message.get("content")
        if not isinstance(content, str) or _SURROGATE.search(content):
            raise BadInputError(tr("this has to be text."), field="content")
        if not content.strip():
            if not attachments:
                count_kind(report.left_out, tr("message without text"))
                return None
            content = "\n".join(f"[attachment: {item['name']}]" for item in attachments)
            count_kind(report.changed, tr("message of attachments only, taken with their names as text"))
        author = _author(message.get("author"))
        role = Role.ASSISTANT if author.key == self._own_key else Role.USER
        if author.bot and role is Role.USER:
            count_kind(
                report.changed, tr("turn of the bot {key}, taken as somebody else's (see --self)", key=author.key)
            )
        _note_losses(message, report)
        return TurnRecord(
            channel=self._key,
            role=role,
            content=content,
            at=_time(message.get("timestamp")),
            author=author,
            guild=self._guild,
            message_id=_snowflake(message, "id"),
            reply_to=_reply_to(message),
            attachments=json.dumps(attachments, ensure_ascii=False) if attachments else None,
            channel_title=self._title,
        )


def _author(value: object) -> Author:
    if not isinstance(value, dict):
        raise BadInputError(tr("this has to be an object."), field="author")
    key = PersonKey(f"discord:{_snowflake(value, 'id', 'author.id')}")
    username = _clean(value.get("name"))
    nickname = _clean(value.get("nickname"))
    name = nickname or username or key
    return Author(key=key, name=name, username=username or None, bot=value.get("isBot") is True)


def _attachments(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = message.get("attachments")
    items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return [
        {
            "name": _clean(item.get("fileName")) or "file",
            "url": _clean(item.get("url"), 2048) or None,
            "size_bytes": size if isinstance(size := item.get("fileSizeBytes"), int) else None,
        }
        for item in items[:100]
    ]


def _note_losses(message: Mapping[str, Any], report: ReadReport) -> None:
    for key, what in _LOSSES:
        if message.get(key):
            count_kind(report.lost, tr(what))
    if message.get("attachments"):
        count_kind(report.lost, tr("content of attachments (name and address are kept)"))
    if message.get("timestampEdited"):
        count_kind(report.lost, tr("earlier text of an edited message"))


def _reply_to(message: Mapping[str, Any]) -> str | None:
    reference = message.get("reference")
    if not isinstance(reference, dict) or not reference.get("messageId"):
        return None
    return _snowflake(reference, "messageId", "reference.messageId")


def _snowflake(value: Mapping[str, Any], key: str, field: str | None = None) -> str:
    found = value.get(key)
    if not isinstance(found, str) or not _SNOWFLAKE.match(found):
        raise BadInputError(tr("this has to be an id of Discord."), field=field or key)
    return found


def _time(value: object) -> datetime:
    if not isinstance(value, str):
        raise BadInputError(tr("this is not an ISO 8601 time."), field="timestamp")
    return parse_time(value, field="timestamp")


def _clean(value: object, limit: int = 256) -> str:
    return _CONTROL.sub(" ", value).strip()[:limit] if isinstance(value, str) else ""
