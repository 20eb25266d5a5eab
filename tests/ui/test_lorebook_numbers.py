"""The numbers of the form are written and read with the decimal mark of the window's language."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest

from familiar_app.ui.lorebook.control import NumberBox


@pytest.mark.parametrize(("language", "written"), [("en", "1.5"), ("de", "1,5")])
def test_a_fraction_is_read_back_as_it_is_written(qtbot, language: str, written: str) -> None:
    box = NumberBox(decimals=2, least=0, most=1000)
    qtbot.addWidget(box)
    box.setLocale(QLocale(language))
    box.setValue(1.5)
    assert box.text() == written
    box.interpretText()
    assert box.value() == 1.5
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), written)
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    assert (box.value(), box.text()) == (1.5, written)
