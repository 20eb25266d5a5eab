"""Starts a program that goes on when this one ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QProcess

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr


def launch(command: Sequence[str]) -> None:
    """Start `command` by itself. Raises OutsideError where the system does not start it."""
    program = QProcess()
    program.setProgram(command[0])
    program.setArguments(list(command[1:]))
    program.setWorkingDirectory(str(Path.home()))
    # Its streams are its own: whoever reads ours shall not wait for both to end.
    program.setStandardInputFile(QProcess.nullDevice())
    program.setStandardOutputFile(QProcess.nullDevice())
    program.setStandardErrorFile(QProcess.nullDevice())
    if not program.startDetached():
        raise OutsideError(tr("The system did not start another window."), tr("Start it yourself with --profile-dir."))
