"""The formats turns can come in, and how a file is told to be one of them."""

from __future__ import annotations

import json
import re
from typing import Any

from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.text import tr
from familiar_app.interchange.discord_chat_exporter import read_discord_chat_exporter
from familiar_app.interchange.sillytavern_chat import looks_like_header, read_sillytavern_chat
from familiar_app.interchange.turn_record import TurnReader
from familiar_app.interchange.turn_source import TurnSource
from familiar_app.interchange.turns import read_turns

TURN_READERS: dict[str, TurnReader] = {
    "jsonl": read_turns,
    "discord-chat-exporter": read_discord_chat_exporter,
    "sillytavern-chat": read_sillytavern_chat,
}
_START_BYTES = 256 * 1024
_DISCORD_PLACES = tuple(re.compile(rb'"%s"\s*:\s*\{' % name) for name in (b"guild", b"channel"))
"""How an export of Discord names its place; in a line of turns both are text, and in a text the quotes are escaped."""


def turn_reader(name: str) -> TurnReader:
    """Return the reader of a format. Raises UsageError that lists the known ones."""
    if name not in TURN_READERS:
        raise UsageError(tr("There is no such format."), tr("Known are {names}.", names=", ".join(TURN_READERS)))
    return TURN_READERS[name]


def find_turn_format(source: TurnSource) -> str:
    """Tell the format from the beginning of a file. Raises BadInputError where it is none of them.

    A file whose first line is some JSON object counts as `jsonl`, so that the error names what its lines lack.
    """
    with source.open() as stream, source.watched(stream):
        start = stream.read(_START_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    first = _object(start.split(b"\n", 1)[0])
    if first is not None:
        if looks_like_header(first):
            return "sillytavern-chat"
        return "discord-chat-exporter" if "messages" in first and "channel" in first else "jsonl"
    if start.startswith(b"{") and all(place.search(start) for place in _DISCORD_PLACES):
        return "discord-chat-exporter"
    if not start:
        raise BadInputError(tr("the file is empty."), source=source.name)
    if start.startswith(b"{") and not start.startswith(b"{\n") and not start.startswith(b"{\r\n"):
        return "jsonl"
    raise BadInputError(
        tr("this is no format that can be imported."),
        source=source.name,
        next_step=tr("Known are {names}, and lorebooks, cards and memories.", names=", ".join(TURN_READERS)),
    )


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
