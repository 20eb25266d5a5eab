"""The keyboard keeps its place when what has the focus goes grey for a while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget

from familiar_app.ui.kit.button import Button, button, icon_button
from familiar_app.ui.kit.focus_keeper import keep_focus
from familiar_app.ui.kit.label import column, row
from familiar_app.ui.kit.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Form(QWidget):
    """A button that works for a while, in a part of its own, and one beside it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.pressed: list[str] = []
        self.part = QWidget()
        self.work = button("Test", lambda: self.work.setEnabled(False))
        self.tool = icon_button(theme, "plus", "Add", lambda: self.tool.setEnabled(False))
        self.check = QCheckBox("Bring it back")
        self.other = button("Delete", lambda: self.pressed.append("Delete"))
        inside = row()
        for one in (self.work, self.tool, self.check, self.other):
            inside.addWidget(one)
        self.part.setLayout(inside)
        self.below = button("Below", lambda: self.pressed.append("Below"))
        layout = column()
        layout.addWidget(self.part)
        layout.addWidget(self.below)
        self.setLayout(layout)


@pytest.fixture
def form(theme: Theme, qapp: QApplication) -> Iterator[Form]:
    keep_focus(qapp)
    made = Form(theme)
    made.show()
    made.activateWindow()
    QApplication.processEvents()
    yield made
    made.close()
    made.deleteLater()
    QApplication.processEvents()


def test_a_pressed_button_that_goes_grey_gets_the_focus_back(form: Form) -> None:
    form.work.setFocus()
    QTest.keyClick(form.work, Qt.Key.Key_Space)
    assert not form.work.isEnabled()
    focused = form.focusWidget()
    assert focused is form.part, "nothing that a second press would press"
    QTest.keyClick(focused, Qt.Key.Key_Space)
    QTest.keyClick(focused, Qt.Key.Key_Return)
    assert form.pressed == []
    form.work.setEnabled(True)
    assert form.work.hasFocus()


@pytest.mark.parametrize("name", ["tool", "check"])
def test_so_does_everything_else_that_takes_the_focus(form: Form, name: str) -> None:
    grey: QWidget = getattr(form, name)
    grey.setFocus()
    grey.setEnabled(False)
    assert form.focusWidget() is form.part
    grey.setEnabled(True)
    assert grey.hasFocus()


def test_whoever_went_on_meanwhile_stays_there(form: Form) -> None:
    form.work.setFocus()
    form.work.setEnabled(False)
    form.below.setFocus()
    form.work.setEnabled(True)
    assert form.below.hasFocus()


def test_a_part_that_goes_grey_with_all_that_is_in_it_gets_it_back(form: Form) -> None:
    form.other.setFocus()
    form.part.setEnabled(False)
    assert form.focusWidget() is form
    form.part.setEnabled(True)
    assert form.other.hasFocus()


def test_two_in_a_row_end_at_the_one_that_had_it_last(form: Form) -> None:
    form.work.setFocus()
    form.work.setEnabled(False)
    form.other.setFocus()
    form.other.setEnabled(False)
    form.work.setEnabled(True)
    assert not form.work.hasFocus()
    form.other.setEnabled(True)
    assert form.other.hasFocus()


def test_a_button_that_is_thrown_away_while_it_is_grey_leaves_nothing_behind(form: Form) -> None:
    passing = Button("Passing")
    form.part.layout().addWidget(passing)
    passing.show()
    passing.setFocus()
    passing.setEnabled(False)
    passing.deleteLater()
    QApplication.processEvents()
    form.below.setFocus()
    assert form.below.hasFocus()
