"""Finds whom a name means among the people of a conversation and of its server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import Proxy

MAX_CANDIDATES = 3
SELF = "self"
_SPACE = re.compile(r"\s+")
_PLATFORM_ID = re.compile(r"[0-9]{17,20}\Z")


@dataclass(frozen=True, slots=True)
class ChatPerson:
    """Somebody as a conversation knows them. `key` is None where they are no known person.

    `persona_nickname` is what this familiar calls them, `saved_nickname` what every familiar does. `bridge` people have
    no account here; a `proxy` speaks through somebody's. `member` tells whether they belong to the server.
    """

    key: PersonKey | None
    name: str
    username: str | None = None
    nickname: str | None = None
    persona_nickname: str | None = None
    saved_nickname: str | None = None
    global_name: str | None = None
    bot: bool = False
    bridge: bool = False
    proxy: Proxy | None = None
    member: bool = True

    @property
    def label(self) -> str:
        """How messages are labelled: the name, with the username behind it where that differs."""
        return f"{self.name} (@{self.username})" if self.username and self.username != self.name else self.name


@dataclass(frozen=True, slots=True)
class Circle:
    """Who can be meant. `itself` is the familiar; participants speak in the conversation, members are of the server."""

    itself: ChatPerson
    participants: tuple[ChatPerson, ...]
    members: tuple[ChatPerson, ...] = ()
    direct: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Whom a name means: one person, nobody, or one of several."""

    person: ChatPerson | None = None
    several: tuple[ChatPerson, ...] = ()


NOBODY = Found()


def folded(name: str) -> str:
    """Return the form in which names are compared; only equal ones match."""
    return _SPACE.sub(" ", name.strip().removeprefix("@").strip()).lower()


def resolve(name: str, circle: Circle) -> Found:
    """Find whom a name means; the first step with a hit decides."""
    wanted = folded(name)
    if not wanted:
        return NOBODY
    if _PLATFORM_ID.match(wanted):
        return _by_id(wanted, circle)
    if wanted == SELF:
        return Found(circle.itself)
    found = _among_participants(wanted, circle)
    if found is not NOBODY or circle.direct:
        return found
    everyone = _people((*circle.members, *circle.participants))
    for name_of, members_only in _STEPS:
        hits = [
            one
            for one in everyone
            if (one.member or not members_only) and folded(name_of(one) or "") == wanted and not one.bot
        ]
        if hits:
            return _one_of(hits)
    return NOBODY


def _by_id(wanted: str, circle: Circle) -> Found:
    hits = [
        one
        for one in _people((*circle.participants, *circle.members))
        if one.key is not None and one.key.partition(":")[2] == wanted and not one.bot
    ]
    return _one_of(hits)


def _among_participants(wanted: str, circle: Circle) -> Found:
    people = _people((circle.itself, *circle.participants))
    candidates = [one for one in people if not one.bot or one is circle.itself]
    hits = [one for one in candidates if wanted in {folded(name) for name in _names(one)}]
    by_label = [one for one in hits if wanted in {folded(one.name), folded(one.label)}]
    return Found(by_label[0]) if len(by_label) == 1 else _one_of(hits)


def _one_of(hits: Sequence[ChatPerson]) -> Found:
    if not hits:
        return NOBODY
    return Found(hits[0]) if len(hits) == 1 else Found(several=tuple(hits))


def _people(people: Iterable[ChatPerson]) -> list[ChatPerson]:
    """Return each person once; those without a key cannot be told to be the same."""
    found: dict[object, ChatPerson] = {}
    for one in people:
        found.setdefault(one.key if one.key is not None else id(one), one)
    return list(found.values())


def _names(person: ChatPerson) -> list[str]:
    names = (
        person.name,
        person.label,
        person.nickname,
        person.persona_nickname,
        person.saved_nickname,
        person.global_name,
        person.username,
    )
    return [name for name in names if name]


_NameOf = Callable[[ChatPerson], str | None]
# In a server: which of the names, and whether somebody who left still counts.
_STEPS: tuple[tuple[_NameOf, bool], ...] = (
    (lambda one: one.nickname, True),
    (lambda one: one.persona_nickname, False),
    (lambda one: one.saved_nickname, True),
    (lambda one: one.global_name, True),
    (lambda one: one.username, True),
)
