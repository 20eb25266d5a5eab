"""Reading a file line by line in bounded memory, as strict UTF-8, each line one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr

MAX_LINE_BYTES = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield `(number, line)` for every line that is not blank, counting from 1; None for a line that is too long.

    A byte-order mark at the start is dropped. Lines end with a line feed, with or without a carriage return.
    """
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BOM)
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip_rest_of_line(stream)
            yield number, None
        elif stripped := line.strip():
            yield number, stripped


def _skip_rest_of_line(stream: BinaryIO) -> None:
    while (piece := stream.readline(MAX_LINE_BYTES)) and not piece.endswith(b"\n"):
        pass


def parse_object(line: bytes | None, *, source: str, number: int) -> dict[str, Any]:
    """Read one line as a JSON object. Raises BadInputError that names `source` and the line."""
    if line is None:
        reason = tr("the line is longer than {limit} MiB.", limit=MAX_LINE_BYTES // (1024 * 1024))
        raise BadInputError(reason, source=source, line=number)
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        reason = tr("this is not UTF-8 text (byte {position} of the line).", position=str(error.start + 1))
        raise BadInputError(reason, source=source, line=number) from None
    except json.JSONDecodeError as error:
        reason = tr("this is not JSON (column {column}).", column=str(error.colno))
        raise BadInputError(reason, source=source, line=number) from None
    except RecursionError:
        raise BadInputError(tr("the JSON is nested too deeply."), source=source, line=number) from None
    except ValueError:
        raise BadInputError(tr("this has a number that cannot be read."), source=source, line=number) from None
    if not isinstance(value, dict):
        raise BadInputError(tr("each line has to be one JSON object."), source=source, line=number)
    return value


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError
