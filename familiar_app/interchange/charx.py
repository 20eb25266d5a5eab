"""`.charx` archives: a zip, perhaps behind a picture, with `card.json` and the card's files.

Only the card and its portrait are read, into memory and up to a limit; no name in the archive becomes a path.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.interchange.json_text import MAX_JSON_BYTES
from familiar_app.interchange.png import SIGNATURE
from familiar_app.interchange.report import Report

_CARD_NAME = "card.json"
_MAX_MEMBERS = 20_000
_MAX_PORTRAIT_BYTES = 32 * 1024 * 1024
_ASSET_PREFIXES = ("embeded://", "embedded://")


@dataclass(frozen=True, slots=True)
class CharxArchive:
    """An opened archive, held in memory."""

    zip: zipfile.ZipFile
    source: Path

    def card_json(self) -> bytes:
        """Return the bytes of the card object."""
        return _read_member(self.zip, _CARD_NAME, MAX_JSON_BYTES, self.source)

    def portrait(self, data: Mapping[str, Any], report: Report) -> bytes | None:
        """Return the card's portrait where it is a PNG inside the archive."""
        for uri in _portrait_uris(data):
            name = next((uri[len(prefix) :] for prefix in _ASSET_PREFIXES if uri.startswith(prefix)), None)
            if name is None or name not in self.zip.NameToInfo:
                continue
            picture = _read_member(self.zip, name, _MAX_PORTRAIT_BYTES, self.source)
            if picture.startswith(SIGNATURE):
                return picture
            report.add("assets", "ignored", "the portrait is not a PNG picture")
        return None


def is_zip(data: bytes) -> bool:
    """Tell whether a zip archive lies in these bytes, at the start or behind something else."""
    return data.startswith(b"PK\x03\x04") or zipfile.is_zipfile(io.BytesIO(data))


def open_charx(data: bytes, *, source: Path) -> CharxArchive:
    """Open an archive. Raises BadInputError where it is damaged, too large or without a card."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError) as error:
        raise BadInputError("the archive is damaged.", source=source) from error
    if len(archive.infolist()) > _MAX_MEMBERS:
        raise BadInputError(f"the archive holds more than {_MAX_MEMBERS} files.", source=source)
    if _CARD_NAME not in archive.NameToInfo:
        raise BadInputError("the archive holds no card.json.", source=source)
    return CharxArchive(archive, source)


def write_charx(card_json: bytes, portrait_png: bytes | None) -> bytes:
    """Return an archive with this card object and portrait. Its object has to name `assets/icon/image/main.png`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_CARD_NAME, card_json)
        if portrait_png is not None:
            archive.writestr("assets/icon/image/main.png", portrait_png)
    return buffer.getvalue()


def _read_member(archive: zipfile.ZipFile, name: str, limit_bytes: int, source: Path) -> bytes:
    try:
        with archive.open(name) as member:
            data = member.read(limit_bytes + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise BadInputError(f"{name} in the archive is damaged or encrypted.", source=source) from error
    if len(data) > limit_bytes:
        raise BadInputError(f"{name} is larger than {limit_bytes // 1024 // 1024} MiB.", source=source)
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
