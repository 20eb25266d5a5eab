"""How the program is started once more: for another profile, or by the system."""

from __future__ import annotations

import sys
from pathlib import Path


def launch_command(profile: Path | None, *more: str) -> tuple[str, ...]:
    """Return the command that opens the window; without a profile, for the usual one."""
    named = () if profile is None else ("--profile-dir", str(profile))
    return (*_program(), *named, *more)


def _program() -> tuple[str, ...]:
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    # On Windows the interpreter of consoles would open one.
    quiet = Path(sys.executable).with_name("pythonw.exe")
    return (str(quiet) if quiet.is_file() else sys.executable, "-m", "familiar_app")
