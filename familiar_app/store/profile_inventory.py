"""What belongs to a profile on the disk: its files by kind, and how much room they take.

Only what the program itself makes counts, in the profile's folder and among the backups that its settings name.
Whatever else lies there is named, so that whoever removes a profile leaves it alone.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from familiar_app.domain.amount import size_text
from familiar_app.domain.backup import mark_of
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.model_catalogue import is_model_file_name
from familiar_app.domain.text import ntr, tr
from familiar_app.store.backup_file import SealedBackup
from familiar_app.store.fault import translated
from familiar_app.store.keys import KeyFile
from familiar_app.store.profile import Profile
from familiar_app.store.profile_swap import COMING, kept_folders

Kind = Literal["vault", "aside", "backups", "elsewhere", "characters", "lorebooks", "settings", "logs", "models"]

MARK = "erasing.json"
"""The note of an erasure that is under way."""
_LOCK = "vault.lock"
_VAULT = re.compile(r"vault\.(db|keys)([-.].*)?")
_SETTINGS = re.compile(r"settings\.toml(\.writing)?|erasing\.json\.writing")
_LOG = re.compile(r"familiar\.log(\.\d+)?")
_PART = re.compile(r"\.part(\.json)?(\.writing)?$")
ORDER: tuple[Kind, ...] = (
    "vault", "aside", "elsewhere", "backups", "characters", "lorebooks", "settings", "logs", "models",
)  # fmt: skip
"""The order in which they go: without its keys nobody reads a vault, whatever keeps the rest from being removed."""

_WORDS: dict[Kind, Callable[[int, str], str]] = {
    "vault": lambda _n, size: tr("The vault and its keys, {size}", size=size),
    "aside": lambda n, size: ntr(
        "{n} vault that was set aside, {size}", "{n} vaults that were set aside, {size}", n, size=size
    ),
    "elsewhere": lambda n, size: ntr(
        "{n} backup in another folder, {size}", "{n} backups in another folder, {size}", n, size=size
    ),
    "backups": lambda n, size: ntr("{n} backup, {size}", "{n} backups, {size}", n, size=size),
    "characters": lambda n, size: ntr(
        "{n} familiar with its files, {size}", "{n} familiars with their files, {size}", n, size=size
    ),
    "lorebooks": lambda n, size: ntr(
        "{n} lorebook of everybody, {size}", "{n} lorebooks of everybody, {size}", n, size=size
    ),
    "settings": lambda _n, size: tr("The settings, {size}", size=size),
    "logs": lambda n, size: ntr("{n} file of the log, {size}", "{n} files of the log, {size}", n, size=size),
    "models": lambda n, size: ntr("{n} downloaded model, {size}", "{n} downloaded models, {size}", n, size=size),
}

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """What there is of one kind: how many, and how much room they take."""

    kind: Kind
    count: int
    size_bytes: int

    def in_words(self) -> str:
        """Say what it is: `3 backups, 12 MB`."""
        return _WORDS[self.kind](self.count, size_text(self.size_bytes))


@dataclass(frozen=True, slots=True)
class WholePlan:
    """What would go. `stays` names what others put into the folder, `foreign` counts backups of other vaults."""

    root: Path
    parts: tuple[Part, ...]
    stays: tuple[str, ...] = ()
    elsewhere: Path | None = None
    foreign: int = 0


@dataclass(slots=True)
class Found:
    """The files and folders that go, by kind; `roots` are folders that go where nothing else is left in them."""

    places: dict[Kind, list[Path]] = field(default_factory=lambda: {kind: [] for kind in ORDER})
    roots: list[Path] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)
    elsewhere: Path | None = None
    foreign: int = 0


def look(root: Path) -> WholePlan:
    """Tell what would go with the profile in `root`. Blocks while it counts. Raises OutsideError."""
    with translated(root / MARK):
        found = find_parts(root)
        find_elsewhere(found, root)
        parts = tuple(_part(kind, found.places[kind]) for kind in ORDER if found.places[kind])
    return WholePlan(root, parts, tuple(found.stays), found.elsewhere, found.foreign)


def find_parts(root: Path) -> Found:
    """Find everything of the profile that lies in its folder. Blocks. Raises OSError."""
    found = Found()
    aside = {path.name for _at, path in kept_folders(root)}
    for entry in sorted(root.iterdir()) if root.is_dir() else ():
        name = entry.name
        if name in (_LOCK, MARK):
            continue
        if _VAULT.fullmatch(name):
            found.places["vault"] += _with_target(entry)
        elif _SETTINGS.fullmatch(name):
            found.places["settings"].append(entry)
        elif name == COMING or name in aside:
            found.places["aside"].append(entry)
        elif name == "familiars":
            _take_all(found, "characters", entry)
        elif name == "lorebooks":
            _take_all(found, "lorebooks", entry)
        elif name in _PICKED and entry.is_dir():
            _pick(found, entry)
        else:
            found.stays.append(name)
    return found


def _take_all(found: Found, kind: Kind, folder: Path) -> None:
    """Take what lies in a folder that is the program's own. A link to one is emptied where it leads."""
    found.places[kind] += sorted(folder.iterdir()) if folder.is_dir() else [folder]
    found.roots.append(folder)


def _pick(found: Found, folder: Path) -> None:
    """Take from a folder with an everyday name only what the program itself writes there."""
    kind, is_ours = _PICKED[folder.name]
    found.roots.append(folder)
    for path in sorted(folder.iterdir()):
        if is_ours(path.name):
            found.places[kind].append(path)
        else:
            found.stays.append(f"{folder.name}/{path.name}")


def is_backup(name: str) -> bool:
    """Tell whether a file of this name is a backup, or one that was never finished."""
    return name.endswith(".backup") or _is_unfinished_backup(name)


def _is_unfinished_backup(name: str) -> bool:
    return name.startswith(".") and name.endswith(".backup.writing")


def _is_model(name: str) -> bool:
    return is_model_file_name(_PART.sub("", name))


def _is_log(name: str) -> bool:
    return _LOG.fullmatch(name) is not None


_PICKED: dict[str, tuple[Kind, Callable[[str], bool]]] = {
    "backups": ("backups", is_backup),
    "models": ("models", _is_model),
    "logs": ("logs", _is_log),
}


def find_elsewhere(found: Found, root: Path) -> None:
    """Take the backups of this vault from the folder that the settings name; other profiles may keep theirs there."""
    try:
        folder = root / Path(Profile(root).settings().backup.folder).expanduser()
        own = KeyFile.read(root / "vault.keys").vault
    except FamiliarError as error:
        log.warning("whether backups lie elsewhere could not be found out", exc_info=error)
        return
    if not folder.is_dir() or folder.resolve() == (root / "backups").resolve():
        return
    for path in sorted(folder.iterdir()):
        if mark_of(path.name) is None or not path.is_file():
            continue
        if _vault_of(path) == own:
            found.places["elsewhere"].append(path)
        else:
            found.foreign += 1
    found.elsewhere = folder if found.places["elsewhere"] or found.foreign else None


def _vault_of(path: Path) -> str | None:
    try:
        return SealedBackup(path).keys.vault
    except FamiliarError as error:
        log.warning("a backup elsewhere could not be read", exc_info=error)
        return None


def _with_target(path: Path) -> list[Path]:
    """Return a file of the vault; where it is a link, also the files it leads to."""
    if not path.is_symlink():
        return [path]
    target = path.resolve()
    beside = [target.with_name(f"{target.name}{suffix}") for suffix in ("", "-wal", "-shm", "-journal")]
    return [*(one for one in beside if one.is_file()), path]


def _part(kind: Kind, places: list[Path]) -> Part:
    files = [file for place in places for file in _files(place)]
    counts: dict[Kind, int] = {
        "vault": 1,
        "characters": sum(place.is_dir() and not place.name.startswith(".") for place in places),
        "aside": len(places),
        "lorebooks": sum(file.suffix == ".toml" for file in files),
        "models": sum(is_model_file_name(file.name) for file in files),
    }
    size = sum(file.lstat().st_size for file in files)
    return Part(kind, counts.get(kind, len(files)), size)


def _files(place: Path) -> Iterator[Path]:
    if place.is_dir() and not place.is_symlink():
        for folder, _below, names in os.walk(place):
            yield from (Path(folder, name) for name in names)
    else:
        yield place
