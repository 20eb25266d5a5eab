"""Starting with a Linux desktop: a desktop entry in the folder from which it starts programs.

The rules are those of freedesktop.org: Desktop Application Autostart, and Desktop Entry for the quoting of `Exec`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from familiar_app.bootstrap.autostart import Entry
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store.fault import translated
from familiar_app.store.written_file import write_atomically

_TEMPLATE = """\
[Desktop Entry]
Type=Application
Name={title}
Comment=Starts hidden in the tray
Exec={command}
Icon=familiar
Terminal=false
X-GNOME-Autostart-enabled=true
"""
_SWITCHED_OFF = ("hidden=true", "x-gnome-autostart-enabled=false")


class LinuxAutostart:
    """See `bootstrap.autostart.Autostart`."""

    def __init__(self, entry: Entry, environment: Mapping[str, str] | None = None) -> None:
        known = os.environ if environment is None else environment
        config = Path(known.get("XDG_CONFIG_HOME") or "")
        # A path that does not begin at the root is not to be used.
        folder = config if config.is_absolute() else Path.home() / ".config"
        self._entry = entry
        self.file = folder / "autostart" / f"{entry.name}.desktop"

    def is_on(self) -> bool:
        """Tell whether the entry is there and was not switched off by the desktop's own settings."""
        with translated(self.file):
            if not self.file.is_file():
                return False
            lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines()
        return not any(line.replace(" ", "").lower() in _SWITCHED_OFF for line in lines)

    def switch(self, on: bool) -> None:
        """Write the entry, or take it away."""
        text = _TEMPLATE.format(title=_value(self._entry.title), command=exec_line(self._entry.command)) if on else ""
        with translated(self.file):
            if on:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(self.file, text.encode("utf-8", "surrogateescape"))
            else:
                self.file.unlink(missing_ok=True)


def exec_line(command: tuple[str, ...]) -> str:
    """Write a command as the value of `Exec`."""
    return _value(" ".join(_quoted(part) for part in command))


def _quoted(part: str) -> str:
    for sign in ("\\", '"', "`", "$"):
        part = part.replace(sign, f"\\{sign}")
    return '"' + part.replace("%", "%%") + '"'


def _value(text: str) -> str:
    """Write a text as a value of a desktop entry. Raises OutsideError for what no entry can hold."""
    if "\n" in text or "\r" in text:
        raise OutsideError(
            tr("The path of this profile has a line break, which no start entry can hold."), tr("Move it.")
        )
    return text.replace("\\", "\\\\")
