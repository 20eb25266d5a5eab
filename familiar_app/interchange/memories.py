"""Saved memories as files: the program's own JSON, and the exports of TomoriBot.

The program's own form is `{"format": "familiar-memories", "version": 1, "memories": [{"scope": "server" | "personal",
"owner": KEY, "lineage": "own" | "global", "content": TEXT, "tags": [TEXT, …]}, …]}`: no numbers, so that it can be
taken into another vault. TomoriBot's has lists by lineage, `{"12": [TEXT, {"content": TEXT, "tags": [TEXT, …]}], "0":
[…]}`, maybe under a name such as `personal_memories`; lineage 0 is known to every character. Whose a list without an
owner is, the importer has to be told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.saved_memory.filed import GLOBAL, OWN, FileMemory
from familiar_app.domain.saved_memory.memory import Scope
from familiar_app.domain.text import tr
from familiar_app.interchange.json_text import decode_text, parse_json, read_file, storable

FORMAT = "familiar-memories"
VERSION = 1
MAX_MEMORIES = 100_000
_WRAPPERS: Mapping[str, Scope | None] = {
    "memories": None,
    "server_memories": Scope.SERVER,
    "personal_memories": Scope.PERSONAL,
}


def read_memories(path: Path) -> list[FileMemory]:
    """Read a file of either form. Raises BadInputError that names file, place and reason."""
    value = parse_json(decode_text(read_file(path), source=path), source=path)
    return memories_in(value, source=path)


def memories_in(value: object, *, source: Path | str) -> list[FileMemory]:
    """Return the memories of a parsed file. Raises BadInputError."""
    if not isinstance(value, dict):
        raise BadInputError(tr("this is no file of memories: it does not hold an object."), source=source)
    if value.get("format") == FORMAT:
        if value.get("version") != VERSION:
            raise BadInputError(
                tr("the file is of a version that this program does not know."), source=source, field="version"
            )
        found = list(_own(value.get("memories"), source))
    else:
        found = list(_foreign(value, source))
    if len(found) > MAX_MEMORIES:
        raise BadInputError(tr("there are more than {limit} memories.", limit=MAX_MEMORIES), source=source)
    return found


def is_memory_file(value: object) -> bool:
    """Tell whether a parsed file says of itself that it holds memories."""
    if not isinstance(value, dict):
        return False
    return value.get("format") == FORMAT or any(name in value for name in ("server_memories", "personal_memories"))


def write_memories(memories: Iterable[FileMemory]) -> bytes:
    """Return the program's own form."""
    items = [
        {"scope": one.scope, "owner": one.owner, "lineage": one.bucket, "content": one.content, "tags": list(one.tags)}
        for one in memories
    ]
    value = {"format": FORMAT, "version": VERSION, "memories": items}
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _own(items: object, source: Path | str) -> Iterator[FileMemory]:
    if not isinstance(items, list):
        raise BadInputError(tr("this has to be a list."), source=source, field="memories")
    for number, item in enumerate(items):
        place = f"memories[{number}]"
        if not isinstance(item, dict):
            raise BadInputError(tr("this has to be an object."), source=source, field=place)
        scope, owner, bucket = item.get("scope"), item.get("owner"), item.get("lineage", OWN)
        if scope not in (None, *Scope) or not isinstance(owner, str | None) or bucket not in (OWN, GLOBAL):
            raise BadInputError(tr("scope, owner or lineage is none that is known."), source=source, field=place)
        yield _memory(item, bucket, place, source, None if scope is None else Scope(scope), owner)


def _foreign(value: Mapping[str, Any], source: Path | str) -> Iterator[FileMemory]:
    wrapped = [name for name in _WRAPPERS if name in value]
    for name in wrapped:
        yield from _buckets(value[name], name, source, _WRAPPERS[name])
    if not wrapped:
        yield from _buckets(value, "", source, None)


def _buckets(value: object, name: str, source: Path | str, scope: Scope | None) -> Iterator[FileMemory]:
    if isinstance(value, list):
        value = {OWN: value}
    if not isinstance(value, dict) or not all(isinstance(items, list) for items in value.values()):
        raise BadInputError(
            tr("this is no file of memories: there are no lists of them by lineage."), source=source, field=name or None
        )
    for bucket, items in value.items():
        for number, item in enumerate(items):
            place = f"{name}.{bucket}[{number}]" if name else f"{bucket}[{number}]"
            if isinstance(item, str):
                item = {"content": item}
            if not isinstance(item, dict):
                raise BadInputError(tr("a memory is a text or an object with content."), source=source, field=place)
            yield _memory(item, str(bucket), place, source, scope, None)


def _memory(
    item: Mapping[str, Any], bucket: str, place: str, source: Path | str, scope: Scope | None, owner: str | None
) -> FileMemory:
    content, tags = item.get("content"), item.get("tags")
    tags = [] if tags is None else tags
    if not isinstance(content, str):
        raise BadInputError(tr("content is missing or no text."), source=source, field=place)
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise BadInputError(tr("tags have to be a list of texts."), source=source, field=place)
    return FileMemory(storable(content), tuple(storable(tag) for tag in tags), bucket, place, scope, owner)
