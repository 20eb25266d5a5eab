"""Reads the caller's context of a memory tool from JSON. What is missing or malformed counts as not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.ids import ChannelKey, PersonKey, TurnId, is_local
from familiar_app.domain.privacy import Proxy
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.services import Hosted


def tool_context(value: object, hosted: Hosted, source_turn: TurnId | None) -> ToolContext:
    """Return the context that a familiar's tool is called with.

    `"server": null` is a direct message or a local channel, which is a server of its own; without `server` nobody
    knows where the call comes from.
    """
    fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    channel, server = _text(fields.get("channel")), _text(fields.get("server"))
    direct = "server" in fields and (server is None or server == channel or is_local(ChannelKey(channel or server)))
    return ToolContext(
        familiar=hosted.id,
        char=hosted.name,
        lineage=hosted.config.lineage,
        server=channel if direct else server,
        channel=None if channel is None else ChannelKey(channel),
        speaker=_person(fields.get("speaker")),
        participants=_people(fields.get("participants")),
        members=_people(fields.get("members")),
        direct=direct,
        guild=None if direct else server,
        source_turn=source_turn,
    )


def _people(value: object) -> tuple[ChatPerson, ...]:
    people = (_person(one) for one in value) if isinstance(value, list) else ()
    return tuple(one for one in people if one is not None)


def _person(value: object) -> ChatPerson | None:
    if not isinstance(value, Mapping):
        return None
    key, name, username = _text(value.get("key")), _text(value.get("name")), _text(value.get("username"))
    label = name or username
    if label is None:
        return None
    bridge, proxy = bool(value.get("bridge")), _proxy(value.get("proxy"))
    return ChatPerson(
        key=None if key is None else PersonKey(key),
        name=label,
        username=username,
        nickname=_text(value.get("nickname")),
        persona_nickname=_text(value.get("persona_nickname")),
        saved_nickname=_text(value.get("saved_nickname")),
        global_name=_text(value.get("global_name")),
        # What a bridge or a proxy says comes through a bot, but is not its own.
        bot=bool(value.get("bot")) and not bridge and proxy is None,
        bridge=bridge,
        proxy=proxy,
        member=value.get("member") is not False,
    )


def _proxy(value: object) -> Proxy | None:
    """Read the people behind a proxy: a key, a list of keys, or an object with `hosts` and `blocked`.

    Anything else that is not false is a proxy of which nobody knows whose it is.
    """
    if value is None or value is False:
        return None
    if isinstance(value, Mapping):
        return Proxy(_keys(value.get("hosts", value.get("host"))), bool(value.get("blocked")))
    return Proxy(_keys(value))


def _keys(value: object) -> tuple[PersonKey, ...] | None:
    if isinstance(value, str) and value:
        return (PersonKey(value),)
    if not isinstance(value, list) or not all(isinstance(key, str) and key for key in value):
        return None
    return tuple(PersonKey(key) for key in value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
