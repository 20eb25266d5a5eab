"""Every screen, walked over: each control has a name and can be reached, and no text is cut off at any size."""

from __future__ import annotations

import asyncio
import gettext
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from familiar_app.domain.text import speak
from familiar_app.store.resource import resource
from familiar_app.ui.kit.label import ElidedLabel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.double import make_world
from tests.ui.pictures import CARDS, FIRST, LOCKED, OPEN, SERVERS, Scene, open_world, settle

CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
INSIDE_FIELD = "QLineEditIconButton"
"""The small buttons a field draws inside itself; the field gives them their size."""
INNER = ("qt_scrollarea_viewport", "qt_spinbox_lineedit")


def described(widget: QWidget) -> str:
    return f"{type(widget).__name__} in {type(widget.parentWidget()).__name__} {widget.objectName()}"


def shown_children(top: QWidget) -> list[QWidget]:
    return [widget for widget in [top, *top.findChildren(QWidget)] if widget.isVisibleTo(top)]


def unnamed(top: QWidget) -> list[str]:
    found = []
    for widget in shown_children(top):
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        named = widget.accessibleName() or text
        inner = widget.objectName() in INNER or isinstance(widget.parentWidget(), QComboBox | QAbstractSpinBox)
        if isinstance(widget, CONTROLS) and not named and not inner:
            found.append(described(widget))
    return found


def unreachable(top: QWidget) -> list[str]:
    """Buttons that neither take the focus by Tab nor belong to a field that has a key for them."""
    return [
        described(widget)
        for widget in shown_children(top)
        if isinstance(widget, QAbstractButton)
        and widget.isEnabled()
        and not widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.metaObject().className() != INSIDE_FIELD
        and not isinstance(widget.parentWidget(), QAbstractItemView)
        and not in_reachable_group(widget)
    ]


def in_reachable_group(button: QAbstractButton) -> bool:
    """Of buttons that exclude each other, Tab reaches the chosen one and the arrow keys the others."""
    group = button.group()
    if group is None or not group.exclusive():
        return False
    return any(one.focusPolicy() & Qt.FocusPolicy.TabFocus for one in group.buttons())


def cut_off(top: QWidget) -> list[str]:
    found = []
    for widget in shown_children(top):
        if isinstance(widget, ElidedLabel) or not isinstance(widget, QLabel | QAbstractButton):
            continue
        if widget.metaObject().className() == INSIDE_FIELD:
            continue
        if isinstance(widget, QLabel) and (not widget.text() or widget.width() == 0):
            continue
        need = widget.sizeHint()
        if isinstance(widget, QLabel) and widget.wordWrap():
            short = widget.height() + 1 < widget.heightForWidth(widget.width())
        else:
            short = widget.width() + 1 < need.width() or widget.height() + 1 < need.height()
        if short:
            found.append(f"{described(widget)}: {widget.text()[:40]!r} {widget.size()} needs {need}")
    return found


def overlapping(top: QWidget) -> list[str]:
    """Neighbours in one parent that lie over each other by more than a pixel."""
    found = []
    for parent in shown_children(top):
        if parent.layout() is None or isinstance(parent, QAbstractScrollArea):
            continue
        boxes = [
            item.widget()
            for item in (parent.layout().itemAt(at) for at in range(parent.layout().count()))
            if item.widget() is not None and item.widget().isVisibleTo(top)
        ]
        for at, one in enumerate(boxes):
            for other in boxes[at + 1 :]:
                common = one.geometry().intersected(other.geometry())
                if common.width() > 1 and common.height() > 1 and one.isVisible() and other.isVisible():
                    found.append(f"{described(one)} over {described(other)}")
    return found


async def walk(scene: Scene, theme: Theme, root: Path, zoom: float) -> dict[str, list[str]]:
    world = make_world(root, theme, cards=() if scene in FIRST else CARDS, servers=SERVERS)
    world.gate.profile.save_settings({"zoom": zoom, "theme": "light"})
    if scene in OPEN:
        open_world(scene, world)
    window = MainWindow(world.parts)
    window.start()
    window.resize(1180, 780)
    window.activateWindow()
    await settle()
    shown = await scene(window, world) or window
    await settle()
    found = {
        "unnamed": unnamed(shown),
        "unreachable": unreachable(shown),
        "cut off": cut_off(shown),
        "overlapping": [] if scene.__name__ in ("making",) else overlapping(shown),
    }
    if shown is not window:
        shown.close()
        await settle(2)
    await window.prepare_close()
    await world.tasks.cancel()
    window.close()
    window.deleteLater()
    await asyncio.sleep(0)
    QApplication.processEvents()
    assert world.errors == []
    return {kind: things for kind, things in found.items() if things}


@pytest.mark.parametrize("zoom", [pytest.param(1.0, marks=pytest.mark.slow), 1.5])
@pytest.mark.parametrize("scene", [*FIRST, *LOCKED, *OPEN], ids=lambda scene: scene.__name__)
def test_screen(scene: Scene, zoom: float, theme: Theme, tmp_path: Path, on_loop: OnLoop) -> None:
    assert on_loop(walk(scene, theme, tmp_path / "profile", zoom)) == {}


@pytest.fixture
def german() -> Iterator[None]:
    speak("de", gettext.translation("familiar", str(resource("locale")), languages=["de"]))
    yield
    speak("en", gettext.NullTranslations())


@pytest.mark.slow
@pytest.mark.parametrize("scene", [*FIRST, *LOCKED, *OPEN], ids=lambda scene: scene.__name__)
def test_screen_in_longer_words(scene: Scene, theme: Theme, tmp_path: Path, on_loop: OnLoop, german: None) -> None:
    assert on_loop(walk(scene, theme, tmp_path / "profile", 1.5)) == {}
