"""Maps between the entries of a foreign format and ours, field by field, in both directions.

Writing lays an entry over the raw object it came from: only fields whose meaning changed are touched, so what is
unknown here and every odd but harmless spelling survive.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from familiar_app.domain.lorebook.entry import SOURCES, LoreEntry
from familiar_app.domain.lorebook.kind import MISSING, Kind

Note = Callable[[str, str, str], None]
"""Called with a field's name, a word of the report (`repaired`, `defaulted` …) and a detail."""
Values = dict[str, Any]

DEFAULTS: Values = {
    field.name: getattr(LoreEntry(uid=0), field.name) for field in fields(LoreEntry) if field.name != "uid"
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a format: our attribute, where it stands (`a.b` is inside an object), and its kind.

    `also` are other places where it is looked for, and written to where it stands there. A `required` field is
    reported when it is missing. `default` is the format's own where that differs from ours.
    """

    attribute: str
    path: str
    kind: Kind
    also: tuple[str, ...] = ()
    required: bool = False
    default: Any = MISSING

    @property
    def fallback(self) -> Any:
        """The value of a missing field."""
        if self.default is not MISSING:
            return self.default
        return False if self.attribute.startswith("source.") else DEFAULTS.get(self.attribute)


def read_values(raw: Mapping[str, Any], mapped: Iterable[Field], note: Note) -> Values:
    """Read all mapped fields of a raw entry."""
    return {field.attribute: read_field(raw, field, note) for field in mapped}


def read_field(raw: Mapping[str, Any], field: Field, note: Note) -> Any:
    """Read one field; what can't be used counts as missing and is reported."""
    for path in (field.path, *field.also):
        value = _get(raw, path)
        if value is MISSING:
            continue
        reading = field.kind.read(value)
        if reading.value is MISSING:
            if reading.mended:
                note(path, "repaired", "the value cannot be used and counts as missing")
            continue
        if reading.mended:
            note(path, "repaired", "the value has another type than it should")
        return reading.value
    if field.required:
        note(field.path, "defaulted", "the field is missing")
    return field.fallback


def entry_from_values(uid: int | str, values: Mapping[str, Any]) -> LoreEntry:
    """Make an entry; the flags `source.…` become its list of sources."""
    plain = {name: value for name, value in values.items() if not name.startswith("source.")}
    if any(name.startswith("source.") for name in values):
        plain["sources"] = tuple(name for name in SOURCES if values.get(f"source.{name}"))
    return LoreEntry(uid=uid, **plain)


def values_of(entry: LoreEntry) -> Values:
    """Return an entry's fields, its sources as flags."""
    values = {field.name: getattr(entry, field.name) for field in fields(entry)}
    sources = values.pop("sources")
    return values | {f"source.{name}": name in sources for name in SOURCES}


def lay_over(raw: Mapping[str, Any], entry: LoreEntry, mapped: Iterable[Field], *, fresh: bool = False) -> Values:
    """Return a copy of `raw` with what differs in `entry` written into it.

    A `fresh` one has no source: every field is written that is required or differs from the format's default.
    """
    target = copy.deepcopy(dict(raw))
    values = values_of(entry)
    for field in mapped:
        value = values[field.attribute]
        if fresh:
            if field.required or value != field.fallback:
                _set(target, field.path, field.kind.write(value))
        elif read_field(raw, field, _quiet) != value:
            present = [path for path in (field.path, *field.also) if _get(raw, path) is not MISSING]
            for path in present or [field.path]:
                _set(target, path, field.kind.write(value))
    return target


def unmapped(entry: LoreEntry, mapped: Iterable[Field]) -> list[str]:
    """Return the attributes that say something a format has no place for."""
    known = {field.attribute for field in mapped}
    usual = values_of(LoreEntry(uid=entry.uid))
    return [name for name, value in values_of(entry).items() if name not in known and value != usual[name]]


def _quiet(_field: str, _what: str, _detail: str) -> None:
    """Take a note and forget it."""


def _get(raw: Mapping[str, Any], path: str) -> Any:
    value: Any = raw
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return MISSING
        value = value[name]
    return value


def _set(target: dict[str, Any], path: str, value: Any) -> None:
    *parents, name = path.split(".")
    for parent in parents:
        inner = target.get(parent)
        if not isinstance(inner, dict):
            inner = target[parent] = {}
        target = inner
    target[name] = value
