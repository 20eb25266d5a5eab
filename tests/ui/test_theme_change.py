"""Another theme or zoom: every widget is styled anew, a few times at most, however deep it stands."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.theme import Theme
from tests.ui.scene_window import put_away

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DEPTH = 24
MOST = 4
"""How often one widget may be styled in one change."""


class StyleCount(QObject):
    """Counts for each widget how often it was told of another style."""

    def __init__(self) -> None:
        super().__init__()
        self.by_widget: Counter[int] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleChange:
            self.by_widget[id(watched)] += 1
        return False


def deep_window() -> tuple[QWidget, QLabel]:
    """Return a window whose label stands below many widgets."""
    window = surface(QWidget(), 1)
    inside = window
    for _ in range(DEPTH):
        layout = column()
        inner = QWidget()
        layout.addWidget(QPushButton("One"))
        layout.addWidget(inner)
        inside.setLayout(layout)
        inside = inner
    deepest = label("Danger", "danger")
    layout = column()
    layout.addWidget(deepest)
    inside.setLayout(layout)
    return window, deepest


@pytest.mark.parametrize("change", ["theme", "zoom"])
def test_a_change_styles_no_widget_for_each_widget_above_it(theme: Theme, qapp: QApplication, change: str) -> None:
    window, deepest = deep_window()
    window.show()
    QApplication.processEvents()
    counted = StyleCount()
    qapp.installEventFilter(counted)
    try:
        theme.set_mode("dark") if change == "theme" else theme.set_zoom(1.5)
        QApplication.processEvents()
    finally:
        qapp.removeEventFilter(counted)
    assert 1 <= counted.by_widget[id(deepest)] <= MOST
    assert max(counted.by_widget.values()) <= MOST
    put_away(window)


def test_the_deepest_widget_has_the_colour_of_the_new_theme(theme: Theme) -> None:
    window, deepest = deep_window()
    window.show()
    light = theme.hex("danger")
    assert deepest.palette().windowText().color().name() == light
    theme.set_mode("dark")
    QApplication.processEvents()
    assert deepest.palette().windowText().color().name() == theme.hex("danger") != light
    put_away(window)
