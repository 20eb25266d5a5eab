"""The log panel: lines from any thread, filter, copying, the table model."""

from __future__ import annotations

import threading
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.log.model import KEPT, LogModel
from familiar_app.ui.log.panel import LogTable
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.double import World, some_lines
from tests.ui.pictures import until
from tests.ui.test_window import press, texts, with_window


def test_the_table_keeps_the_rules_of_models(theme: Theme) -> None:
    lines = LogModel()
    lines.fill(some_lines(KEPT - 2))
    table = LogTable(theme, lines)
    tester = QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for line in some_lines(6):
        table.add(line)
    assert table.rowCount() == KEPT
    table.refilter(30, "openai")
    for line in some_lines(10):
        table.add(line)
    assert {table.data(table.index(row, 2)) for row in range(table.rowCount())} == {"models.openai"}
    assert tester is not None


def test_a_line_from_another_thread_arrives(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.show_panel("log")
        panel: Any = window.frame._panels["log"]
        before = panel._table_model.rowCount()
        thread = threading.Thread(target=lambda: world.log.write(some_lines(1)[0]))
        thread.start()
        thread.join()
        await until(lambda: panel._table_model.rowCount() == before + 1)

    on_loop(with_window(world, test))


def test_filter_copy_and_empty_state(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.show_panel("log")
        panel: Any = window.frame._panels["log"]
        panel._level.setCurrentIndex(3)
        press(window, "Ctrl+F")
        panel.copy_all()
        copied = QGuiApplication.clipboard().text().splitlines()
        assert len(copied) == 2
        assert all("no connection" in line for line in copied)
        panel._search.setText("zzz")
        assert "No line fits" in texts(panel.widget)

    on_loop(with_window(world, test))


def test_return_shows_the_whole_line_beside(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        window.frame.show_panel("log")
        panel: Any = window.frame._panels["log"]
        panel._table.selectRow(4)
        press(window, "Return")
        assert "exchange.py:88 say" in texts(window.frame.side_view)

    on_loop(with_window(world, test))


def test_a_closed_panel_listens_no_more(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        assert len(world.log.listeners) == 1

    on_loop(with_window(world, test))
    assert world.log.listeners == []
