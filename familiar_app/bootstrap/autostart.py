"""Starting with the system: the one port, the name of an entry, and which system's way is taken.

The entry itself is the setting: nothing else remembers it, so that what somebody switches off in the system is off.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """What is started: `name` tells entries of several profiles apart, `title` is what the system shows."""

    name: str
    title: str
    command: tuple[str, ...]


class Autostart(Protocol):
    """Lets the system start the program when somebody signs in. Methods block briefly and raise OutsideError."""

    def is_on(self) -> bool: ...

    def switch(self, on: bool) -> None: ...


def entry_for(profile: Path, *, usual: bool, command: Sequence[str]) -> Entry:
    """Return the entry of a profile; only those beside the usual one are told apart by their path."""
    if usual:
        return Entry("familiar", "Familiar", tuple(command))
    mark = hashlib.sha256(str(profile).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return Entry(f"familiar-{mark}", f"Familiar ({profile.name})", tuple(command))


def autostart_for(entry: Entry) -> Autostart:
    """Return this system's way."""
    if sys.platform == "win32":
        from familiar_app.bootstrap.autostart_windows import WindowsAutostart

        return WindowsAutostart(entry)
    if sys.platform == "darwin":
        from familiar_app.bootstrap.autostart_macos import MacAutostart

        return MacAutostart(entry)
    from familiar_app.bootstrap.autostart_linux import LinuxAutostart

    return LinuxAutostart(entry)
