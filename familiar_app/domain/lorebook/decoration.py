"""What the decorators in an entry's content ask for: other settings, conditions, further keys.

Those of V3 cards and of RisuAI that have a meaning here are read. The others, and those with a value that can't be
used, are `idle`: they are kept out of the prompt and told of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal

from familiar_app.domain.lorebook.decorators import (
    ACTIVATE,
    DONT_ACTIVATE,
    FALLBACK_SIGN,
    SIGN,
    chains,
    has_decorators,
    parse_decorators,
    split_decorators,
)
from familiar_app.domain.lorebook.entry import LoreEntry, LoreRole, Position
from familiar_app.domain.lorebook.keysplit import split_keys
from familiar_app.domain.lorebook.rules import Rules
from familiar_app.domain.text import tr, tr_later

FOREVER = 1_000_000_000
"""A number of messages that no chat reaches."""
KEEPS, RESTS = "@@keep_activate_after_match", "@@dont_activate_after_match"
_KEPT_TEXTS = 8192
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")

Change = dict[str, Any]
Reader = Callable[[str], Change | None]


_WHY_IDLE = {
    "unknown": tr_later("The decorator {name} is not known here, so it has no effect."),
    "value": tr_later("The decorator {name} has a value that can't be used, so it has no effect."),
    "beaten": tr_later("Another decorator goes before {name}, so it has no effect."),
    "role": tr_later("The decorator {name} counts among the turns only, so it has no effect."),
}


@dataclass(frozen=True, slots=True)
class Idle:
    """A decorator that does nothing here, and why."""

    name: str
    why: Literal["unknown", "value", "beaten", "role"]

    @property
    def text(self) -> str:
        """Return a sentence for people."""
        return tr(_WHY_IDLE[self.why], name=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoration:
    """What the decorators of one entry ask for. `changes` are settings of the entry that they put others in place of.

    `only_after` and `only_every` count what the character said. Of each list in `needed` one key has to be there, none
    of `banned`, and not all of `banned_together`. `rank` takes the place of the order where room is scarce; what
    `gives_way` goes out first. What `recurses` wakes others even where recursion is off. `from_start` counts its depth
    from the oldest line.
    """

    changes: tuple[tuple[str, Any], ...] = ()
    activate: bool = False
    dont_activate: bool = False
    only_after: int = 0
    only_every: int = 0
    greeting: int | None = None
    needed: tuple[tuple[str, ...], ...] = ()
    banned: tuple[str, ...] = ()
    banned_together: tuple[str, ...] = ()
    rank: float | None = None
    gives_way: bool = False
    recurses: bool = False
    from_start: bool = False
    idle: tuple[Idle, ...] = ()

    @property
    def further_keys(self) -> tuple[tuple[Any, ...], ...]:
        """The lists of keys that count beside the entry's own."""
        return self.needed, self.banned, self.banned_together

    @property
    def is_conditional(self) -> bool:
        """Tell whether it can keep an entry out whose keys are there."""
        by_count = self.only_after or self.only_every or self.greeting is not None
        return bool(self.dont_activate or by_count or any(self.further_keys))


PLAIN = Decoration()


def read_content(content: str, rules: Rules) -> tuple[Decoration, str]:
    """Return what the decorators ask for and the content without any; what was read is kept."""
    if not has_decorators(content):
        return PLAIN, content
    if rules.obeys_decorators:
        return _read(content)
    names, text = parse_decorators(content)
    return Decoration(activate=ACTIVATE in names, dont_activate=DONT_ACTIVATE in names), text


def decorated(entry: LoreEntry, rules: Rules) -> LoreEntry:
    """Return the entry with the settings that its decorators ask for."""
    changes = read_content(entry.content, rules)[0].changes
    return replace(entry, **dict(changes)) if changes else entry


def setting_of(entry: LoreEntry, name: str, rules: Rules) -> Any:
    """Return one setting of an entry as its decorators leave it."""
    changes = read_content(entry.content, rules)[0].changes
    return next((value for changed, value in changes if changed == name), getattr(entry, name))


def idle_decorators(entry: LoreEntry, rules: Rules) -> tuple[Idle, ...]:
    """Return the decorators of an entry that do nothing under these rules."""
    marks, _ = read_content(entry.content, rules)
    if "role" in dict(marks.changes) and decorated(entry, rules).position is not Position.AT_DEPTH:
        return (*marks.idle, Idle("@@role", "role"))
    return marks.idle


@lru_cache(maxsize=_KEPT_TEXTS)
def _read(content: str) -> tuple[Decoration, str]:
    lines, text = split_decorators(content)
    found: dict[str, tuple[str, Change]] = {}
    needed: list[tuple[str, ...]] = []
    idle: list[Idle] = []
    for chain in chains(lines):
        name, slot, change = _first_usable(chain)
        if change is None:
            idle.append(Idle(name, "value" if slot else "unknown"))
        elif slot == "needed":
            needed.append(change["needed"])
        elif slot in found:
            idle.append(Idle(name, "beaten"))
        else:
            found[slot] = (name, change)
    for winner, loser in _GOES_BEFORE:
        if winner in found and loser in found:
            idle.append(Idle(found.pop(loser)[0], "beaten"))
    merged = {name: value for _, change in found.values() for name, value in change.items()}
    changes = tuple((name, merged.pop(name)) for name in list(merged) if name in _ENTRY_FIELDS)
    return Decoration(changes=changes, needed=tuple(needed), idle=tuple(idle), **merged), text


def _first_usable(chain: list[str]) -> tuple[str, str, Change | None]:
    """Return name, slot and change of the first line that can be used; else those of the first line, without one."""
    missed: tuple[str, str, None] | None = None
    orphaned = chain[0].startswith(FALLBACK_SIGN)
    for line in chain:
        mark = FALLBACK_SIGN if line.startswith(FALLBACK_SIGN) else SIGN
        parts = line[len(mark) :].split(maxsplit=1)
        name, value = (*parts, "", "")[:2]
        slot, read = ("", _refuse) if orphaned else _READERS.get(name, ("", _refuse))
        change = read(value.strip())
        if change is not None:
            return SIGN + name, slot, change
        missed = missed or (mark + name, slot, None)
    return missed or ("", "", None)


def _refuse(_value: str) -> None:
    return None


def _flag(**change: Any) -> Reader:
    return lambda value: change if value.lower() in ("", "true") else None


def _whole(make: Callable[[int], Change], least: int = 0, lift: int | None = None) -> Reader:
    """Read a whole number; one that is too small is refused, or lifted to `lift`."""

    def read(value: str) -> Change | None:
        number = int(value) if _WHOLE.fullmatch(value) else None
        if number is not None and number < least:
            number = lift
        return None if number is None else make(number)

    return read


def _number(make: Callable[[float], Change], least: float = -FOREVER, most: float = FOREVER) -> Reader:
    def read(value: str) -> Change | None:
        number = float(value) if _NUMBER.fullmatch(value) else None
        return None if number is None or not least <= number <= most else make(number)

    return read


def _keys(name: str) -> Reader:
    return lambda value: {name: tuple(keys)} if (keys := split_keys(value)) else None


def _choice(name: str, choices: dict[str, Any]) -> Reader:
    return lambda value: {name: choices[value]} if value in choices else None


def _at_depth(depth: int, *, from_start: bool = False) -> Change:
    return {"position": Position.AT_DEPTH, "depth": depth} | ({"from_start": True} if from_start else {})


_ROLES = {"system": LoreRole.SYSTEM, "user": LoreRole.USER, "assistant": LoreRole.ASSISTANT}
_POSITIONS = {"before_desc": Position.BEFORE, "after_desc": Position.AFTER}
_ENTRY_FIELDS = frozenset(one.name for one in fields(LoreEntry))
_GOES_BEFORE = (("position", "depth"), ("position", "from_start"), ("depth", "from_start"))
_READERS: dict[str, tuple[str, Reader]] = {
    "activate": ("activate", _flag(activate=True)),
    "dont_activate": ("dont_activate", _flag(dont_activate=True)),
    "activate_only_after": ("after", _whole(lambda n: {"only_after": n})),
    "activate_only_every": ("every", _whole(lambda n: {"only_every": n}, least=1)),
    "keep_activate_after_match": ("keeps", _flag(sticky=FOREVER)),
    "dont_activate_after_match": ("rests", _flag(cooldown=FOREVER)),
    "depth": ("depth", _whole(_at_depth, lift=0)),
    "end": ("depth", _flag(**_at_depth(0))),
    "reverse_depth": ("from_start", _whole(lambda n: _at_depth(n, from_start=True), lift=0)),
    "role": ("role", _choice("role", _ROLES)),
    "position": ("position", _choice("position", _POSITIONS)),
    "scan_depth": ("scan_depth", _whole(lambda n: {"scan_depth": n})),
    "is_greeting": ("greeting", _whole(lambda n: {"greeting": n})),
    "ignore_on_max_context": ("gives_way", _flag(gives_way=True)),
    "additional_keys": ("needed", _keys("needed")),
    "exclude_keys": ("banned", _keys("banned")),
    "exclude_keys_all": ("banned_together", _keys("banned_together")),
    "probability": ("chance", _number(lambda n: {"probability": n, "use_probability": True}, least=0, most=100)),
    "priority": ("rank", _number(lambda n: {"rank": n})),
    "match_full_word": ("words", _flag(match_whole_words=True)),
    "match_partial_word": ("words", _flag(match_whole_words=False)),
    "recursive": ("recursion", _flag(recurses=True, prevent_recursion=False)),
    "unrecursive": ("recursion", _flag(prevent_recursion=True)),
    "no_recursive_search": ("recursed", _flag(exclude_recursion=True)),
}
"""By name: the slot, of which the first one counts, and what reads the value."""
