"""Decides who is pinged by a reply: those alone whom the conversation knows and the reply names as `[@Name]`.

Everything else that Discord could take for a mention stays text: `@everyone`, roles, and people who were not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from familiar_app.domain.ids import PersonKey

MAX_PINGS = 20
_NAMED = re.compile(r"\[@([^\[\]\n]{1,80})\]")
_RAW_PERSON = re.compile(r"<@!?(\d{1,20})>")
_RAW_ROLE = re.compile(r"<@&\d{1,20}>")
_EVERYONE = re.compile(r"@(?=everyone|here)", re.IGNORECASE)
_JOINER = "\u2060"
_PLATFORM = "discord:"


@dataclass(frozen=True, slots=True)
class Addressed:
    """A text as it is sent, and the numbers of the people it pings."""

    text: str
    people: frozenset[int] = frozenset()


def address(text: str, known: Mapping[PersonKey, str]) -> Addressed:
    """Turn `[@Name]` into mentions of known people. A name that fits nobody, or several, becomes plain `@Name`."""
    named = _unambiguous(known)
    labels = {number: label for key, label in known.items() if (number := user_number(key)) is not None}
    pinged: set[int] = set()

    def plain(match: re.Match[str]) -> str:
        return _as_text(labels.get(int(match[1]), "somebody"))

    def mention(match: re.Match[str]) -> str:
        number = named.get(_folded(match[1]))
        if number is None or (number not in pinged and len(pinged) >= MAX_PINGS):
            return _as_text(match[1])
        pinged.add(number)
        return f"<@{number}>"

    # Raw forms become text first, so that the only mentions left are those made here.
    text = _RAW_ROLE.sub("@role", _RAW_PERSON.sub(plain, text))
    return Addressed(_EVERYONE.sub(f"@{_JOINER}", _NAMED.sub(mention, text)), frozenset(pinged))


def pinged_in(part: str, people: Iterable[int]) -> list[int]:
    """Return who of `people` is mentioned in one part of a reply, in order."""
    return [number for number in sorted(people) if f"<@{number}>" in part]


def user_number(key: PersonKey) -> int | None:
    """Return the number Discord knows a person by; None for people of elsewhere."""
    platform, _, number = key.partition(":")
    return int(number) if platform == "discord" and number.isascii() and number.isdigit() else None


def user_key(number: int) -> PersonKey:
    """Return the key of the person with that number."""
    return PersonKey(f"{_PLATFORM}{number}")


def _as_text(name: str) -> str:
    """Return a name that mentions nobody, also where it is a number and stands between angle brackets."""
    return f"@{_JOINER}{name}" if name[:1].isdigit() or name[:1] in ("!", "&") else f"@{name}"


def _unambiguous(known: Mapping[PersonKey, str]) -> dict[str, int]:
    found: dict[str, int | None] = {}
    for key, label in known.items():
        number = user_number(key)
        if number is not None:
            name = _folded(label)
            found[name] = number if name not in found else None
    return {name: number for name, number in found.items() if number is not None}


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
