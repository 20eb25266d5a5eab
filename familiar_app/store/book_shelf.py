"""The lorebook files of one familiar: makes, moves and discards them, and says which channels name which book.

Books for every familiar lie in the profile's `lorebooks`, books for channels in the familiar's. What is discarded lies
in a folder `trash` beside its old place, where no prompt looks.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr
from familiar_app.store.fault import translated
from familiar_app.store.profile import Profile
from familiar_app.store.written_file import sync_folder, write_atomically

Binding = Literal["familiar", "channel", "everywhere", "nowhere"]
TRASH = "trash"
_LONGEST = 60
_ENTRY = re.compile(r"^\s*\[\[\s*entries\s*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BookFile:
    """A lorebook's file: what it is called, what binds it, and about how many entries it has."""

    path: Path
    binding: Binding
    channels: tuple[str, ...] = ()
    name: str = ""
    entries: int = 0


class BookShelf:
    """The files of one familiar. Methods block; call them in a thread."""

    def __init__(self, profile: Profile, familiar: FamiliarId) -> None:
        self._profile, self._familiar = profile, familiar
        self._own = profile.lorebook(familiar)

    @property
    def own(self) -> Path:
        """Where the familiar's own book lies, or would lie."""
        return self._own

    def config(self) -> CharacterConfig:
        """Return the familiar's settings as they are now. Raises OutsideError, BadInputError."""
        return self._profile.config(self._familiar)

    def books(self) -> list[BookFile]:
        """Return every book, the familiar's own first, also where it has none yet. Raises OutsideError."""
        config = self._profile.config(self._familiar)
        found = {self._own: BookFile(self._own, "familiar")}
        for place in self._profile.lorebooks(self._familiar, config):
            found[place.path] = BookFile(place.path, place.binding, place.channels)
        folder = self._folder("channel")
        with translated(folder):
            for path in sorted(folder.glob("*.toml")):
                found.setdefault(path, BookFile(path, "nowhere"))
        return [_with_head(one) for one in found.values()]

    def make(self, name: str, binding: Literal["channel", "everywhere"]) -> Path:
        """Make an empty book and return its file. Raises OutsideError."""
        path = self._free(self._folder(binding), name)
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, f"name = {_quoted(name)}\n".encode())
        return path

    def move(self, path: Path, binding: Literal["channel", "everywhere"]) -> Path:
        """Bring a book into the folder for channels or for everywhere. Raises UserError for the familiar's own."""
        if path == self._own:
            raise UserError(
                tr("The familiar's own lorebook stays with it."), tr("Export it, and import it into another one.")
            )
        folder = self._folder(binding)
        return path if path.parent == folder else self._moved(path, self._free(folder, path.stem))

    def discard(self, path: Path) -> Path:
        """Put a book into the trash and return where it lies there. Raises OutsideError."""
        return self._moved(path, self._free(path.parent / TRASH, path.stem))

    def restore(self, trashed: Path) -> Path:
        """Bring a book back from the trash beside its old place. Raises OutsideError."""
        folder = trashed.parent.parent
        own = folder == self._own.parent
        return self._moved(trashed, self._own if own and not self._own.exists() else self._free(folder, trashed.stem))

    def trashed(self) -> list[Path]:
        """Return the books in the trash of every place."""
        folders = (self._own.parent, self._folder("channel"), self._folder("everywhere"))
        return [path for folder in folders for path in sorted((folder / TRASH).glob("*.toml"))]

    def naming(self, path: Path, channels: tuple[str, ...], config: CharacterConfig) -> dict[str, Any]:
        """Return the changes of the familiar's settings that let just these channels name a book."""
        changes: dict[str, Any] = {}
        for channel in sorted({*config.channels, *channels}):
            settings = config.channels.get(channel)
            before = settings.lorebooks if settings is not None else ()
            after = tuple(name for name in before if name != path.stem)
            if channel in channels:
                after = before if path.stem in before else (*before, path.stem)
            if after != before:
                changes[f'channels."{channel}".lorebooks'] = after or None
        return changes

    def _folder(self, binding: Literal["channel", "everywhere"]) -> Path:
        return (self._own.parent if binding == "channel" else self._profile.root) / "lorebooks"

    def _moved(self, old: Path, new: Path) -> Path:
        with translated(old):
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)
            sync_folder(new.parent)
        return new

    def _free(self, folder: Path, name: str) -> Path:
        """Return a file that is not there yet, whatever the system makes of capitals."""
        stem = re.sub(r"[^\w -]+", "-", name, flags=re.UNICODE).strip(" -_.")[:_LONGEST] or "lorebook"
        taken = {path.stem.casefold() for path in folder.glob("*.toml")}
        number, chosen = 1, stem
        while chosen.casefold() in taken:
            number += 1
            chosen = f"{stem}-{number}"
        return folder / f"{chosen}.toml"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char for char in escaped if char.isprintable()) + '"'


def _with_head(one: BookFile) -> BookFile:
    """Read what a book is called. Only its head is parsed: a large book takes long, and is parsed when it is opened."""
    try:
        text = one.path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return BookFile(one.path, one.binding, one.channels, one.path.stem)
    head = re.split(r"^\s*\[", text, maxsplit=1, flags=re.MULTILINE)[0]
    try:
        name = tomllib.loads(head).get("name")
    except tomllib.TOMLDecodeError:
        name = None
    said = name if isinstance(name, str) and name.strip() else one.path.stem
    return BookFile(one.path, one.binding, one.channels, said, len(_ENTRY.findall(text)))
