"""What the window asks of the system it runs on, and the profiles as a list shows them. Knows no Qt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from familiar_app.domain.text import tr
from familiar_app.store.profile import Profile
from familiar_app.store.profile_list import ProfileList


class Autostart(Protocol):
    """Whether the system starts the program for this profile. Methods block; they raise OutsideError."""

    def is_on(self) -> bool: ...

    def switch(self, on: bool) -> None: ...


class Library(Protocol):
    """A library that the program stands on."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def licence(self) -> str: ...

    @property
    def text(self) -> str: ...


class Build(Protocol):
    """This copy of the program. `packed` is None where it runs from its sources."""

    @property
    def packed(self) -> date | None: ...

    @property
    def libraries(self) -> Sequence[Library]: ...


@dataclass(frozen=True, slots=True)
class Desktop:
    """`launch` opens a profile in a program of its own and raises OutsideError; `build` blocks while it reads."""

    profile: Path
    profiles: ProfileList
    portable: bool
    autostart: Autostart
    launch: Callable[[Path], object]
    build: Callable[[], Build]

    def titled(self, text: str) -> str:
        """Return a window's title that says which profile it shows, where that is not the usual one."""
        name = self.profiles.name(self.profile)
        return f"{text} ({name})" if name else text


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One profile of the list. `here` is the one this window shows, `kept` may be taken from the list."""

    folder: Path
    name: str
    note: str
    here: bool
    kept: bool


class ProfileRows:
    """Reads and changes the list; every method is a coroutine and works in a thread."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    async def read(self) -> list[ProfileRow]:
        """Return the usual profile, those that were kept, and the one that is shown."""
        return await asyncio.to_thread(self._read)

    async def make(self, name: str) -> Path:
        """Put a new profile on the list and open it; its folder is made when its vault is."""
        folder = self._desktop.profiles.place(name)
        await self.open(folder)
        return folder

    async def open(self, folder: Path) -> None:
        """Open a profile in a window of its own, and keep it on the list."""
        await self.keep(folder)
        self._desktop.launch(folder)

    async def keep(self, folder: Path) -> None:
        await asyncio.to_thread(self._desktop.profiles.keep, folder)

    async def forget(self, folder: Path) -> None:
        await asyncio.to_thread(self._desktop.profiles.forget, folder)

    def _read(self) -> list[ProfileRow]:
        known = self._desktop.profiles.known()
        here = self._desktop.profile
        shown = known if any(_same(one, here) for one in known) else [*known, here]
        return [self._row(one, known) for one in shown]

    def _row(self, folder: Path, known: Sequence[Path]) -> ProfileRow:
        here = _same(folder, self._desktop.profile)
        name = self._desktop.profiles.name(folder) or tr("The usual one")
        kept = folder in known[1:]
        return ProfileRow(folder, name, _note(folder, here, gone=kept), here, kept)


def _note(folder: Path, here: bool, *, gone: bool) -> str:
    """Say how a profile stands; with `gone`, its disk may have been taken out."""
    if here:
        return tr("Shown in this window")
    if Profile(folder).exists():
        return ""
    return tr("Not there now") if gone and not folder.parent.is_dir() else tr("No vault there yet")


def _same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()
