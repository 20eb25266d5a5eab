"""Text and JSON from files that nobody vouches for: strict decoding, size and depth limits, clear refusals."""

from __future__ import annotations

import codecs
import contextlib
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.text import tr, tr_later
from familiar_app.interchange.target import refuse_target

MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_JSON_BYTES = 32 * 1024 * 1024
# Whatever walks a value afterwards calls itself once or twice for each level.
MAX_JSON_DEPTH = 150
READABLE = tr_later("Check that you may read it and that its disk is there.")
WRITABLE = tr_later("Check that you may write there and that there is space.")


def read_file(path: Path, *, limit_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Read a whole file of at most `limit_bytes`. Raises BadInputError, or OutsideError where the disk fails."""
    try:
        if path.is_dir():
            raise BadInputError(tr("this is a folder."), source=path, next_step=tr("Name a file in it."))
        if not path.is_file():
            raise BadInputError(tr("there is no such file."), source=path, next_step=tr("Check the path."))
        with path.open("rb") as file:
            data = file.read(limit_bytes + 1)
    except OSError as error:
        raise OutsideError(
            tr("{path} cannot be read: {reason}.", path=path, reason=error.strerror or tr("unknown error")),
            tr(READABLE),
        ) from error
    if len(data) > limit_bytes:
        raise BadInputError(tr("the file is larger than {limit} MiB.", limit=limit_bytes // 1024 // 1024), source=path)
    return data


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that it is either the old or the new one, never half.

    Raises UserError where `path` is no place for a file, OutsideError where it cannot be written.
    """
    refuse_target(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
        settle_name(path)
    except OSError as error:
        if temporary is not None:
            # Where even this fails, the first failure is the one to be told of.
            with contextlib.suppress(OSError):
                Path(temporary).unlink(missing_ok=True)
        raise OutsideError(
            tr("{path} cannot be written: {reason}.", path=path, reason=error.strerror or tr("unknown error")),
            tr(WRITABLE),
        ) from error


def settle_name(path: Path) -> None:
    """Force the name of a file to the disk, so that a power cut does not take it back. Windows does this by itself."""
    if sys.platform == "win32":
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def remove_file(path: Path) -> None:
    """Remove a file, if it is there. Raises OutsideError."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise OutsideError(
            tr("{path} cannot be removed: {reason}.", path=path, reason=error.strerror or tr("unknown error")),
            tr(WRITABLE),
        ) from error


def decode_text(data: bytes, *, source: Path | str) -> str:
    """Decode UTF-8, or UTF-16 where a byte-order mark says so. Nothing else is guessed: raises BadInputError."""
    encoding, name = ("utf-8-sig", "UTF-8")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding, name = ("utf-16", "UTF-16")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInputError(
            tr("the text is not valid {name} at byte {position}.", name=name, position=error.start),
            source=source,
            next_step=tr("Save the file again as UTF-8."),
        ) from error


def parse_json(text: str, *, source: Path | str) -> Any:
    """Read one JSON value. NaN, Infinity and numbers too large become null. Raises BadInputError with the line."""
    if len(text) > MAX_JSON_BYTES:
        raise BadInputError(
            tr("the JSON text is larger than {limit} MiB.", limit=MAX_JSON_BYTES // 1024 // 1024), source=source
        )
    try:
        value = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise BadInputError(
            tr("this is not valid JSON: {msg}.", msg=error.msg), source=source, line=error.lineno
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadInputError(tr("the JSON is nested too deeply or holds a number too long."), source=source) from error
    if is_deeper(value, MAX_JSON_DEPTH):
        raise BadInputError(
            tr("the JSON is nested more than {limit} levels deep.", limit=MAX_JSON_DEPTH), source=source
        )
    return value


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def is_deeper(value: Any, limit: int) -> bool:
    """Tell whether a value is nested deeper than the limit, level by level and without recursion."""
    level = [value]
    for _ in range(limit):
        containers = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [inner for one in containers for inner in one if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def storable(text: str) -> str:
    """Return the text with halves of surrogate pairs replaced, which no file or database can keep."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
