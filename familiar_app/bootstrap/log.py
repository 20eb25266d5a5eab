"""Logging: a ring in memory for the log panel and a small rotating file, neither of which may hold private text.

Our own messages carry ids and counts by rule. Other libraries follow no such rule, so of their records only the place
is kept; of every exception the type and the frames are kept, and its text only where it is one of ours.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from traceback import extract_tb

from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import in_english

OURS = "familiar_app"
LogListener = Callable[["LogLine"], None]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log. `part` is the module that spoke, without the package's name."""

    at: datetime
    level: int
    part: str
    text: str


def safe_line(record: logging.LogRecord) -> LogLine:
    """Turn a record into a line that carries nothing private."""
    at = datetime.fromtimestamp(record.created, UTC)
    ours = record.name == OURS or record.name.startswith(f"{OURS}.")
    text = record.getMessage() if ours else f"{record.levelname.lower()} at {record.module}:{record.lineno}"
    if record.exc_info and record.exc_info[1] is not None:
        text = f"{text} ({safe_exception(record.exc_info[1])})"
    return LogLine(at, record.levelno, record.name.removeprefix(f"{OURS}."), text)


def safe_exception(error: BaseException) -> str:
    """Describe an exception by type and frames; its text only where it is one of ours."""
    kind = type(error).__name__
    frames = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)]
    text = f": {in_english(error.message)}" if isinstance(error, FamiliarError) and not error.private else ""
    return f"{kind}{text}; {' < '.join(reversed(frames[-8:]))}" if frames else f"{kind}{text}"


class LogBuffer(logging.Handler):
    """Keeps the newest lines in memory. Listeners are called on the thread that logged."""

    def __init__(self, size: int = 2000) -> None:
        super().__init__()
        self._lines: deque[LogLine] = deque(maxlen=size)
        self._listeners: list[LogListener] = []
        self._guard = threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        line = safe_line(record)
        with self._guard:
            self._lines.append(line)
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(line)

    def records(self) -> list[LogLine]:
        """Return the kept lines, oldest first."""
        with self._guard:
            return list(self._lines)

    def listen(self, listener: LogListener) -> Callable[[], None]:
        """Call `listener` with every new line; returns the function that ends it."""
        with self._guard:
            self._listeners.append(listener)
        return lambda: self._forget(listener)

    def _forget(self, listener: LogListener) -> None:
        with self._guard:
            if listener in self._listeners:
                self._listeners.remove(listener)


class _SafeFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = safe_line(record)
        return f"{format_time(line.at)} {logging.getLevelName(line.level):7} {line.part}: {line.text}"


def set_up_logging(buffer: LogBuffer, level: str = "INFO") -> None:
    """Send every record to `buffer`. Called once, before anything else is built."""
    root = logging.getLogger()
    root.addHandler(buffer)
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(level)
    logging.raiseExceptions = False


def log_to_file(folder: Path) -> logging.Handler:
    """Also write the log to `folder`, at most three files of a megabyte. Returns the handler, to be removed at the end.

    Raises OSError where the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(folder / "familiar.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    handler.setFormatter(_SafeFormatter())
    logging.getLogger().addHandler(handler)
    return handler
