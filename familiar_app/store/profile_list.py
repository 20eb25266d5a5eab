"""The profiles that somebody chose in the window, beside the usual one: a small file of paths and nothing else.

Taking a profile from the list leaves its folder alone. Where the file cannot be read, it is not written either.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr
from familiar_app.store.fault import translated
from familiar_app.store.toml_file import read_text
from familiar_app.store.written_file import write_atomically

MOST = 100


class ProfileList:
    """`usual` is the profile that opens when none is named; the file lies beside its folder.

    Profiles below the folder of that file are kept by their way from there, so that a stick can be carried about.
    """

    def __init__(self, usual: Path) -> None:
        self.usual = _absolute(usual)
        self.file = self.usual.with_name(f"{self.usual.name}-profiles.json")

    def known(self) -> list[Path]:
        """Return the usual profile and then those that were kept. Raises BadInputError, OutsideError."""
        kept = [_absolute(self.file.parent / text) for text in self._kept()]
        return list(dict.fromkeys([self.usual, *kept]))

    def name(self, folder: Path) -> str:
        """Return what a profile is called, "" for the usual one. One beside it is called by what its folder adds."""
        folder = _absolute(folder)
        if folder == self.usual:
            return ""
        head = f"{self.usual.name}-"
        beside = folder.parent == self.usual.parent and folder.name.startswith(head) and folder.name != head
        return folder.name.removeprefix(head) if beside else folder.name or str(folder)

    def place(self, name: str) -> Path:
        """Return the folder for a new profile of that name, beside the usual one. Raises BadInputError."""
        name = name.strip()
        plain = len(name) <= 40 and name[:1].isalnum() and all(one.isalnum() or one in " _-" for one in name)
        if not plain or self.usual.name + "-" + name == self.file.stem:
            raise BadInputError(
                tr("this is no name for a profile."), next_step=tr("Use up to 40 letters, digits, spaces, - and _.")
            )
        return self.usual.with_name(f"{self.usual.name}-{name}")

    def keep(self, folder: Path) -> None:
        """Put a profile on the list."""
        wanted = _absolute(folder)
        if wanted not in (known := self.known()):
            self._write([*known[1:], wanted][-MOST:])

    def forget(self, folder: Path) -> None:
        """Take a profile from the list. Its folder stays as it is."""
        gone = _absolute(folder)
        if gone in (kept := self.known()[1:]):
            self._write([one for one in kept if one != gone])

    def _kept(self) -> Sequence[str]:
        if not self.file.exists():
            return ()
        try:
            content: Any = json.loads(read_text(self.file))
        except (json.JSONDecodeError, RecursionError) as error:
            raise self._wrong() from error
        paths = content.get("profiles") if isinstance(content, dict) else None
        if not isinstance(paths, list) or not all(isinstance(one, str) and one and "\0" not in one for one in paths):
            raise self._wrong()
        return paths

    def _wrong(self) -> BadInputError:
        return BadInputError(
            tr("this is no list of profiles."),
            source=self.file,
            next_step=tr("Remove the file; the profiles themselves are elsewhere."),
        )

    def _write(self, folders: Sequence[Path]) -> None:
        here = self.file.parent
        told = [str(one.relative_to(here)) if one.is_relative_to(here) else str(one) for one in folders]
        text = json.dumps({"profiles": told}, ensure_ascii=False, indent=2) + "\n"
        with translated(self.file):
            here.mkdir(parents=True, exist_ok=True)
            write_atomically(self.file, text.encode("utf-8", "surrogateescape"), private=True)


def _absolute(folder: Path) -> Path:
    """Return a path that is the same however it was written; links are left as they are."""
    return Path(os.path.normpath(folder.expanduser().absolute()))
