"""What a command prints: results on standard output, messages and progress on standard error.

With `--json` exactly one JSON value goes to standard output, also for an error. Text that came from outside cannot
steer the terminal: control characters are shown as a replacement mark.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO

from familiar_app.cli.next_step import error_shape, next_step_of
from familiar_app.domain.errors import FamiliarError, OutsideError

PROGRESS_EVERY_S = 0.2
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Return `text` with control characters other than tab and line feed made harmless."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


class Output:
    """Writes for one command. A reader that went away ends the writing, not the command."""

    def __init__(self, as_json: bool, stdout: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = sys.stdout if stdout is None else stdout
        self._err = sys.stderr if stderr is None else stderr
        self._reader_gone = False
        self._progress_at = 0.0
        self._progress_shown = False
        self._json_printed = False

    @property
    def progress_is_live(self) -> bool:
        """Tell whether standard error is a terminal, where one progress line can replace another."""
        return self._err.isatty()

    def json(self, value: object) -> None:
        """Print the command's one JSON value."""
        self._json_printed = True
        self._print(json.dumps(value, ensure_ascii=False) + "\n")

    def line(self, text: str = "") -> None:
        """Print a line of the result."""
        self._print(printable(text) + "\n")

    def piece(self, text: str) -> None:
        """Print a piece of a result that comes bit by bit."""
        self._print(printable(text))

    def message(self, text: str) -> None:
        """Say something beside the result."""
        self.end_progress()
        self._say(printable(text) + "\n")

    def progress(self, text: str, *, last: bool = False) -> None:
        """Show how far a command is; at most a few times a second, but always where `last` is set."""
        now = time.monotonic()
        if not last and now - self._progress_at < PROGRESS_EVERY_S:
            return
        self._progress_at = now
        if self.progress_is_live:
            self._say(f"\r\x1b[K{printable(text)}")
            self._progress_shown = True
        else:
            self._say(printable(text) + "\n")

    def end_progress(self) -> None:
        """Leave the progress line standing and go to the next one."""
        if self._progress_shown:
            self._say("\n")
            self._progress_shown = False

    def error(self, error: FamiliarError, details: Mapping[str, Any] | None = None) -> None:
        """Print an error: as JSON on standard output where asked for, else as a message.

        What goes wrong after the one JSON value was printed, such as while closing, becomes a message too.
        """
        self.end_progress()
        if self.as_json and not self._json_printed:
            self.json({"error": error_shape(error) | dict(details or {})})
        else:
            self.message(f"familiar: {error.message}")
            self.message(next_step_of(error))

    def finish(self) -> None:
        """Flush both streams. Raises OutsideError where the result could not be written."""
        self.end_progress()
        self._print("")
        self._say("")

    def _print(self, text: str) -> None:
        if self._reader_gone:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except OSError as error:
            self.give_up(error)

    def give_up(self, error: OSError) -> None:
        """Write no more to standard output. Raises OutsideError, unless it is only that the reader went away."""
        self._reader_gone = True
        _silence(self._out)
        if not isinstance(error, BrokenPipeError):
            reason = error.strerror or type(error).__name__
            raise OutsideError(
                f"The result cannot be written: {reason}.", "Free some space, or write elsewhere."
            ) from error

    def _say(self, text: str) -> None:
        try:
            self._err.write(text)
            self._err.flush()
        except OSError:
            _silence(self._err)


def use_utf8() -> None:
    """Make the standard streams speak UTF-8 whatever the system's code page is."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _silence(stream: TextIO) -> None:
    """Send a broken stream to nowhere, so that the interpreter's own flush at the end does not complain."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
