"""What another program's file says beyond a book of ours, kept so that it can be written back.

A book or an entry of ours can be written anew in any format. What the file said differently is kept as a list of
changes to that, in one line of JSON with the format's name, such as
`{"risu": {"set": [[["mode"], "multiple"]], "gone": [["id"]]}}`. Fields that are edited later win over it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from familiar_app.domain.lorebook.kind import MISSING

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Residue:
    """Changes that lead from what we would write to what the file said. `more` holds what is not a change."""

    set: tuple[tuple[Path, Any], ...] = ()
    gone: tuple[Path, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    def apply(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of the value with the changes."""
        target = copy.deepcopy(value)
        for path in self.gone:
            parent = _parent(target, path, make=False)
            if parent is not None:
                parent.pop(path[-1], None)
        for path, said in self.set:
            parent = _parent(target, path, make=True)
            if parent is not None:
                parent[path[-1]] = copy.deepcopy(said)
        return target

    def to_text(self, format_name: str) -> str:
        """Return the residue as one line, empty where there is nothing to keep."""
        said: dict[str, Any] = {}
        if self.set:
            said["set"] = [[list(path), value] for path, value in self.set]
        if self.gone:
            said["gone"] = [list(path) for path in self.gone]
        said |= self.more
        return json.dumps({format_name: said}, ensure_ascii=True) if said else ""


def residue_between(written: Mapping[str, Any], said: Mapping[str, Any], **more: Any) -> Residue:
    """Return what leads from `written` to `said`."""
    found: list[tuple[Path, Any]] = []
    gone: list[Path] = []
    _compare(written, said, (), found, gone)
    return Residue(tuple(found), tuple(gone), {name: value for name, value in more.items() if value is not None})


def residue_from(text: str, format_name: str) -> Residue | None:
    """Read what `to_text` wrote; None for another format, or where somebody wrote something else there."""
    try:
        said = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    said = said.get(format_name) if isinstance(said, dict) else None
    if not isinstance(said, dict):
        return None
    pairs, paths = said.get("set"), said.get("gone")
    return Residue(
        tuple(
            (tuple(one[0]), one[1])
            for one in (pairs if isinstance(pairs, list) else [])
            if isinstance(one, list) and len(one) == 2 and _is_path(one[0])
        ),
        tuple(tuple(path) for path in (paths if isinstance(paths, list) else []) if _is_path(path)),
        {name: value for name, value in said.items() if name not in ("set", "gone")},
    )


def _is_path(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


def _parent(target: dict[str, Any], path: Path, *, make: bool) -> dict[str, Any] | None:
    for name in path[:-1]:
        inner = target.get(name, MISSING)
        if inner is MISSING and make:
            inner = target[name] = {}
        if not isinstance(inner, dict):
            return None
        target = inner
    return target


def _compare(
    written: Mapping[str, Any], said: Mapping[str, Any], path: Path, found: list[tuple[Path, Any]], gone: list[Path]
) -> None:
    gone.extend((*path, name) for name in written if name not in said)
    for name, value in said.items():
        there = written.get(name, MISSING)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            _compare(there, value, (*path, name), found, gone)
        elif not _same(there, value):
            found.append(((*path, name), value))


def _same(one: Any, other: Any) -> bool:
    """Compare JSON values; a number and a truth value differ, and so do 1 and 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return bool(one == other)
