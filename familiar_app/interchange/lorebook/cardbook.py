"""Character books: those inside cards, the standalone list, and `lorebook_v3` files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import Position
from familiar_app.domain.lorebook.fieldmap import NO_USE, Field, Note, Place, get_path
from familiar_app.domain.lorebook.kind import FLAG, MISSING, NUMBER, TEXT, TEXTS, Kind, Reading
from familiar_app.domain.lorebook.worldentry import WORLD_FIELDS, snake_name
from familiar_app.domain.text import tr, tr_later
from familiar_app.interchange.lorebook.shape import Shape
from familiar_app.interchange.lorebook.world import BOOK_SETTINGS

_OWN_FIELDS = {"keys", "secondary_keys", "comment", "content", "constant", "selective", "order", "enabled"}
_ODD_EXTENSION_NAMES = {"selectiveLogic": "selectiveLogic", "useProbability": "useProbability"}
_ST_MARKS = ("selectiveLogic", "position", "display_index", "automation_id")
_SLASHED = re.compile(r"\s*/.+/[a-z]*\s*\Z", re.DOTALL)


def _read_word(value: Any) -> Reading:
    words = {"before_char": Position.BEFORE, "after_char": Position.AFTER}
    if isinstance(value, str) and value in words:
        return Reading(words[value])
    return Reading(MISSING, value not in (None, ""))


POSITION_WORD = Kind(_read_word, lambda value, _: "before_char" if value is Position.BEFORE else "after_char")


class _UseRegex(Field):
    """Whether keys are patterns. Programs that always say yes and write patterns in slashes mean "as written"."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        said = get_path(raw, self.path)
        if not isinstance(said, bool):
            if said is not MISSING and said is not None:
                note(self.path, "repaired", tr(NO_USE))
            return None
        extensions = raw.get("extensions")
        if isinstance(extensions, Mapping) and any(mark in extensions for mark in _ST_MARKS):
            return None
        keys = _texts(raw.get("keys"))
        slashed = [bool(_SLASHED.match(key)) for key in keys]
        plain = not raw.get("constant") and not raw.get("secondary_keys")
        if (said and keys and all(slashed) and plain) or (not said and not any(slashed)):
            return None
        return said

    def write(self, target: dict[str, Any], value: Any) -> None:
        slashed = any(_SLASHED.match(key) for key in _texts(target.get("keys")))
        target[self.path] = slashed if value is None else value


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _extension_name(path: str) -> str:
    return _ODD_EXTENSION_NAMES.get(path) or snake_name(path)


def _extension_field(field: Field) -> Field:
    """Place a setting under `extensions`, and find it in the file spelling too."""
    name = _extension_name(field.path)
    paths = [f"extensions.{field.path}", field.path] if name != field.path else [field.path]
    also = [Place(path, field.kind) for path in paths if path != "position"]
    if field.attribute == "position":
        also = [Place("position", POSITION_WORD)]
    if field.attribute == "case_sensitive":
        return Field("case_sensitive", "case_sensitive", FLAG, (Place(f"extensions.{name}", FLAG), *also))
    return Field(field.attribute, f"extensions.{name}", field.kind, tuple(also))


def _fields(*, v3: bool) -> tuple[Field, ...]:
    own = (
        Field("keys", "keys", TEXTS, required=True),
        Field("secondary_keys", "secondary_keys", TEXTS),
        Field("content", "content", TEXT, required=True),
        Field("comment", "comment", TEXT, (Place("name", TEXT),), skip_blank=True),
        Field("constant", "constant", FLAG),
        Field("selective", "selective", FLAG, default=False),
        Field("order", "insertion_order", NUMBER, required=True),
        Field("enabled", "enabled", FLAG, required=True),
        Field("priority", "priority", NUMBER),
        Field("folder", "folder", TEXT),
    )
    extensions = tuple(_extension_field(field) for field in WORLD_FIELDS if field.attribute not in _OWN_FIELDS)
    return (*own, *extensions, _UseRegex("use_regex", "use_regex", FLAG, required=v3))


_UNUSED = {"mode": tr_later("the kind of entry has no effect here")}
_SETTINGS = (Field("name", "name", TEXT, default=""), *BOOK_SETTINGS)
_ENTRY_BASE = {"keys": [], "content": "", "extensions": {}, "enabled": True, "insertion_order": 100}

BOOK_V2 = Shape(
    name="book-v2",
    relatives=("lorebook-v3",),
    entries_path="entries",
    uid_path="id",
    fields=_fields(v3=False),
    book_fields=_SETTINGS,
    entry_base=_ENTRY_BASE | {"position": "before_char", "selective": False},
    book_base={"extensions": {}, "entries": []},
    unused=_UNUSED,
)
BOOK_V3 = Shape(
    name="lorebook-v3",
    relatives=("book-v2",),
    entries_path="entries",
    uid_path="id",
    fields=_fields(v3=True),
    book_fields=_SETTINGS,
    entry_base=_ENTRY_BASE | {"position": "before_char", "selective": False, "use_regex": False},
    book_base={"extensions": {}, "entries": []},
    unused=_UNUSED,
)


def is_character_book(shape: Shape) -> bool:
    """Tell whether a shape is that of a character book, of either version."""
    return shape is BOOK_V2 or shape is BOOK_V3
