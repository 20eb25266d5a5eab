"""Finds the files that ship with the program, in a source tree and in an installed package."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.errors import BugError

_PACKAGE = Path(__file__).resolve().parent.parent


def resource(*parts: str) -> Path:
    """Return the path of a shipped file or folder below `resources`. Raises BugError where it is missing."""
    for root in (_PACKAGE.parent / "resources", _PACKAGE / "resources"):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise BugError(f"the shipped file {'/'.join(parts)} is missing.", "Install the program again.")
