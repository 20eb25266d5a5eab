"""Agnai's memory books."""

from __future__ import annotations

from familiar_app.domain.lorebook.fieldmap import Field
from familiar_app.domain.lorebook.kind import FLAG, LOGIC, NATURAL, NUMBER, TEXT, TEXTS
from familiar_app.domain.text import tr_later
from familiar_app.interchange.lorebook.cardbook import POSITION_WORD
from familiar_app.interchange.lorebook.keylist import WILD
from familiar_app.interchange.lorebook.shape import Shape

AGNAI = Shape(
    name="agnai",
    entries_path="entries",
    uid_path="id",
    fields=(
        Field("keys", "keywords", WILD, required=True),
        Field("secondary_keys", "secondaryKeys", TEXTS),
        Field("comment", "name", TEXT, required=True),
        Field("content", "entry", TEXT, required=True),
        Field("enabled", "enabled", FLAG, required=True),
        Field("order", "weight", NUMBER, required=True),
        Field("priority", "priority", NUMBER),
        Field("constant", "constant", FLAG),
        Field("position", "position", POSITION_WORD),
        Field("selective", "selective", FLAG, default=False),
        Field("logic", "selectiveLogic", LOGIC),
        Field("probability", "probability", NUMBER),
        Field("use_probability", "useProbability", FLAG),
        Field("exclude_recursion", "excludeRecursion", FLAG),
    ),
    book_fields=(
        Field("name", "name", TEXT, default=""),
        Field("description", "description", TEXT, default=""),
        Field("scan_depth", "scanDepth", NATURAL, default=None),
        Field("token_budget", "tokenBudget", NATURAL, default=None),
        Field("recursive", "recursiveScanning", FLAG, default=None),
    ),
    implied={"match_whole_words": True, "case_sensitive": False},
    entry_base={"name": "", "entry": "", "keywords": [], "priority": 100, "weight": 100, "enabled": True},
    book_base={"kind": "memory", "_id": "", "userId": "", "name": "", "entries": []},
    unused={"comment": tr_later("a second title is not used")},
)
