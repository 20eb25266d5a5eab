"""Maps between the entries of a foreign format and ours, field by field, in both directions.

Writing lays an entry over the raw object it came from: only fields whose meaning changed are touched, so what is
unknown here and every odd but harmless spelling survive.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from familiar_app.domain.lorebook.entry import SOURCES, LoreEntry
from familiar_app.domain.lorebook.kind import MISSING, Kind
from familiar_app.domain.text import tr, tr_later

What = Literal["defaulted", "repaired", "merged"]
Note = Callable[[str, What, str], None]
"""Called with a field's name, what happened to it, and a detail."""
Values = dict[str, Any]

NO_USE = tr_later("the value is no use and is missing")
_OTHER_FORM = tr_later("the value has another form than it should")
_ENTRY = LoreEntry(uid=0)


def quiet(_field: str, _what: What, _detail: str) -> None:
    """Take a note and forget it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A path such as `extensions.depth` in a raw object, and the kind of value that stands there."""

    path: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a format: our attribute and where it stands.

    `also` are further places that are looked into, in order, where the first says nothing usable; they are kept in
    step where they exist. With `skip_blank` an empty text says nothing. A `required` field is written always, and
    reported when it is missing. `default` is the format's own where that differs from ours.
    """

    attribute: str
    path: str
    kind: Kind
    also: tuple[Place, ...] = ()
    required: bool = False
    default: Any = MISSING
    skip_blank: bool = False

    places: tuple[Place, ...] = field(init=False, repr=False, compare=False)
    """All places, the preferred one first."""
    fallback: Any = field(init=False, repr=False, compare=False)
    """The value of a missing field."""
    lone: bool = field(init=False, repr=False, compare=False)
    """Whether it stands at one place, at the top, and need not be there."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", (Place(self.path, self.kind), *self.also))
        object.__setattr__(self, "fallback", self._default())
        object.__setattr__(self, "lone", not self.also and not self.required and "." not in self.path)

    def _default(self) -> Any:
        if self.default is not MISSING:
            return self.default
        return False if self.attribute.startswith("source.") else getattr(_ENTRY, self.attribute)

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        """Read the field; what can't be used counts as missing and is reported."""
        if self.lone and self.path not in raw:
            return self.fallback
        found: list[tuple[str, Any]] = []
        for place in self.places:
            value = get_path(raw, place.path)
            if value is MISSING:
                continue
            reading = place.kind.read(value)
            usable = reading.value is not MISSING and not (self.skip_blank and reading.value == "")
            if usable:
                found.append((place.path, reading.value))
            if reading.mended:
                detail = _OTHER_FORM if usable else NO_USE
                note(place.path, "repaired", tr(detail))
        if not found:
            if self.required:
                note(self.path, "defaulted", tr("the field is missing"))
            return self.fallback
        if len(found) > 1:
            self._note_quarrel(found, note)
        return found[0][1]

    def write(self, target: dict[str, Any], value: Any) -> None:
        """Write the field wherever it stands, and at its preferred place where that would not be enough."""
        present = [place for place in self.places if get_path(target, place.path) is not MISSING]
        for place in present or self.places[:1]:
            set_path(target, place.path, place.kind.write(value, get_path(target, place.path)))
        if self.read(target, quiet) != value:
            set_path(target, self.path, self.kind.write(value, get_path(target, self.path)))

    def _note_quarrel(self, found: list[tuple[str, Any]], note: Note) -> None:
        if self.skip_blank:
            return
        for path, value in found[1:]:
            if value != found[0][1]:
                note(
                    self.path,
                    "merged",
                    tr("{field} and {other} disagree; {field} is used", field=found[0][0], other=path),
                )


def read_values(raw: Mapping[str, Any], mapped: Iterable[Field], note: Note) -> Values:
    """Read all mapped fields of a raw entry."""
    return {one.attribute: one.read(raw, note) for one in mapped}


def entry_from_values(uid: int | str, values: Mapping[str, Any]) -> LoreEntry:
    """Make an entry; the flags `source.…` become its list of sources."""
    plain = {name: value for name, value in values.items() if not name.startswith("source.")}
    if any(name.startswith("source.") for name in values):
        plain["sources"] = tuple(name for name in SOURCES if values.get(f"source.{name}"))
    return LoreEntry(uid=uid, **plain)


def values_of(entry: LoreEntry) -> Values:
    """Return an entry's fields, and its sources as flags too."""
    values = {one.name: getattr(entry, one.name) for one in fields(entry)}
    return values | {f"source.{name}": name in entry.sources for name in SOURCES}


def lay_over(raw: Mapping[str, Any], values: Mapping[str, Any], mapped: Iterable[Field]) -> dict[str, Any]:
    """Return a copy of `raw` in which every field that reads differently says what `values` say.

    The meaning of one field may hang on another, so fields are looked at a second time.
    """
    target = copy.deepcopy(dict(raw))
    listed = tuple(mapped)
    for one in (*listed, *listed):
        if one.read(target, quiet) != values[one.attribute]:
            one.write(target, values[one.attribute])
    return target


def write_fresh(values: Mapping[str, Any], mapped: Iterable[Field], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new raw object: `base` with every field that is required or not at its default."""
    target = copy.deepcopy(dict(base))
    listed = tuple(mapped)
    for one in (*listed, *listed):
        value = values[one.attribute]
        if one.required or value != one.read(target, quiet):
            one.write(target, value)
    return target


def get_path(raw: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a path, `MISSING` where nothing does."""
    if "." not in path:
        return raw.get(path, MISSING)
    value: Any = raw
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return MISSING
        value = value[name]
    return value


def set_path(target: dict[str, Any], path: str, value: Any) -> None:
    """Put a value at a path, making the objects on the way."""
    *parents, name = path.split(".")
    for parent in parents:
        inner = target.get(parent)
        if not isinstance(inner, dict):
            inner = target[parent] = {}
        target = inner
    target[name] = value
