"""Finds the files that come with the program: defaults, icons, texts."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.errors import BugError

_PACKAGE = Path(__file__).resolve().parents[1]
# In a source tree `resources/` stands beside the package; a built one carries it inside.
_PLACES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


def resource(*parts: str) -> Path:
    """Return the path of a shipped file or folder. Raises BugError where it was not shipped."""
    for place in _PLACES:
        found = place.joinpath(*parts)
        if found.exists():
            return found
    raise BugError(f"The shipped file {'/'.join(parts)} is missing from this installation.")


def documents() -> Path:
    """Return the folder of the manual and its pictures: `docs/` of a source tree, else what was built in."""
    beside = _PACKAGE.parent
    return beside / "docs" if (beside / "pyproject.toml").is_file() else resource("docs")


def changelog() -> Path:
    """Return the file that tells what is new in each version."""
    beside = _PACKAGE.parent
    return beside / "CHANGELOG.md" if (beside / "pyproject.toml").is_file() else resource("docs", "CHANGELOG.md")
