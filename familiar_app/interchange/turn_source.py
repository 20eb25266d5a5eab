"""Where an import reads from: a file that can be read twice, or a pipe that is held in memory.

Clear text never goes to a temporary file, so what comes through a pipe has a limit.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.text import tr
from familiar_app.interchange.json_text import READABLE

MAX_PIPE_BYTES = 256 * 1024 * 1024
_FileMark = tuple[int, int]


@dataclass(slots=True)
class TurnSource:
    """Something that can be read more than once from its start."""

    name: str
    path: Path | None = None
    data: bytes | None = None
    _mark: _FileMark | None = None

    def open(self) -> BinaryIO:
        """Open it at its start. Raises OutsideError, also where the file has changed since it was first opened."""
        if self.data is not None or self.path is None:
            return io.BytesIO(self.data or b"")
        try:
            stream = self.path.open("rb")
            mark = _mark_of(stream)
        except OSError as error:
            raise _unreadable(self.name, error) from error
        if self._mark not in (None, mark):
            stream.close()
            raise self._changed(tr("Nothing was imported; try again."))
        self._mark = mark
        return stream

    @contextmanager
    def watched(self, stream: BinaryIO, *, kept: bool = False) -> Iterator[None]:
        """Watch over one pass through the open stream; `kept` tells that what is read is stored at once.

        Raises OutsideError where it cannot be read on, or turns out to have changed meanwhile.
        """
        try:
            yield
            changed = self.data is None and self.path is not None and _mark_of(stream) != self._mark
        except OSError as error:
            raise _unreadable(self.name, error) from error
        if changed:
            half = tr("What was read of it is kept. Import it again; nothing comes twice.")
            raise self._changed(half if kept else tr("Nothing was imported; try again."))

    def _changed(self, next_step: str) -> OutsideError:
        return OutsideError(tr("{name} changed while it was read.", name=self.name), next_step)


def source_from_path(path: Path) -> TurnSource:
    """Return the source for a file; a pipe or device is read to its end. Raises OutsideError, BadInputError."""
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return TurnSource(str(path), path=path)
        if path.is_dir():
            raise BadInputError(tr("this is a folder."), source=path, next_step=tr("Name a file in it."))
        with path.open("rb") as stream:
            return source_from_pipe(stream, str(path))
    except FileNotFoundError as error:
        raise BadInputError(tr("there is no such file."), source=path, next_step=tr("Check the path.")) from error
    except OSError as error:
        raise _unreadable(str(path), error) from error


def source_from_pipe(stream: BinaryIO, name: str = "standard input") -> TurnSource:
    """Read a stream that cannot be rewound into memory. Raises BadInputError where it is too long."""
    data = stream.read(MAX_PIPE_BYTES + 1)
    if len(data) > MAX_PIPE_BYTES:
        raise BadInputError(
            tr("more than {limit} MiB came through a pipe.", limit=MAX_PIPE_BYTES // (1024 * 1024)),
            source=name,
            next_step=tr("Import it as a file instead; a file of any length can be read."),
        )
    return TurnSource(name, data=data)


def _mark_of(stream: BinaryIO) -> _FileMark:
    status = os.fstat(stream.fileno())
    return status.st_size, status.st_mtime_ns


def _unreadable(name: str, error: OSError) -> OutsideError:
    return OutsideError(
        tr("{name} cannot be read: {reason}.", name=name, reason=error.strerror or type(error).__name__), tr(READABLE)
    )
