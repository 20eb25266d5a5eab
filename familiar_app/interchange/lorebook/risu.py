"""RisuAI's lorebook files and unpacked modules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import Folder
from familiar_app.domain.lorebook.fieldmap import Field, Note, get_path
from familiar_app.domain.lorebook.kind import FLAG, NUMBER, TEXT, whole_text
from familiar_app.domain.text import tr_later
from familiar_app.interchange.lorebook.keylist import JOINED
from familiar_app.interchange.lorebook.shape import Shape

_FOLDER_MODE = "folder"


_SLASHED = re.compile(r"\s*/.+/[a-z]*\s*\Z", re.DOTALL)


class _UseRegex(Field):
    """Whether the key is one pattern. Where that is also plain from how it is written, nothing more is said."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        said, key = Field.read(self, raw, note), raw.get("key")
        slashed = isinstance(key, str) and _SLASHED.match(key) is not None
        return None if said == slashed else said

    def write(self, target: dict[str, Any], value: Any) -> None:
        key = target.get("key")
        slashed = isinstance(key, str) and _SLASHED.match(key) is not None
        Field.write(self, target, slashed if value is None else value)


class _Keys(Field):
    """Keys in one text with commas, or one single pattern."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        said = get_path(raw, self.path)
        if raw.get("useRegex") is True and isinstance(said, str):
            return (whole_text(said),) if said.strip() else ()
        return Field.read(self, raw, note)

    def write(self, target: dict[str, Any], value: Any) -> None:
        if target.get("useRegex") is True:
            target[self.path] = value[0] if len(value) == 1 else "|".join(f"(?:{key})" for key in value)
        else:
            Field.write(self, target, value)


def _is_entry(raw: Mapping[str, Any]) -> bool:
    return raw.get("mode") != _FOLDER_MODE


def _folders_at(path: str, value: Any) -> tuple[Folder, ...]:
    listed = get_path(value, path) if isinstance(value, Mapping) else None
    found = [raw for raw in (listed if isinstance(listed, list) else []) if isinstance(raw, Mapping)]
    return tuple(
        Folder(whole_text(raw["key"]), whole_text(str(raw.get("comment") or "")))
        for raw in found
        if raw.get("mode") == _FOLDER_MODE and isinstance(raw.get("key"), str)
    )


_FIELDS = (
    _UseRegex("use_regex", "useRegex", FLAG, default=False),
    _Keys("keys", "key", JOINED, required=True),
    _Keys("secondary_keys", "secondkey", JOINED),
    Field("comment", "comment", TEXT),
    Field("content", "content", TEXT, required=True),
    Field("order", "insertorder", NUMBER, required=True),
    Field("constant", "alwaysActive", FLAG),
    Field("selective", "selective", FLAG, default=False),
    Field("probability", "activationPercent", NUMBER),
    Field("folder", "folder", TEXT),
)
_UNUSED = {
    "mode": tr_later("the kind of entry has no effect here"),
    "extentions": tr_later("foreign settings are not used"),
    "loreCache": tr_later("a cache of that program"),
    "bookVersion": tr_later("the version of that program's book"),
    "id": tr_later("the id is not used"),
}
_ENTRY_BASE = {
    "key": "", "secondkey": "", "comment": "", "content": "", "mode": "normal", "insertorder": 100,
    "alwaysActive": False, "selective": False, "useRegex": False,
}  # fmt: skip

RISU = Shape(
    name="risu",
    entries_path="data",
    fields=_FIELDS,
    implied={"match_whole_words": False, "case_sensitive": False},
    entry_base=_ENTRY_BASE,
    book_base={"type": "risu", "ver": 1, "data": []},
    unused=_UNUSED,
    is_entry=_is_entry,
    read_folders=lambda value: _folders_at("data", value),
)
RISU_MODULE = Shape(
    name="risu",
    variant="module",
    entries_path="module.lorebook",
    fields=_FIELDS,
    book_fields=(
        Field("name", "module.name", TEXT, default=""),
        Field("description", "module.description", TEXT, default=""),
    ),
    implied={"match_whole_words": False, "case_sensitive": False},
    entry_base=_ENTRY_BASE,
    unused=_UNUSED,
    is_entry=_is_entry,
    read_folders=lambda value: _folders_at("module.lorebook", value),
)
