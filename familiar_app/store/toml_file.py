"""Reads TOML files of the profile, and changes single keys in them without touching comments and order."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr
from familiar_app.store.fault import translated

MAX_FILE_SIZE_BYTES = 4 * 1024 * 1024


def read_text(path: Path) -> str:
    """Return a text file's contents. Raises BadInputError where it is no file, too large or not UTF-8."""
    if path.exists() and not path.is_file():
        raise BadInputError(
            tr("this is not a file."), source=path, next_step=tr("Put the file back, or move this away.")
        )
    with translated(path), path.open("rb") as stream:
        raw = stream.read(MAX_FILE_SIZE_BYTES + 1)
    if len(raw) > MAX_FILE_SIZE_BYTES:
        raise BadInputError(tr("the file is larger than 4 MB."), source=path, next_step=tr("Make it smaller."))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadInputError(
            tr("this line is not UTF-8 text."), source=path, line=line, next_step=tr("Save the file as UTF-8.")
        ) from error


def parse_toml(text: str, source: Path) -> dict[str, Any]:
    """Return the tables of a TOML text. Raises BadInputError that names the file and the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(
            tr("this is not TOML ({error}).", error=error), source=source, next_step=tr("Mend the file.")
        ) from error
    except RecursionError as error:
        raise BadInputError(
            tr("the file is nested too deeply."), source=source, next_step=tr("Mend the file.")
        ) from error


def with_changes(text: str, changes: Mapping[str, Any], source: Path) -> str:
    """Return a TOML text in which dotted keys have other values; None removes a key.

    A part of a key that holds a dot or a colon is quoted, as in TOML: `channels."local:main".prompt_layers`.
    """
    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _set(document, _parts(key), value, source)
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise BadInputError(
            tr("this is not TOML ({error}).", error=error), source=source, next_step=tr("Mend the file.")
        ) from error


def _set(table: Any, parts: Sequence[str], value: Any, source: Path) -> None:
    *above, last = parts
    for depth, part in enumerate(above):
        if part not in table:
            if value is None:
                return
            table[part] = tomlkit.table(is_super_table=depth < len(above) - 1)
        table = table[part]
        if not isinstance(table, Mapping):
            raise BadInputError(tr("this is a value, not a table."), source=source, field=".".join(parts[: depth + 1]))
    if value is None:
        if last in table:
            del table[last]
        return
    plain = list(value) if isinstance(value, tuple | frozenset | set) else value
    table[last] = plain


def _parts(key: str) -> list[str]:
    try:
        found: Any = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:
        return key.split(".")
    parts = []
    while isinstance(found, dict):
        part = next(iter(found))
        parts.append(part)
        found = found[part]
    return parts
