"""A program that is started by itself: it has its own streams and folder, and a failure is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.ui.kit.launch import launch
from tests.doubles.waiting import until_seen


def test_it_runs_by_itself_and_waits_for_nobody(tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = f"import os, pathlib, sys; sys.stdin.read(); pathlib.Path({str(told)!r}).write_text(os.getcwd())"
    launch([sys.executable, "-c", code])
    until_seen(lambda: told.exists() and told.read_text(encoding="utf-8"), "the word of the program")
    assert Path(told.read_text(encoding="utf-8")).resolve() == Path.home().resolve()


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match="did not start another window"):
        launch([str(tmp_path / "nothing")])
