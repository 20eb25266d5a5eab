"""What another program's card says beyond ours, and the files that came in its archive, kept for writing it back.

It is one zip: `said.json` leads from a card as we write it to the one that was read (see `lorebook.foreign`), and below
`files/` lie the archive's members. The lorebook is not in it, since that has a file of its own.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.lorebook.fieldmap import get_path
from familiar_app.interchange.card_json import CardVersion, card_format, card_to_json
from familiar_app.interchange.cards import CardImport
from familiar_app.interchange.charx import CARD_NAME, Members, members_of, open_member
from familiar_app.interchange.json_text import storable
from familiar_app.interchange.lorebook.foreign import Residue, residue_between, residue_from

_SAID = "said.json"
_FILES = "files/"
_VERSIONS: tuple[CardVersion, ...] = ("card-v3", "card-v2", "card-v1")


@dataclass(frozen=True, slots=True)
class KeptCard:
    """The raw object that a card of ours is laid over, and the files of its archive by name."""

    raw: Mapping[str, Any] | None = field(default=None, repr=False)
    files: Members = field(default_factory=dict, repr=False)


def kept_of(found: CardImport) -> bytes | None:
    """Return what is to be kept of an imported card, None where we say it all."""
    version = card_format(found.raw) if found.raw else None
    said = "" if version is None else _residue(found, version).to_text(version)
    files = {name: data for name, data in found.files.items() if name != CARD_NAME}
    if not said and not files:
        return None
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_SAID, said)
        for name, data in files.items():
            archive.writestr(_FILES + name, data)
    return buffer.getvalue()


def kept_card(card: CharacterCard, kept: bytes | None) -> KeptCard:
    """Return what `kept_of` kept, as it belongs to the card of today. What cannot be read counts as nothing."""
    if kept is None:
        return KeptCard()
    try:
        with zipfile.ZipFile(io.BytesIO(kept)) as archive:
            said = _said(archive)
            members = members_of(archive)
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError):
        return KeptCard()
    files = {name.removeprefix(_FILES): data for name, data in members.items() if name.startswith(_FILES)}
    for version in _VERSIONS:
        residue = residue_from(said, version)
        if residue is not None:
            return KeptCard(residue.apply(card_to_json(card, version)), files)
    return KeptCard(None, files)


def characters_note(path: Path) -> str:
    """Return the note of the character's own that a kept card has (`depth_prompt`), empty where there is none.

    Only that part of the file is read. What cannot be read counts as nothing.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            said = _said(archive)
    except (OSError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError):
        return ""
    for version in _VERSIONS:
        residue = residue_from(said, version)
        if residue is not None:
            note = get_path(residue.apply({}), "data.extensions.depth_prompt.prompt")
            return storable(note) if isinstance(note, str) else ""
    return ""


def _said(archive: zipfile.ZipFile) -> str:
    with open_member(archive, archive.getinfo(_SAID)) as member:
        return member.read().decode("utf-8")


def _residue(found: CardImport, version: CardVersion) -> Residue:
    raw = {name: value for name, value in found.raw.items() if name != "character_book"}
    if isinstance(raw.get("data"), Mapping):
        raw["data"] = {name: value for name, value in raw["data"].items() if name != "character_book"}
    return residue_between(card_to_json(found.card, version), raw)
