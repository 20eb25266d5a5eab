"""The form of a backup: one file that holds a vault and its profile's files, readable with the keys of that day.

It begins with the encrypted database, page for page, so that SQLCipher itself can open and check it where it lies.
Behind the last page stand the profile's files and a table of contents, each sealed with AES-256-GCM under a key
drawn from the data key and bound to this database; then the key file; then a tail of fixed size that says where
everything begins. Making and restoring backups is left to others.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from familiar_app.domain.errors import BadInputError, OutsideError, UserError
from familiar_app.domain.text import tr
from familiar_app.store.connection import PAGE_SIZE_BYTES, SALT_SIZE_BYTES
from familiar_app.store.fault import translated
from familiar_app.store.keys import KeyFile

FORMAT = 1
MAX_FILE_SIZE_BYTES = 64 * 1024 * 1024
_MAGIC = b"familiar backup\n"
# Magic, form, where the database ends, where the sealed contents begin, where the key file begins.
_TAIL = struct.Struct(">16sQQQQ")
_NONCE_SIZE_BYTES = 12
_MAX_CONTENTS_BYTES = 16 * 1024 * 1024
_PART = re.compile(r"[^\x00-\x1f/\\:]{1,200}")


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """A file of the profile: its place in the profile folder with `/` between the parts, and where it lies now."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class SealedFile:
    """A file of the profile inside a backup."""

    name: str
    offset: int
    sealed_size: int


@dataclass(frozen=True, slots=True)
class BackupContents:
    """What a backup says of itself. `counts` are rows by kind, `familiars` names by id, `left_out` files too large."""

    made_at: datetime
    cause: str
    program: str
    schema: int
    vault: str
    pages: int
    counts: Mapping[str, int]
    familiars: Mapping[str, str]
    files: tuple[SealedFile, ...] = ()
    left_out: tuple[str, ...] = ()


class SealedBackup:
    """The tail of a backup, read without any secret. `open` tells the rest."""

    def __init__(self, path: Path) -> None:
        """Raises UserError where there is no file, BadInputError where it is no backup, OutsideError."""
        self.path = path
        if not path.is_file():
            raise UserError(tr("There is no file {path}.", path=path), tr("Check the path of the backup."))
        with translated(path), path.open("rb") as stream:
            self.salt, self.database_size, self._contents_at, self._keys_at, self._end = _read_tail(stream, path)
            stream.seek(self._keys_at)
            self.keys = KeyFile.parse(stream.read(self._end - self._keys_at))
        if self.keys.salt != self.salt.hex():
            raise damaged_backup(path, tr("its keys belong to another database"))

    def open(self, data_key: bytes) -> BackupContents:
        """Return the contents. Raises BadInputError where they are damaged."""
        with translated(self.path), self.path.open("rb") as stream:
            stream.seek(self._contents_at)
            sealed = stream.read(self._keys_at - self._contents_at)
        return _parse(_unseal(data_key, self.salt, "contents", sealed, self.path), self)

    def read_file(self, data_key: bytes, file: SealedFile) -> bytes:
        """Return one file of the profile. Raises BadInputError where it is damaged."""
        with translated(self.path), self.path.open("rb") as stream:
            stream.seek(file.offset)
            sealed = stream.read(file.sealed_size)
        return _unseal(data_key, self.salt, f"file {file.name}", sealed, self.path)


def append_contents(
    path: Path, data_key: bytes, keys: KeyFile, contents: BackupContents, files: Iterator[ProfileFile]
) -> None:
    """Write everything that stands behind the database in `path`, whose `pages` are complete, and force it to the disk.

    `contents.files` and `left_out` are filled in here.
    """
    with path.open("rb+") as stream:
        salt = stream.read(SALT_SIZE_BYTES)
        stream.seek(contents.pages * PAGE_SIZE_BYTES)
        stream.truncate()
        sealed_files, left_out = _append_files(stream, data_key, salt, files)
        contents_at = stream.tell()
        shape = asdict(contents) | {
            "format": FORMAT,
            "made_at": contents.made_at.isoformat(),
            "files": [asdict(file) for file in sealed_files],
            "left_out": left_out,
        }
        stream.write(_seal(data_key, salt, "contents", json.dumps(shape).encode("ascii")))
        keys_at = stream.tell()
        stream.write(keys.for_database(salt).rendered())
        stream.write(_TAIL.pack(_MAGIC, FORMAT, contents.pages * PAGE_SIZE_BYTES, contents_at, keys_at))
        stream.flush()
        os.fsync(stream.fileno())


def damaged_backup(path: Path, detail: str) -> BadInputError:
    """Return the error for a backup that is not as it was written."""
    return BadInputError(
        tr("the backup is damaged: {detail}. Nothing was changed.", detail=detail),
        source=path,
        next_step=tr("Take another backup; an older one is better than a damaged one."),
    )


def _append_files(
    stream: BinaryIO, data_key: bytes, salt: bytes, files: Iterator[ProfileFile]
) -> tuple[list[SealedFile], list[str]]:
    sealed_files: list[SealedFile] = []
    left_out: list[str] = []
    for file in files:
        try:
            with file.path.open("rb") as source:
                data = source.read(MAX_FILE_SIZE_BYTES + 1)
        except FileNotFoundError:
            continue  # It was moved away a moment ago; then it is no part of the profile any more.
        if len(data) > MAX_FILE_SIZE_BYTES:
            left_out.append(file.name)
            continue
        sealed = _seal(data_key, salt, f"file {file.name}", data)
        sealed_files.append(SealedFile(file.name, stream.tell(), len(sealed)))
        stream.write(sealed)
    return sealed_files, left_out


def _read_tail(stream: BinaryIO, path: Path) -> tuple[bytes, int, int, int, int]:
    salt = stream.read(SALT_SIZE_BYTES)
    size = stream.seek(0, os.SEEK_END)
    if size < PAGE_SIZE_BYTES + _TAIL.size:
        raise _no_backup(path)
    stream.seek(size - _TAIL.size)
    magic, form, database_size, contents_at, keys_at = _TAIL.unpack(stream.read(_TAIL.size))
    if magic != _MAGIC:
        raise _no_backup(path)
    if form > FORMAT:
        raise OutsideError(
            tr("This backup was made by a newer Familiar. Nothing was changed."),
            tr("Install the newer version of Familiar to restore it."),
        )
    end = size - _TAIL.size
    if not (
        PAGE_SIZE_BYTES <= database_size <= contents_at < keys_at < end
        and database_size % PAGE_SIZE_BYTES == 0
        and keys_at - contents_at <= _MAX_CONTENTS_BYTES
    ):
        raise damaged_backup(path, tr("its parts do not fit together"))
    return salt, database_size, contents_at, keys_at, end


def _no_backup(path: Path) -> BadInputError:
    return BadInputError(
        tr("this is not a backup of Familiar, or its end is missing. Nothing was changed."),
        source=path,
        next_step=tr("Choose a file that 'familiar backup' or the backups page made, or copy it again."),
    )


def _parse(text: bytes, sealed: SealedBackup) -> BackupContents:
    try:
        shape: dict[str, Any] = json.loads(text)
        files = tuple(SealedFile(str(f["name"]), int(f["offset"]), int(f["sealed_size"])) for f in shape["files"])
        contents = BackupContents(
            made_at=datetime.fromisoformat(shape["made_at"]),
            cause=str(shape["cause"]),
            program=str(shape["program"]),
            schema=int(shape["schema"]),
            vault=str(shape["vault"]),
            pages=int(shape["pages"]),
            counts={str(kind): int(count) for kind, count in shape["counts"].items()},
            familiars={str(key): str(name) for key, name in shape["familiars"].items()},
            files=files,
            left_out=tuple(map(str, shape["left_out"])),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged_backup(sealed.path, tr("its table of contents cannot be read")) from error
    if contents.pages * PAGE_SIZE_BYTES != sealed.database_size or not all(_is_inside(file.name) for file in files):
        raise damaged_backup(sealed.path, tr("its table of contents does not fit the rest"))
    return contents


def _is_inside(name: str) -> bool:
    """Tell whether a file's name stays within the profile folder and its known parts."""
    parts = name.split("/")
    if not all(_PART.fullmatch(part) and part not in (".", "..") for part in parts):
        return False
    return name == "settings.toml" or (len(parts) > 1 and parts[0] in ("familiars", "lorebooks"))


def _seal(data_key: bytes, salt: bytes, what: str, data: bytes) -> bytes:
    nonce = os.urandom(_NONCE_SIZE_BYTES)
    return nonce + AESGCM(_sealing_key(data_key)).encrypt(nonce, data, _bound(salt, what))


def _unseal(data_key: bytes, salt: bytes, what: str, sealed: bytes, path: Path) -> bytes:
    nonce, text = sealed[:_NONCE_SIZE_BYTES], sealed[_NONCE_SIZE_BYTES:]
    try:
        return AESGCM(_sealing_key(data_key)).decrypt(nonce, text, _bound(salt, what))
    except (InvalidTag, ValueError) as error:
        raise damaged_backup(path, tr("a part behind the database is not what was written")) from error


def _sealing_key(data_key: bytes) -> bytes:
    return hmac.new(data_key, b"familiar backup sealing key", hashlib.sha256).digest()


def _bound(salt: bytes, what: str) -> bytes:
    return salt + what.encode("utf-8")
