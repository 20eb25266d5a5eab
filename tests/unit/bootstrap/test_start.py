"""The first lines of the program: what an interrupt does before any part is there to end cleanly."""

from __future__ import annotations

import sys
from typing import NoReturn

import pytest

import familiar_app.bootstrap.main
from familiar_app.__main__ import main


def test_an_interrupt_while_parts_are_loaded_is_an_exit_code_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(familiar_app.bootstrap.main, "main", interrupted)
    monkeypatch.setattr(sys, "argv", ["familiar", "status"])
    assert main() == 130
