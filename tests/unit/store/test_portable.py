"""A packed program that carries its profile about, by a file or a folder beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from familiar_app.store.portable import portable_profile, program_folder
from familiar_app.store.profile import default_profile_folder


def pack(monkeypatch: pytest.MonkeyPatch, program: Path) -> None:
    """Let this process be a packed program at a place."""
    program.parent.mkdir(parents=True, exist_ok=True)
    program.touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))


def test_a_program_from_its_sources_is_never_portable() -> None:
    assert program_folder() is None
    assert portable_profile(None) is None


@pytest.mark.parametrize("mark", ["portable", "data"])
def test_a_file_or_a_folder_beside_the_program_makes_it_portable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    pack(monkeypatch, tmp_path / "stick" / "familiar")
    usual = default_profile_folder()
    assert not usual.is_relative_to(tmp_path)
    if mark == "data":
        (tmp_path / "stick" / "data").mkdir()
    else:
        (tmp_path / "stick" / "portable").touch()
    assert default_profile_folder() == tmp_path / "stick" / "data"


def test_a_file_called_data_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    assert portable_profile(tmp_path) is None


def test_the_profile_lies_beside_a_bundle_and_not_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(monkeypatch, tmp_path / "stick" / "Familiar.app" / "Contents" / "MacOS" / "familiar")
    (tmp_path / "stick" / "portable").touch()
    assert default_profile_folder() == tmp_path / "stick" / "data"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets only administrators make links")
def test_a_link_to_the_program_leads_to_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(monkeypatch, tmp_path / "opt" / "familiar")
    (tmp_path / "opt" / "data").mkdir()
    link = tmp_path / "bin"
    link.symlink_to(tmp_path / "opt" / "familiar")
    monkeypatch.setattr(sys, "executable", str(link))
    assert default_profile_folder() == tmp_path / "opt" / "data"
