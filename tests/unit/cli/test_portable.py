"""`familiar status` says whether the profile is carried about with the program."""

from __future__ import annotations

import sys

import pytest

from tests.unit.cli.conftest import Program


async def test_status_tells_of_a_portable_profile(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    root = program.profile.root
    assert (await program("status", "--json")).json["portable"] is False
    assert "Portable" not in (await program("status")).out
    monkeypatch.setattr("familiar_app.store.portable.FOLDER", root.name)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(root.parent / "familiar"))
    root.mkdir(exist_ok=True)
    assert (await program("status", "--json")).json["portable"] is True
    assert f"Portable: the profile {root} lies beside the program" in (await program("status")).out
