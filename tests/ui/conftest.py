"""What tests of the window share: the theme, a way to run a coroutine on the window's loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.domain.card import CharacterCard
from familiar_app.ui.kit.theme import Theme
from tests.ui.double import World, make_world

OnLoop = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def on_loop(qapp: QApplication) -> OnLoop:
    """Run a coroutine to its end on the window's loop; as in the program, no closed window ends it."""
    qapp.setQuitOnLastWindowClosed(False)
    return lambda coroutine: run(coroutine, app=qapp)


@pytest.fixture(scope="session")
def _theme(qapp: QApplication) -> Theme:
    return Theme(qapp, mode="light")


@pytest.fixture
def theme(_theme: Theme) -> Iterator[Theme]:
    """The one theme, light and at 100 % at the beginning of every test."""
    _theme.set_mode("light")
    _theme.set_zoom(1.0)
    yield _theme
    _theme.set_reduce_motion(False)


@pytest.fixture
def new_world(tmp_path: Path, theme: Theme) -> World:
    """Parts over a profile that does not exist yet."""
    return make_world(tmp_path / "profile", theme)


@pytest.fixture
def world(tmp_path: Path, theme: Theme) -> World:
    """Parts over a locked vault with two familiars."""
    return make_world(tmp_path / "profile", theme, cards=(CharacterCard(name="Mira"), CharacterCard(name="Tom")))
