"""The unfinished file of a download, and a note beside it that tells of which file it is a piece."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.model_catalogue import is_model_file_name
from familiar_app.domain.text import tr
from familiar_app.models.download_remote import RemoteFile

PART, NOTE = ".part", ".part.json"
_MAX_NOTE_BYTES = 64 * 1024
_HASHED_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A download that was begun: the name its file will have, where from, and how far it came."""

    file: str
    url: str
    done_bytes: int
    size_bytes: int | None


class PartFile:
    """Held by one download at a time, of whichever process. Methods block; they are called on a thread."""

    def __init__(self, folder: Path, file: str) -> None:
        """Take the unfinished file of that name. Raises UserError where another download has it, or OutsideError."""
        self.target = folder / file
        self.path, self._note = folder / f"{file}{PART}", folder / f"{file}{NOTE}"
        with disk(folder):
            folder.mkdir(parents=True, exist_ok=True)
            # The mode makes the file and keeps what is in it; Python's "a" would write behind every position.
            self._file = os.fdopen(
                os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600), "r+b"
            )
        try:
            _take(self._file.fileno())
        except OSError:
            self._file.close()
            raise UserError(
                tr("This model is being fetched already."), tr("Wait for it, or cancel it there.")
            ) from None

    @property
    def size_bytes(self) -> int:
        with disk(self.path):
            self._file.flush()
            return os.fstat(self._file.fileno()).st_size

    def fits(self, remote: RemoteFile) -> bool:
        """Tell whether what is here is surely a piece of this file."""
        noted = _read_note(self._note)
        if noted is None or noted.url != remote.url or not remote.resumable:
            return False
        if remote.size_bytes is not None and self.size_bytes > remote.size_bytes:
            return False
        return (noted.size_bytes, noted.sha256, noted.version) == (remote.size_bytes, remote.sha256, remote.version)

    def note(self, remote: RemoteFile) -> None:
        """Write down of which file this is a piece."""
        with disk(self._note):
            self._note.write_text(json.dumps(asdict(remote)), encoding="utf-8")

    def begin_at(self, position: int) -> None:
        """Write from here on; what stood behind goes."""
        with disk(self.path):
            self._file.truncate(position)
            self._file.seek(position)

    def write(self, data: bytes) -> None:
        with disk(self.path):
            self._file.write(data)

    def flush(self) -> None:
        with disk(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())

    def pieces(self) -> Iterator[bytes]:
        """Yield what is on the disk, from the beginning."""
        with disk(self.path):
            self._file.seek(0)
            while piece := self._file.read(_HASHED_BYTES):
                yield piece

    def finish(self) -> None:
        """Put the whole file in its place, in one step."""
        self.flush()
        self._file.close()
        with disk(self.target):
            self.path.replace(self.target)
            self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Throw the piece away."""
        self._file.close()
        discard_part(self.target.parent, self.target.name)

    def close(self) -> None:
        """Let go of it; it stays for the next try, unless nothing is in it."""
        if self._file.closed:
            return
        empty = self.size_bytes == 0
        self._file.close()
        if empty:
            discard_part(self.target.parent, self.target.name)


def unfinished(folder: Path) -> list[Unfinished]:
    """Return the downloads that were begun and not ended, by name. Raises OutsideError."""
    found = []
    with disk(folder):
        notes = sorted(folder.glob(f"*{NOTE}")) if folder.is_dir() else []
    for note in notes:
        file = note.name.removesuffix(NOTE)
        part, noted = folder / f"{file}{PART}", _read_note(note)
        if noted is not None and is_model_file_name(file) and part.is_file():
            found.append(Unfinished(file, noted.url, part.stat().st_size, noted.size_bytes))
    return found


def discard_part(folder: Path, file: str) -> None:
    """Throw an unfinished download away. Raises OutsideError."""
    with disk(folder):
        (folder / f"{file}{PART}").unlink(missing_ok=True)
        (folder / f"{file}{NOTE}").unlink(missing_ok=True)


def digest(pieces: Iterator[bytes], hashed: Callable[[int], object]) -> str:
    """Return the SHA-256 of all pieces; `hashed` is told how many bytes are done and may raise to stop."""
    made, done = hashlib.sha256(), 0
    for piece in pieces:
        made.update(piece)
        done += len(piece)
        hashed(done)
    return made.hexdigest()


@contextmanager
def disk(path: Path) -> Iterator[None]:
    """Translate what the disk refuses."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutsideError(
            tr("The model cannot be written to {file}: {reason}.", file=path.name, reason=reason),
            tr("Make room on the disk, or check its permissions."),
        ) from error


def _read_note(path: Path) -> RemoteFile | None:
    try:
        if path.stat().st_size > _MAX_NOTE_BYTES:
            return None
        noted = RemoteFile(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    whole = isinstance(noted.url, str) and isinstance(noted.size_bytes, int | None)
    return noted if whole and isinstance(noted.sha256, str | None) and isinstance(noted.version, str | None) else None


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        # One byte where no header lies, since others may not read a locked one; the runtime takes no larger place.
        os.lseek(descriptor, 0x7FFFFFF0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
