"""`.charx` archives: a zip, perhaps behind a picture, with `card.json` and the card's files.

Everything is read into memory and up to a limit; no name in the archive becomes a path.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr
from familiar_app.interchange.json_text import MAX_JSON_BYTES
from familiar_app.interchange.png import SIGNATURE
from familiar_app.interchange.report import Report

CARD_NAME = "card.json"
PORTRAIT_NAME = "assets/icon/image/main.png"
Members = dict[str, bytes]
_MAX_MEMBERS = 20_000
_MAX_PORTRAIT_BYTES = 32 * 1024 * 1024
_MAX_KEPT_BYTES = 128 * 1024 * 1024
# The others are in no such archive, and one of them takes as much memory as its header says.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ASSET_PREFIXES = ("embeded://", "embedded://")


@dataclass(frozen=True, slots=True)
class CharxArchive:
    """An opened archive, held in memory."""

    zip: zipfile.ZipFile
    source: Path

    def card_json(self) -> bytes:
        """Return the bytes of the card object."""
        return _read_member(self.zip, CARD_NAME, MAX_JSON_BYTES, self.source)

    def files(self, report: Report) -> Members:
        """Return every member but the card, as far as they are of a reasonable size together."""
        try:
            return members_of(self.zip)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError):
            report.add(
                "assets",
                "ignored",
                tr("the files in the archive are damaged, encrypted, compressed in an unusual way or too large"),
            )
            return {}

    def portrait(self, data: Mapping[str, Any], report: Report) -> bytes | None:
        """Return the card's portrait where it is a PNG inside the archive."""
        for uri in _portrait_uris(data):
            name = asset_name(uri)
            if name is None or name not in self.zip.NameToInfo:
                continue
            picture = _read_member(self.zip, name, _MAX_PORTRAIT_BYTES, self.source)
            if picture.startswith(SIGNATURE):
                return picture
            report.add("assets", "ignored", tr("the portrait is not a PNG picture"))
        return None


def is_zip(data: bytes) -> bool:
    """Tell whether a zip archive lies in these bytes, at the start or behind something else."""
    return data.startswith(b"PK\x03\x04") or zipfile.is_zipfile(io.BytesIO(data))


def open_charx(data: bytes, *, source: Path) -> CharxArchive:
    """Open an archive. Raises BadInputError where it is damaged, too large or without a card."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError) as error:
        raise BadInputError(tr("the archive is damaged."), source=source) from error
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise BadInputError(tr("the archive holds more than {limit} files.", limit=_MAX_MEMBERS), source=source)
    if CARD_NAME not in archive.NameToInfo:
        raise BadInputError(tr("the archive holds no card.json."), source=source)
    return CharxArchive(archive, source)


def write_charx(card_json: bytes, files: Members) -> bytes:
    """Return an archive with this card object and these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(CARD_NAME, card_json)
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Open a member for reading. Raises NotImplementedError where it is compressed in an unusual way."""
    if info.compress_type not in _METHODS:
        raise NotImplementedError("unusual compression")
    return archive.open(info)


def members_of(archive: zipfile.ZipFile) -> Members:
    """Read all members but the card into memory. Raises ValueError where they are too large together."""
    found: Members = {}
    left = _MAX_KEPT_BYTES
    for info in archive.infolist():
        if info.is_dir() or info.filename == CARD_NAME:
            continue
        with open_member(archive, info) as member:
            data = member.read(left + 1)
        left -= len(data)
        if left < 0:
            raise ValueError("too large")
        found[info.filename] = data
    return found


def asset_name(uri: object) -> str | None:
    """Return the member that an address of an asset names, None where it lies elsewhere."""
    text = uri if isinstance(uri, str) else ""
    return next((text[len(prefix) :] for prefix in _ASSET_PREFIXES if text.startswith(prefix)), None)


def _read_member(archive: zipfile.ZipFile, name: str, limit_bytes: int, source: Path) -> bytes:
    try:
        with open_member(archive, archive.getinfo(name)) as member:
            data = member.read(limit_bytes + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise BadInputError(
            tr("{name} in the archive is damaged, encrypted or compressed in an unusual way.", name=name), source=source
        ) from error
    if len(data) > limit_bytes:
        raise BadInputError(
            tr("{name} is larger than {limit} MiB.", name=name, limit=limit_bytes // 1024 // 1024), source=source
        )
    return data


def _portrait_uris(data: Mapping[str, Any]) -> list[str]:
    """Return the addresses of portraits, the main one first."""
    assets = data.get("assets")
    icons = [
        asset
        for asset in (assets if isinstance(assets, list) else [])
        if isinstance(asset, Mapping) and asset.get("type") == "icon" and isinstance(asset.get("uri"), str)
    ]
    icons.sort(key=lambda asset: asset.get("name") != "main")
    return [str(asset["uri"]) for asset in icons]
