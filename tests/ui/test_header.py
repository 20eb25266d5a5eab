"""The head of a panel in little room: nothing of it is cut off or covers something else."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.theme import Theme
from tests.ui.conftest import OnLoop
from tests.ui.pictures import settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_what_has_no_room_at_the_far_end_goes_into_a_second_line(theme: Theme, on_loop: OnLoop) -> None:
    async def main() -> None:
        window = QWidget()
        layout = QVBoxLayout(window)
        header = PanelHeader(theme, "Erinnerungen")
        near, far = QPushButton("Aufschreiben …"), QPushButton("Importieren …")
        search = SearchField(theme, "Erinnerung suchen")
        search.setMinimumWidth(110)
        header.add(near)
        header.add_end(search)
        header.add_end(far)
        layout.addWidget(header)
        window.resize(900, 300)
        window.show()
        await settle()
        assert search.y() < near.geometry().bottom()
        window.resize(320, 300)
        await settle()
        assert search.y() > near.geometry().bottom()
        assert search.geometry().right() < far.x()
        assert far.geometry().right() <= header.width()
        assert header.minimumSizeHint().width() <= header.width() < 320
        window.resize(900, 300)
        await settle()
        assert search.y() < near.geometry().bottom()
        far.setText("Alle gespeicherten Erinnerungen aus einer Datei importieren und dabei die anderen behalten …")
        await settle()
        assert search.y() > near.geometry().bottom()
        window.close()
        window.deleteLater()
        await settle(2)

    on_loop(main())
