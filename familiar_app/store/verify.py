"""Checks a vault from its pages up to what its columns say about the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from familiar_app.store.keys import KeyFile

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it should be. `where` names ids and tables, never texts."""

    where: str
    what: str
    how_to_mend: str


def verify_database(
    connection: Connection, path: Path, keys: KeyFile, progress: Callable[[float], None]
) -> list[Problem]:
    return []
