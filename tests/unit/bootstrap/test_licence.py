"""Libraries and licences: all that the program names and what stands below, also where it is packed."""

from __future__ import annotations

import tomllib
from datetime import date
from email.message import Message
from pathlib import Path

import pytest

from familiar_app.bootstrap import licence
from familiar_app.bootstrap.licence import FILE, installed, licence_name, this_build, write_build

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_every_library_that_the_project_names_is_there_with_a_licence() -> None:
    named = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    wanted = {one.split("=")[0].rstrip("<>!~ ").lower().replace("_", "-") for one in named}
    found = {one.name.lower().replace("_", "-"): one for one in installed()}
    assert wanted <= found.keys()
    assert all(one.version and one.licence for one in found.values())
    assert "certifi" in found, "what a library needs in its turn is there too"
    assert "hypothesis" not in found, "what only tests need is not"
    assert "LGPL" in found["pyside6-essentials"].licence
    assert "Permission is hereby granted" in found["httpcore"].text or "Redistribution" in found["httpcore"].text


def test_a_packed_program_reads_what_was_written_while_packing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert this_build().packed is None
    write_build(tmp_path / FILE, date(2026, 3, 4))
    monkeypatch.setattr(licence, "resource", lambda *_parts: tmp_path)
    monkeypatch.setattr(licence, "installed", lambda: pytest.fail("nothing is installed there"))
    build = this_build()
    assert build.packed == date(2026, 3, 4)
    assert [one.name for one in build.libraries][:1] == ["Python"]
    assert len(build.libraries) > 20


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"License-Expression": "MIT"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: MIT License", "License": "x"}, "MIT License"),
        ({"Classifier": "License :: OSI Approved", "License": "Apache 2.0"}, "Apache 2.0"),
        ({"License": "Copyright\nmany lines"}, "see its text"),
        ({}, "see its text"),
    ],
)
def test_the_short_name_comes_from_wherever_it_is_told(fields: dict[str, str], name: str) -> None:
    about = Message()
    for key, value in fields.items():
        about[key] = value
    assert licence_name(about) == name
