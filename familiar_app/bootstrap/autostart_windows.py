"""Starting with Windows: a value of the person's own Run key. No administrator is asked."""

from __future__ import annotations

import importlib
import subprocess
from typing import Any

from familiar_app.bootstrap.autostart import Entry
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr

RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
"""Where the system keeps what was switched off in its own settings: an odd first byte."""


class WindowsAutostart:
    """See `bootstrap.autostart.Autostart`. `registry` is the module `winreg`."""

    def __init__(self, entry: Entry, registry: Any = None) -> None:
        self._entry = entry
        self._registry = importlib.import_module("winreg") if registry is None else registry

    def is_on(self) -> bool:
        """Tell whether the value is there and was not switched off by the system's own settings."""
        if self._read(RUN) is None:
            return False
        approved = self._read(APPROVED)
        return not (isinstance(approved, bytes) and approved[:1] and approved[0] & 1)

    def switch(self, on: bool) -> None:
        """Write the value, or take it away; either way what the system's settings said of it is gone."""
        self._delete(APPROVED)
        if not on:
            self._delete(RUN)
            return
        registry = self._registry
        try:
            with registry.CreateKeyEx(registry.HKEY_CURRENT_USER, RUN, 0, registry.KEY_SET_VALUE) as key:
                registry.SetValueEx(key, self._entry.title, 0, registry.REG_SZ, command_line(self._entry.command))
        except OSError as error:
            raise _refused(error) from error

    def _read(self, path: str) -> Any:
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, path, 0, registry.KEY_READ) as key:
                return registry.QueryValueEx(key, self._entry.title)[0]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _refused(error) from error

    def _delete(self, path: str) -> None:
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, path, 0, registry.KEY_SET_VALUE) as key:
                registry.DeleteValue(key, self._entry.title)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _refused(error) from error


def command_line(command: tuple[str, ...]) -> str:
    """Write a command as Windows takes it apart again."""
    return subprocess.list2cmdline(command)


def _refused(error: OSError) -> OutsideError:
    return OutsideError(
        tr("Windows did not let the start entry be changed: {reason}.", reason=error.strerror or type(error).__name__),
        tr("Look for Familiar under Settings, Apps, Startup."),
    )
