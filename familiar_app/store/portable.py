"""Tells whether the program is carried about with its profile: on a stick, in a folder that is copied as a whole.

A packed program is portable where a file `portable` or a folder `data` lies beside it; the profile is in that folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

MARK, FOLDER = "portable", "data"


def program_folder() -> Path | None:
    """Return the folder in which the packed program lies, None where it runs from its sources."""
    if not getattr(sys, "frozen", False):
        return None
    program = Path(sys.executable).resolve()
    # On macOS the program is the inside of a bundle, and what is carried about lies beside that.
    bundle = next((one for one in program.parents if one.suffix == ".app"), None)
    return program.parent if bundle is None else bundle.parent


def portable_profile(beside: Path | None) -> Path | None:
    """Return the profile that a program in the folder `beside` carries about, None where it carries none."""
    if beside is None:
        return None
    folder = beside / FOLDER
    return folder if folder.is_dir() or (beside / MARK).is_file() else None
