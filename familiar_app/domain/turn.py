"""Turns: what was said, by whom, when and where. The only source of truth about what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TraceId, TurnId
from familiar_app.domain.record import record


class Role(StrEnum):
    """Who speaks: people are `user`, familiars `assistant`; `operator` records what the owner decided by hand."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    OPERATOR = "operator"


@record(frozen=True, slots=True)
class Author:
    """A speaker as seen at that moment. `key` is the identity; the names are snapshots."""

    key: PersonKey
    name: str
    username: str | None = None
    global_name: str | None = None
    nickname: str | None = None
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Channel:
    """A place where turns are said. `familiar` owns a local channel; it is None where several may listen."""

    id: ChannelId
    key: ChannelKey
    familiar: FamiliarId | None
    title: str
    guild: str | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn that is about to be appended. `arrived_at` is stamped by the vault.

    `answers` is the turn that an assistant turn replies to; several answers to one turn are its alternatives, and the
    newest is the active one until another is chosen. `others` are answers of another program that this one was chosen
    over; they become its alternatives where `reply_to` names a message of the log. `goes_on` is the answer with whose
    words it begins: where that was erased meanwhile, nothing is stored.
    """

    channel: ChannelId
    role: Role
    content: str
    at: datetime
    author: Author | None = None
    familiar: FamiliarId | None = None
    guild: str | None = None
    message_id: str | None = None
    reply_to: str | None = None
    mode: str | None = None
    answers: TurnId | None = None
    goes_on: TurnId | None = None
    tool_calls: str | None = None
    tool_call_id: str | None = None
    attachments: str | None = None
    mentions: tuple[PersonKey, ...] = ()
    others: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Turn:
    """A stored turn as it reads now: the newest revision of its text, and its place among its alternatives.

    `deleted` turns are scrubbed and have an empty text; `hidden` ones were removed by the owner and can come back.
    `alternative` counts from 1 to `alternatives`. `active` is False for an answer that another one has replaced.
    """

    id: TurnId
    channel: ChannelId
    channel_key: ChannelKey
    role: Role
    content: str
    at: datetime
    arrived_at: datetime
    author: Author | None = None
    familiar: FamiliarId | None = None
    guild: str | None = None
    message_id: str | None = None
    reply_to: str | None = None
    mode: str | None = None
    answers: TurnId | None = None
    alternative: int = 1
    alternatives: int = 1
    active: bool = True
    revision: int = 1
    hidden: bool = False
    deleted: bool = False
    tool_calls: str | None = None
    tool_call_id: str | None = None
    attachments: str | None = None
    trace: TraceId | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of a turn's text; number 1 is what was first said. `at` is when this text came to be."""

    turn: TurnId
    number: int
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Reaction:
    """How often one emoji stands under one message."""

    message_id: str
    emoji: str
    count: int


@dataclass(frozen=True, slots=True)
class ChannelSummary:
    """A channel as a list shows it."""

    channel: Channel
    turns: int
    unread: int
    last_at: datetime | None
    last_turn: TurnId | None


@dataclass(frozen=True, slots=True)
class DayMark:
    """The first turn of a day (in the zone that was asked for) and how many turns the day has."""

    day: str
    first_turn: TurnId
    turns: int


@record(frozen=True, slots=True)
class NameSpan:
    """A name somebody had, of one kind (`username`, `global_name`, `nickname`, `name`), over a half-open interval."""

    name: str
    kind: str
    since: datetime
    until: datetime | None
    guild: str | None = None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who spoke or was mentioned. `label` is how they are called today."""

    key: PersonKey
    label: str
    bot: bool = False
    turns: int = 0
    first_seen_at: datetime | None = None
    last_seen_at: datetime | None = None
    names: tuple[NameSpan, ...] = field(default=())
