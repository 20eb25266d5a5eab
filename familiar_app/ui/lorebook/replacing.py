"""Search and replace over the entries of a book: what would change is worked out first, then put in as one step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import regex

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.ui.lorebook.merge import Uid

TIME_S = 1.0
AROUND = 24
FIELDS = (("comment", tr_later("Names")), ("keys", "Keys"), ("content", tr_later("Contents")))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, and what stands in its place; `fields` are some of `FIELDS`."""

    find: str
    put: str = ""
    pattern: bool = False
    capitals: bool = False
    fields: frozenset[str] = frozenset({"comment", "keys", "content"})


@dataclass(frozen=True, slots=True)
class Place:
    """One text that would change: whose it is, and how it reads around the first change."""

    uid: Uid
    entry: str
    where: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What would change: entries as they were and as they would be. `problem` says why there is nothing."""

    places: tuple[Place, ...] = ()
    changes: dict[Uid, tuple[LoreEntry, LoreEntry]] = field(default_factory=dict)
    count: int = 0
    problem: str = ""


class _Replacer:
    """Replaces in one text after another until the time is up."""

    def __init__(self, wanted: Wanted, time_s: float, clock: Callable[[], float]) -> None:
        flags = regex.V0 | (0 if wanted.capitals else regex.IGNORECASE)
        self._found = regex.compile(wanted.find if wanted.pattern else regex.escape(wanted.find), flags)
        self._put = wanted.put if wanted.pattern else wanted.put.replace("\\", "\\\\")
        self._clock, self._end = clock, clock() + time_s
        self.count = 0
        self.span = (0, 0)

    def __call__(self, text: str) -> str:
        """Raise TimeoutError, or regex.error where the replacement is none."""
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError
        first = self._found.search(text, timeout=left)
        if first is None:
            return text
        made, count = self._found.subn(self._put, text, timeout=left)
        self.count += count if made != text else 0
        self.span = first.span()
        return made


def plan(
    entries: Iterable[LoreEntry],
    wanted: Wanted,
    *,
    time_s: float = TIME_S,
    clock: Callable[[], float] = time.monotonic,
) -> Plan:
    """Work out what would change; blocks for at most about `time_s`. Nothing changes where that is not enough."""
    if not wanted.find or not wanted.fields:
        return Plan()
    places: list[Place] = []
    changes: dict[Uid, tuple[LoreEntry, LoreEntry]] = {}
    try:
        replacer = _Replacer(wanted, time_s, clock)
        for entry in entries:
            made = _replaced(entry, wanted, replacer, places)
            if made != entry:
                changes[entry.uid] = (entry, made)
    except TimeoutError:
        return Plan(problem=tr("The pattern takes too long. Nothing would be changed."))
    except (regex.error, IndexError, OverflowError, RecursionError) as error:
        return Plan(problem=tr("That is no pattern: {reason}.", reason=error))
    return Plan(tuple(places), changes, replacer.count)


def _replaced(entry: LoreEntry, wanted: Wanted, replacer: _Replacer, places: list[Place]) -> LoreEntry:
    made = entry
    for name in ("comment", "content"):
        if name in wanted.fields:
            text = getattr(entry, name)
            new = replacer(text)
            if new != text:
                made = replace(made, **{name: new})
                where = _part("name" if name == "comment" else name)
                places.append(Place(entry.uid, entry.name, where, *_around(text, new, replacer.span)))
    if "keys" in wanted.fields:
        for name, where in (("keys", _part("keys")), ("secondary_keys", _part("secondary keys"))):
            keys = getattr(entry, name)
            new_keys = tuple(dict.fromkeys(key for key in map(replacer, keys) if key.strip()))
            if new_keys != keys and any(old not in new_keys for old in keys):
                made = replace(made, **{name: new_keys})
                places.append(Place(entry.uid, entry.name, where, ", ".join(keys), ", ".join(new_keys)))
    return made


def _part(word: str) -> str:
    return {
        "name": lambda: ptr("part of a lorebook entry", "name"),
        "content": lambda: ptr("part of a lorebook entry", "content"),
        "keys": lambda: ptr("part of a lorebook entry", "keys"),
        "secondary keys": lambda: ptr("part of a lorebook entry", "secondary keys"),
    }[word]()


def _around(before: str, after: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return both texts near the first change."""
    start = max(0, span[0] - AROUND)
    end = span[1] + AROUND
    head = "…" if start else ""
    grown = max(end + len(after) - len(before), span[0])
    return (
        f"{head}{before[start:end]}{'…' if end < len(before) else ''}",
        f"{head}{after[start : max(grown, end)]}{'…' if max(grown, end) < len(after) else ''}",
    )
