"""World info of KoboldAI (Lite arrays and old stories), and lists of AI Dungeon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from familiar_app.domain.lorebook.entry import SecondaryLogic
from familiar_app.domain.lorebook.fieldmap import Field, Note, Place, quiet
from familiar_app.domain.lorebook.kind import FLAG, NUMBER, OPPOSITE, TEXT
from familiar_app.domain.text import tr, tr_later
from familiar_app.interchange.lorebook.keylist import JOINED
from familiar_app.interchange.lorebook.shape import Shape

_WANTED = Field("secondary_keys", "keysecondary", JOINED)
_UNWANTED = Field("secondary_keys", "keyanti", JOINED)


def _is_anti(raw: Mapping[str, Any]) -> bool:
    """Tell whether the entry's condition is that words are absent."""
    return bool(_UNWANTED.read(raw, quiet)) and not _WANTED.read(raw, quiet)


class _Secondary(Field):
    """Secondary keys stand in one field where they are wanted, in another where they must be absent."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:
        wanted, unwanted = _WANTED.read(raw, note), _UNWANTED.read(raw, note)
        if wanted and unwanted:
            note("keyanti", "merged", tr("words that must be absent count only where there are no secondary keys"))
        return unwanted if _is_anti(raw) else wanted

    def write(self, target: dict[str, Any], value: Any) -> None:
        (_UNWANTED if _is_anti(target) else _WANTED).write(target, value)


class _Logic(Field):
    """The logic is said by the field in which the secondary keys stand."""

    __slots__ = ()

    def read(self, raw: Mapping[str, Any], note: Note) -> Any:  # noqa: ARG002 - nothing here can be odd
        return SecondaryLogic.NOT_ANY if _is_anti(raw) else SecondaryLogic.AND_ANY

    def write(self, target: dict[str, Any], value: Any) -> None:
        keys = (_UNWANTED if _is_anti(target) else _WANTED).read(target, quiet)
        absent = value in (SecondaryLogic.NOT_ANY, SecondaryLogic.NOT_ALL)
        _WANTED.write(target, () if absent else keys)
        _UNWANTED.write(target, keys if absent else ())


_FIELDS = (
    Field("keys", "key", JOINED, required=True),
    _Secondary("secondary_keys", "keysecondary", JOINED),
    _Logic("logic", "keyanti", JOINED),
    Field("content", "content", TEXT, required=True),
    Field("comment", "comment", TEXT),
    Field("selective", "selective", FLAG, default=False),
    Field("constant", "constant", FLAG),
    Field("probability", "probability", NUMBER),
    Field("enabled", "widisabled", OPPOSITE),
)
_UNUSED = {"keysecondary": tr_later("said already"), "keyanti": tr_later("said already")}
_IMPLIED = {"match_whole_words": False, "case_sensitive": False}
_BASE = {
    "key": "", "keysecondary": "", "keyanti": "", "content": "", "comment": "", "folder": None, "selective": False,
    "constant": False, "probability": 100, "wigroup": "", "widisabled": False,
}  # fmt: skip

KOBOLD = Shape(
    name="kobold",
    entries_path="",
    fields=(*_FIELDS, Field("folder", "wigroup", TEXT)),
    implied=_IMPLIED,
    entry_base=_BASE,
    book_base=[],
    unused={"folder": tr_later("the folder of an older program is not used")},
)
KOBOLD_STORY = Shape(
    name="kobold",
    variant="story",
    entries_path="worldinfo",
    fields=(*_FIELDS, Field("folder", "wigroup", TEXT, (Place("folder", TEXT),), skip_blank=True)),
    implied=_IMPLIED,
    entry_base=_BASE,
    unused={"num": tr_later("the number is not used"), "init": tr_later("a mark of that program")},
)
KOBOLD_V2 = Shape(
    name="kobold",
    variant="list",
    entries_path="worldinfo_v2.entries",
    keyed=True,
    fields=_FIELDS,
    implied=_IMPLIED,
    entry_base=_BASE | {"key": [], "keysecondary": []},
)
AI_DUNGEON = Shape(
    name="ai-dungeon",
    entries_path="",
    fields=(
        Field("keys", "keys", JOINED, required=True),
        Field("content", "value", TEXT, (Place("entry", TEXT),), required=True),
        Field("comment", "title", TEXT, (Place("name", TEXT),), skip_blank=True),
    ),
    implied=_IMPLIED,
    book_base=[],
)
