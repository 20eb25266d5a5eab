"""Bytes that change while nobody looks: the regions of a profile, and one flipped bit in one of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.faults.fault import LOST_POWER, at
from tests.faults.house import House
from tests.faults.lost_power import read_record

PAGE = 4096
WAL_HEADER, FRAME_HEADER = 32, 24
FRAME = FRAME_HEADER + PAGE


@dataclass(frozen=True)
class Flip:
    """One bit of one file."""

    path: Path
    place: int
    bit: int

    def __str__(self) -> str:
        return f"bit {self.bit} of byte {self.place} of {self.path.name}"

    @property
    def in_last_commit(self) -> bool:
        """Whether it hits the end of the log of changes, where damage looks just like a write that was cut off."""
        data = self.path.read_bytes()
        places = range(WAL_HEADER, len(data) - FRAME + 1, FRAME)
        commits = [place for place in places if data[place + 4 : place + 8] != bytes(4)]
        return self.place >= (commits[-2] if len(commits) > 1 else 0)

    def do(self) -> None:
        """Change it. Done twice, it is as before."""
        data = bytearray(self.path.read_bytes())
        data[self.place] ^= 1 << self.bit
        self.path.write_bytes(data)


def _anywhere(name: str) -> Callable[[House, random.Random], Flip]:
    def choose(house: House, chance: random.Random) -> Flip:
        path = house.profile / name
        return Flip(path, chance.randrange(path.stat().st_size), chance.randrange(8))

    return choose


def _between(name: str, first: int, last: int) -> Callable[[House, random.Random], Flip]:
    return lambda house, chance: Flip(house.profile / name, chance.randrange(first, last), chance.randrange(8))


def _page(house: House, chance: random.Random) -> Flip:
    path = house.profile / "vault.db"
    page = chance.randrange(1, path.stat().st_size // PAGE)
    return Flip(path, page * PAGE + chance.randrange(PAGE), chance.randrange(8))


def _frame(first: int, last: int) -> Callable[[House, random.Random], Flip]:
    def choose(house: House, chance: random.Random) -> Flip:
        path = house.profile / "vault.db-wal"
        frames = (path.stat().st_size - WAL_HEADER) // FRAME
        begin = WAL_HEADER + chance.randrange(frames) * FRAME
        return Flip(path, begin + chance.randrange(first, last), chance.randrange(8))

    return choose


DATABASE: Mapping[str, Callable[[House, random.Random], Flip]] = {
    "the salt": _between("vault.db", 0, 16),
    "the first page": _between("vault.db", 16, PAGE),
    "a page": _page,
}
LOG: Mapping[str, Callable[[House, random.Random], Flip]] = {
    "the head of the log of changes": _between("vault.db-wal", 0, WAL_HEADER),
    "the head of a frame": _frame(0, FRAME_HEADER),
    "the page of a frame": _frame(FRAME_HEADER, FRAME),
}
KEYS: Mapping[str, Callable[[House, random.Random], Flip]] = {"the key file": _anywhere("vault.keys")}
TEXTS: Mapping[str, Callable[[House, random.Random], Flip]] = {
    "the settings": _anywhere("settings.toml"),
    "the configuration": _anywhere("familiars/aria/character.toml"),
    "the card": _anywhere("familiars/aria/character.md"),
    "the lorebook": _anywhere("familiars/aria/lorebook.toml"),
}


def leave_log(house: House, past: House) -> None:
    """Kill the program before it brings the log of changes into the database: what it said lies in the log alone."""
    ran = house.run("say", "before the end", fault=LOST_POWER)
    assert ran.record is not None
    writes = [deed for deed in read_record(ran.record) if deed.kind in "WT"]
    house.begin_again(past)
    first = next(place for place, deed in enumerate(writes, 1) if deed.path.endswith("vault.db"))
    ran = house.run("say", "before the end", fault=at(first).write.kills)
    assert ran.killed
    assert len([line for line in ran.lines if "is stored" in line]) == 2, "it was killed before it had said so"
    assert (house.profile / "vault.db-wal").stat().st_size > WAL_HEADER
