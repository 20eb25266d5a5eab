"""Starting with macOS: a launch agent of the person's own, which the system loads when they sign in."""

from __future__ import annotations

import plistlib
from pathlib import Path
from xml.parsers.expat import ExpatError

from familiar_app.bootstrap.autostart import Entry
from familiar_app.store.fault import translated
from familiar_app.store.written_file import write_atomically


class MacAutostart:
    """See `bootstrap.autostart.Autostart`."""

    def __init__(self, entry: Entry, home: Path | None = None) -> None:
        self._entry = entry
        self._label = f"app.{entry.name}.start"
        self.file = (home or Path.home()) / "Library" / "LaunchAgents" / f"{self._label}.plist"

    def is_on(self) -> bool:
        """Tell whether the agent is there and starts something at sign-in."""
        with translated(self.file):
            if not self.file.is_file():
                return False
            data = self.file.read_bytes()
        try:
            told = plistlib.loads(data)
        except (plistlib.InvalidFileException, ExpatError, ValueError):
            return False
        return isinstance(told, dict) and told.get("RunAtLoad") is True and told.get("Disabled") is not True

    def switch(self, on: bool) -> None:
        """Write the agent, or take it away. It counts from the next sign-in on."""
        with translated(self.file):
            if on:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(self.file, plistlib.dumps(self._agent()))
            else:
                self.file.unlink(missing_ok=True)

    def _agent(self) -> dict[str, object]:
        return {
            "Label": self._label,
            "ProgramArguments": list(self._entry.command),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
            "LimitLoadToSessionType": "Aqua",
        }
