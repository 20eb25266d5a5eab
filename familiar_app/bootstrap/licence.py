"""The libraries that the program stands on, with their licences, read without a network.

From its sources it asks what is installed; a packed program has no such records and reads a file that was written while
it was packed, which has the day of that too.
"""

from __future__ import annotations

import json
import platform
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from familiar_app.domain.text import tr, tr_later
from familiar_app.store.resource import resource

FILE = "build.json"
OWN = "familiar"
LONGEST_TEXT_CHARS = 400_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FILE_NAME = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)
_CLASSIFIER = "License :: "
_UNSAID = tr_later("see its text")


@dataclass(frozen=True, slots=True)
class Library:
    """One library: what it is called, which version is here, under which licence, and the texts that came with it."""

    name: str
    version: str
    licence: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """What is known of this copy of the program. `packed` is None where it runs from its sources."""

    packed: date | None
    libraries: tuple[Library, ...]


def this_build() -> Build:
    """Read what was written while packing, else what is installed. Blocks; call it on a thread."""
    kept = resource("app") / FILE
    if not kept.is_file():
        return Build(None, tuple(installed()))
    told = json.loads(kept.read_text(encoding="utf-8"))
    return Build(date.fromisoformat(told["packed"]), tuple(Library(**one) for one in told["libraries"]))


def write_build(path: Path, packed: date) -> None:
    """Write what a packed program will read."""
    told = {"packed": packed.isoformat(), "libraries": [asdict(one) for one in installed()]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")


def installed() -> list[Library]:
    """Return Python and every library that the program needs on this system, by name."""
    python = Library("Python", platform.python_version(), "PSF-2.0")
    return [python, *sorted(_needed(_own_requirements()), key=lambda one: one.name.casefold())]


def _own_requirements() -> Sequence[str]:
    """Return what the program itself names: in a source tree its project file, else the records of its installation."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if not project.is_file():
        return _requirements(OWN)
    told = tomllib.loads(project.read_text(encoding="utf-8"))
    return _names(told["project"]["dependencies"])


def _needed(names: Sequence[str]) -> Iterator[Library]:
    """Walk over libraries, what they need, what those need, and so on."""
    seen, waiting = {_same(OWN)}, list(names)
    while waiting:
        name = waiting.pop()
        if _same(name) in seen:
            continue
        seen.add(_same(name))
        try:
            found = distribution(name)
        except PackageNotFoundError:
            # Needed on another system only.
            continue
        yield _library(found)
        waiting += _requirements(name)


def _requirements(name: str) -> Sequence[str]:
    """Return the names that a library needs; what is only for its extras is left out."""
    try:
        return _names(distribution(name).requires or ())
    except PackageNotFoundError:
        return ()


def _names(told: Sequence[str]) -> Sequence[str]:
    names = (_NAME.match(one) for one in told if "extra" not in one.partition(";")[2])
    return [one.group() for one in names if one]


def _library(found: Distribution) -> Library:
    about: Any = found.metadata
    return Library(about["Name"], found.version, licence_name(about), _text(found))


def licence_name(about: Any) -> str:
    """Return the short name of a licence as a library's records tell it."""
    told = (about.get("License-Expression") or "").strip()
    if told:
        return str(told)
    classes = [one.rpartition(" :: ")[2] for one in about.get_all("Classifier") or () if one.startswith(_CLASSIFIER)]
    if classes := [one for one in classes if one != "OSI Approved"]:
        return ", ".join(classes)
    line = (about.get("License") or "").strip()
    # Some put the whole text there.
    return str(line) if line and "\n" not in line and len(line) <= 80 else tr(_UNSAID)


def _text(found: Distribution) -> str:
    """Return the texts of licences that came with a library, one below the other."""
    parts: dict[str, str] = {}
    for file in found.files or ():
        if _FILE_NAME.match(file.name) and file.suffix.lower() not in (".py", ".pyc", ".json"):
            place = Path(str(file.locate()))
            if place.is_file():
                parts.setdefault(place.read_text(encoding="utf-8", errors="replace").strip(), file.name)
    whole = "\n\n".join(f"── {name} ──\n\n{text}" if len(parts) > 1 else text for text, name in parts.items())
    return whole[:LONGEST_TEXT_CHARS]


def _same(name: str) -> str:
    """Return a name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
