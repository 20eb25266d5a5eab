"""Finds the pages of a database that are not what was written, and what they belong to where that can be told."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlcipher3 import dbapi2

from familiar_app.domain.errors import StoppedByUserError
from familiar_app.domain.text import tr
from familiar_app.store.fault import DAMAGE_CODES, primary_code, translated

if TYPE_CHECKING:
    from sqlite3 import Connection

_NUMBER = re.compile(r"page (\d+)")
_STEPS_PER_LOOK = 20_000


def damaged_pages(
    connection: Connection,
    path: Path,
    *,
    report: Callable[[float], None] = lambda _part: None,
    stop: threading.Event | None = None,
    pages: int | None = None,
) -> list[int]:
    """Return the numbers of the pages that fail their authentication, 0 standing for a structure that is broken.

    `pages` is how many belong to the database where something else stands behind them in the file.
    """
    found: list[int] = []
    with translated(path):
        for (text,) in connection.execute("PRAGMA cipher_integrity_check").fetchall():
            number = _NUMBER.search(str(text))
            page = int(number[1]) if number is not None else 0
            if pages is None or page <= pages:
                found.append(page)
        report(0.5)
        if not found and not _is_sound(connection, stop):
            found.append(0)
    report(1.0)
    return found


def _is_sound(connection: Connection, stop: threading.Event | None) -> bool:
    connection.set_progress_handler(lambda: int(stop is not None and stop.is_set()), _STEPS_PER_LOOK)
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)])
    except dbapi2.DatabaseError as error:
        if primary_code(error) in DAMAGE_CODES:
            return False
        if stop is not None and stop.is_set():
            raise StoppedByUserError(tr("It was stopped before it was complete. Nothing was changed.")) from error
        raise
    finally:
        connection.set_progress_handler(None, 0)
