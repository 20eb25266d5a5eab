"""Starts a program that goes on when this one ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QProcess

from familiar_app.domain.errors import OutsideError


def launch(command: Sequence[str]) -> None:
    """Start `command` by itself. Raises OutsideError where the system does not start it."""
    started, _number = QProcess.startDetached(command[0], list(command[1:]), str(Path.home()))
    if not started:
        raise OutsideError("The system did not start another window.", "Start it yourself with --profile-dir.")
