"""What could be on the disk if the power had failed at one moment of a run that `bad_disk.c` recorded.

What a program forced to the disk is there. Of what it wrote since, any part may be there or not, down to single sectors
of a write; of names made, changed and removed since their folder was last forced, the first few, in their order.
"""

from __future__ import annotations

import random
import shutil
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_ENTRY = struct.Struct("=c3xIIIq")
_SECTOR = 512


@dataclass(frozen=True)
class Deed:
    """One thing that the program did. Kinds: Write, Truncate, Sync, Create, Rename, Link, Unlink, Mkdir, Out, Err."""

    kind: str
    path: str
    data: bytes
    offset: int


def read_record(path: Path) -> list[Deed]:
    """Read a record. What was cut off at its end is left out."""
    data, place, deeds = path.read_bytes(), 0, []
    while place + _ENTRY.size <= len(data):
        kind, path_size, data_size, _pad, offset = _ENTRY.unpack_from(data, place)
        place += _ENTRY.size
        name = data[place : place + path_size]
        place += path_size
        deeds.append(Deed(kind.decode(), name.decode(), data[place : place + data_size], offset))
        place += data_size
    return deeds


def spans(deeds: list[Deed]) -> Mapping[str, int]:
    """Tell how often each kind of operation happened, by the names of the language of faults."""
    kinds = Counter({"W": "write", "T": "write", "S": "sync", "C": "create"}.get(deed.kind, "name") for deed in deeds)
    said = sum(deed.kind in "OE" for deed in deeds)
    return {name: kinds[name] - (said if name == "name" else 0) for name in ("write", "sync", "name", "create")}


def said_before(deeds: list[Deed], moment: int) -> str:
    """Return what had been said on standard error by then."""
    return b"".join(deed.data for deed in deeds[:moment] if deed.kind == "E").decode(errors="replace")


@dataclass
class _Content:
    """A file: what is on the disk for certain, and what was done to it since."""

    durable: bytearray = field(default_factory=bytearray)
    since: list[Deed] = field(default_factory=list)

    def sync(self) -> None:
        for deed in self.since:
            _apply(self.durable, deed)
        self.since.clear()

    def after_the_fault(self, chance: random.Random) -> bytes:
        content = bytearray(self.durable)
        reached = self.since[: chance.randint(0, len(self.since))]
        for deed in reached:
            if deed.kind == "T" or chance.random() < 0.7:
                _apply(content, deed)
            elif chance.random() < 0.5:
                _apply(content, _torn(deed, chance))
        return bytes(content)


def _apply(content: bytearray, deed: Deed) -> None:
    if deed.kind == "T":
        del content[deed.offset :]
        content.extend(bytes(deed.offset - len(content)))
        return
    content.extend(bytes(max(0, deed.offset - len(content))))
    content[deed.offset : deed.offset + len(deed.data)] = deed.data


def _torn(deed: Deed, chance: random.Random) -> Deed:
    """Return the beginning of a write, cut at the edge of a sector."""
    edge = (deed.offset // _SECTOR + chance.randint(1, len(deed.data) // _SECTOR + 1)) * _SECTOR - deed.offset
    return Deed(deed.kind, deed.path, deed.data[: max(0, edge)], deed.offset)


class Disk:
    """The files of one folder, as the record says they came to be."""

    def __init__(self, before: Path, folder: Path) -> None:
        """Begin with what `before` holds, wholly on the disk as `folder`."""
        self._root = folder
        self._files: dict[str, _Content | None] = {str(folder): None}
        for path in before.rglob("*"):
            self._files[str(folder / path.relative_to(before))] = (
                _Content(bytearray(path.read_bytes())) if path.is_file() else None
            )
        self._durable = dict(self._files)
        self._names_since: list[Deed] = []
        self._made_since: list[_Content] = []

    def do(self, deed: Deed) -> None:
        """Let one thing happen."""
        match deed.kind:
            case "W" | "T":
                content = self._files.get(deed.path)
                if content is not None:
                    content.since.append(deed)
            case "S":
                content = self._files.get(deed.path)
                if content is not None:
                    content.sync()
                else:
                    self._names_reach_the_disk()
            case "C" | "R" | "L" | "U" | "M":
                self._names_since.append(deed)
                self._made_since.append(_Content())
                _rename(self._files, deed, self._made_since[-1])

    def fail(self, target: Path, chance: random.Random) -> None:
        """Write to `target` what the power failure left."""
        names = dict(self._durable)
        reached = chance.randint(0, len(self._names_since))
        for deed, made in zip(self._names_since[:reached], self._made_since, strict=False):
            _rename(names, deed, made)
        shutil.rmtree(target, ignore_errors=True)
        for name in sorted(names):
            content = names[name]
            place = target / Path(name).relative_to(self._root)
            if content is None:
                place.mkdir(parents=True, exist_ok=True)
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.after_the_fault(chance))

    def _names_reach_the_disk(self) -> None:
        """A folder was forced to the disk, and with it every change of names before, as journals do it."""
        self._durable = dict(self._files)
        self._names_since.clear()
        self._made_since.clear()


def _rename(names: dict[str, _Content | None], deed: Deed, made: _Content) -> None:
    if deed.kind == "C":
        names[deed.path] = made
    elif deed.kind == "M":
        names[deed.path] = None
    elif deed.kind == "U":
        names.pop(deed.path, None)
    elif deed.kind == "L":
        names[deed.data.decode()] = names[deed.path]
    else:
        target = deed.data.decode()
        below = [name for name in names if name == deed.path or name.startswith(f"{deed.path}/")]
        for name in below:
            names[target + name.removeprefix(deed.path)] = names.pop(name)


def failures(
    before: Path, deeds: list[Deed], chance: random.Random, count: int, folder: Path, target: Path
) -> Iterator[int]:
    """Lay out `count` disks after a failure in `target`, one after the other; yields the moment of each, at last the
    one after the end of the run.

    `before` is a copy of `folder` as it was when the recorded run began.
    """
    changing = [place for place, deed in enumerate(deeds) if deed.kind in "WTSRLUCM"]
    moments = [*sorted(chance.choice(changing) for _ in range(count - 1)), len(deeds)] if changing else []
    disk, done = Disk(before, folder.resolve()), 0
    for moment in moments:
        for deed in deeds[done:moment]:
            disk.do(deed)
        done = max(done, moment)
        disk.fail(target, chance)
        yield moment
