"""Every page of the whole window in a language in which each translated text wears brackets: no text may lack them.

What people said, names, numbers and the like are no texts of the program; they are named here.
"""

from __future__ import annotations

import ast
import inspect
import platform
import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from gettext import NullTranslations
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTableView,
    QWidget,
)

from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.log import LogBuffer
from familiar_app.bootstrap.window import window_parts
from familiar_app.domain import text
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.profile import Profile
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui import panel_scene, timeline_scene
from tests.ui.conftest import OnLoop
from tests.ui.manual_pictures import BACKGROUND, CARD, TALK, chat, make_life
from tests.ui.pictures import settle, until
from tests.ui.timeline_scene import NOW

OPEN, CLOSE = "⟦", "⟧"
WORD = re.compile(r"[^\W\d_]{3,}")
NAMES = {
    *("ada", "user", "familiar", "discord", "sillytavern", "risuai", "novelai", "agnai", "koboldai", "chub"),
    *("smollm", "llama", "mistral", "nemo", "qwen", "instruct", "python", "linux", "deutsch", "english"),
    *("ctrl", "alt", "shift", "space", "del", "esc", "left", "return"),
    *("utc", "https", "example", "com", "model", "gguf", "jsonl", "answers", "logs", "tok", "lorebook"),
    *("huggingface", "apache", "community", "license"),
}
"""Nobody translates these."""


class Bracketed(NullTranslations):
    """A language that says everything as the source does, between brackets."""

    def gettext(self, message: str) -> str:
        return f"{OPEN}{message}{CLOSE}"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return message if "mark" in context else self.gettext(message)


@pytest.fixture
def bracketed() -> Iterator[None]:
    text.speak("en", Bracketed())
    yield
    text.speak("en", NullTranslations())


def texts(widget: QWidget) -> Iterator[str]:
    """Give everything a widget says to eyes and ears."""
    yield widget.toolTip()
    yield widget.accessibleName()
    yield widget.accessibleDescription()
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    if isinstance(widget, QLineEdit | QPlainTextEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(at) for at in range(widget.count()))
    if isinstance(widget, QTabBar):
        yield from (widget.tabText(at) for at in range(widget.count()))
    if isinstance(widget, QMenu):
        yield from (action.text() for action in widget.actions())
    if isinstance(widget, QTableView) and widget.model() is not None:
        model = widget.model()
        heads = (model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount()))
        yield from (head for head in heads if isinstance(head, str))


def unspoken(top: QWidget, own: set[str]) -> set[str]:
    """Return what is shown without brackets and has a word that is nobody's own."""
    found = set()
    for widget in [top, *top.findChildren(QWidget)]:
        for said in texts(widget):
            bare = re.sub(f"{OPEN}[^{OPEN}{CLOSE}]*({CLOSE}|$)", " ", _innermost(re.sub(r"<[^>]*>", " ", said)))
            if set(WORD.findall(bare.lower())) - own:
                found.add(said)
    return found


def own_words(root: Path) -> set[str]:
    """Return the words of those who speak in this vault, of files, keys and products."""
    told = [*asdict(CARD).values(), *(word for pair in TALK for word in pair), *BACKGROUND.values(), str(root)]
    for scene in (timeline_scene, panel_scene):
        tree = ast.parse(inspect.getsource(scene))
        told += [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)]
    told.append(platform.platform())
    return {word for one in told for word in WORD.findall(str(one).lower())} | NAMES


def _innermost(said: str) -> str:
    # A text that was put into another one's place stands in brackets within brackets.
    while (less := re.sub(f"{OPEN}([^{OPEN}{CLOSE}]*){OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", rf"{OPEN}\1", said)) != said:
        said = less
    return said


@pytest.mark.slow
def test_no_page_shows_a_text_outside_the_catalogue(
    tmp_path: Path, theme: Theme, on_loop: OnLoop, bracketed: None
) -> None:
    found = on_loop(walk(tmp_path, theme))
    assert not found, "\n".join(f"{panel}: {said!r}" for panel, all_said in found.items() for said in all_said)


async def walk(root: Path, theme: Theme) -> dict[str, list[str]]:
    clock = FixedClock(NOW + timedelta(hours=7))
    errors: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: errors.append(error))
    gate = Application(Profile(root / "Familiar"), clock=clock, tasks=tasks, lasting=True, discord=True)
    await make_life(gate, clock, root, "light")
    window = MainWindow(window_parts(gate, tasks, theme, LogBuffer(), lambda: None))
    window.start()
    window.resize(1280, 920)
    await until(lambda: window.frame is not None, 30)
    await chat(window)
    own = own_words(root)
    found, seen = {}, set()
    for panel in list(window.frame._panels):
        window.frame.show_panel(panel)
        await settle(12)
        if left := unspoken(window, own) - seen:
            found[panel] = sorted(left)
            seen |= left
    await window.prepare_close()
    await gate.close()
    await tasks.cancel()
    window.deleteLater()
    await settle(2)
    assert errors == []
    return found
