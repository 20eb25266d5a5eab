"""The fields of `lorebook.toml`: names that people can read, words instead of numbers, nothing that has to be there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import (
    SOURCES,
    CharacterFilter,
    Folder,
    LoreRole,
    Position,
    SecondaryLogic,
)
from familiar_app.domain.lorebook.fieldmap import Field, Note, Place, quiet
from familiar_app.domain.lorebook.kind import (
    DURATION,
    FLAG,
    INTEGER,
    LEVEL,
    MISSING,
    NATURAL,
    NUMBER,
    TEXT,
    TEXTS,
    Kind,
    Reading,
    word_kind,
)
from familiar_app.domain.text import tr_later
from familiar_app.interchange.lorebook.shape import Shape

_LOGIC = word_kind(SecondaryLogic)


def _read_sources(value: Any) -> Reading:
    if not isinstance(value, list):
        return Reading(MISSING, value is not None)
    known = tuple(name for name in SOURCES if name in value)
    return Reading(known, len(known) < len(value))


def _read_characters(value: Any) -> Reading:
    if not isinstance(value, Mapping):
        return Reading(None, value is not None)
    listed = [TEXTS.read(value.get(name)) for name in ("names", "tags")]
    names, tags = (() if one.value is MISSING else one.value for one in listed)
    wanted = CharacterFilter(value.get("exclude") is True, names, tags)
    return Reading(None if wanted == CharacterFilter() else wanted, any(one.mended for one in listed))


def _write_characters(value: CharacterFilter | None, _old: Any) -> Any:
    if value is None:
        return None
    return {"exclude": value.exclude, "names": list(value.names), "tags": list(value.tags)}


_SOURCE_LIST = Kind(_read_sources, lambda value, _: list(value))
_CHARACTERS = Kind(_read_characters, _write_characters)
_ALL_KEYS = Field("keys", "keys", TEXTS)


def wants_all_keys(raw: Mapping[str, Any]) -> bool:
    """Tell whether an entry asks for all of its keys by the short form."""
    return raw.get("selective") is True and "secondary_keys" not in raw


class _Keys(Field):
    """Primary or secondary keys; in the short form the first key is primary and the others are secondary."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        if not wants_all_keys(raw):
            return Field.read(self, raw, note)
        keys = _ALL_KEYS.read(raw, note)
        return keys[:1] if self.attribute == "keys" else keys[1:]


class _Logic(Field):
    """The logic of the secondary keys, which the short form implies."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        short = wants_all_keys(raw) and len(_ALL_KEYS.read(raw, quiet)) > 1
        return SecondaryLogic.AND_ALL if short else Field.read(self, raw, note)


NATIVE_FIELDS = (
    Field("comment", "name", TEXT),
    _Keys("keys", "keys", TEXTS),
    _Keys("secondary_keys", "secondary_keys", TEXTS),
    _Logic("logic", "secondary_logic", _LOGIC),
    Field("content", "content", TEXT),
    Field("enabled", "enabled", FLAG),
    Field("constant", "constant", FLAG),
    Field("selective", "use_secondary_keys", FLAG),
    Field("order", "order", NUMBER, (Place("priority", NUMBER),)),
    Field("position", "position", word_kind(Position)),
    Field("depth", "depth", NATURAL),
    Field("role", "role", word_kind(LoreRole)),
    Field("outlet_name", "outlet", TEXT),
    Field("probability", "probability", NUMBER),
    Field("use_probability", "use_probability", FLAG),
    Field("group", "group", TEXT),
    Field("group_override", "group_override", FLAG),
    Field("group_weight", "group_weight", NUMBER),
    Field("use_group_scoring", "use_group_scoring", FLAG),
    Field("scan_depth", "scan_depth", NATURAL),
    Field("case_sensitive", "case_sensitive", FLAG),
    Field("match_whole_words", "match_whole_words", FLAG),
    Field("use_regex", "use_regex", FLAG),
    Field("exclude_recursion", "exclude_recursion", FLAG),
    Field("prevent_recursion", "prevent_recursion", FLAG),
    Field("delay_until_recursion", "delay_until_recursion", LEVEL),
    Field("sticky", "sticky", DURATION),
    Field("cooldown", "cooldown", DURATION),
    Field("delay", "delay", DURATION),
    Field("ignore_budget", "ignore_budget", FLAG),
    Field("triggers", "triggers", TEXTS),
    Field("sources", "also_search", _SOURCE_LIST),
    Field("character_filter", "characters", _CHARACTERS),
    Field("vectorized", "vectorized", FLAG),
    Field("automation_id", "automation_id", TEXT),
    Field("display_index", "display_index", INTEGER),
    Field("priority", "keep_priority", NUMBER),
    Field("folder", "folder", TEXT),
    Field("foreign", "foreign", TEXT),
)


def _folders(value: Any) -> tuple[Folder, ...]:
    listed = value.get("folders") if isinstance(value, Mapping) else None
    found = []
    for raw in listed if isinstance(listed, list) else ():
        given = TEXT.read(raw.get("id")).value if isinstance(raw, Mapping) else MISSING
        if given is not MISSING:
            name = TEXT.read(raw.get("name")).value
            found.append(Folder(given, "" if name is MISSING else name, raw.get("enabled") is not False))
    return tuple(found)


NATIVE = Shape(
    name="familiar",
    entries_path="entries",
    uid_path="id",
    fields=NATIVE_FIELDS,
    book_fields=(
        Field("name", "name", TEXT, default=""),
        Field("description", "description", TEXT, default=""),
        Field("scan_depth", "scan_depth", NATURAL, default=None),
        Field("token_budget", "token_budget", NATURAL, default=None),
        Field("recursive", "recursive", FLAG, default=None),
        Field("foreign", "foreign", TEXT, default=""),
    ),
    unused={"selective": tr_later("the short form for all keys")},
    read_folders=_folders,
)
