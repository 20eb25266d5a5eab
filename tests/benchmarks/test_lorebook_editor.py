"""How fast a lorebook of 5,000 entries is opened and searched in the panel. Processor time counts.

Run with `-s` to see the figures.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.ui.kit.theme import Theme
from tests.benchmarks.pace import Pace
from tests.ui.lorebook_stage import Scene

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support")]
ENTRIES = 5_000
SENTENCE = "The tide came in over the lower market and went again before anybody had counted the boats. "


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp)


def book(count: int) -> str:
    entries = [
        f'[[entries]]\nname = "Entry {n} of the chronicle"\nkeys = ["key{n}", "word{n} beta", "thing{n % 700}"]\n'
        f'content = "Entry {n}. {SENTENCE * (n % 4 + 1)}"\norder = {100 + n % 9}\n'
        for n in range(count)
    ]
    return 'name = "Chronicle"\n' + "\n".join(entries)


def test_five_thousand_entries_are_opened_and_searched(tmp_path: Path, theme: Theme, pace: Pace) -> None:
    figures: dict[str, list[float]] = {}

    async def play(name: str, text: str, rows: int) -> None:
        began, wall = time.thread_time(), time.perf_counter()
        scene = Scene(tmp_path / name, theme, text)
        try:
            await scene.until(lambda: scene.view.table.rows.rowCount() == rows)
            QApplication.processEvents()
            figures[f"read and shown, {name}"] = [time.thread_time() - began]
            figures[f"read and shown, {name}, wall"] = [time.perf_counter() - wall]
            if rows == ENTRIES:
                await asyncio.sleep(1.5)
                figures["panel opened"] = [opened(scene) for _ in range(3)]
                figures["keystroke"] = [keystroke(scene, letter) for letter in "chronicle 49"]
                found = [n for n in range(ENTRIES) if "49" in f"{n} {n % 700}"]
                assert scene.view.table.rows.rowCount() == len(found)
        finally:
            await scene.close()

    run(play("warm", book(3), 3), app=QApplication.instance())
    run(play("few", book(3), 3), app=QApplication.instance())
    run(play("many", book(ENTRIES), ENTRIES), app=QApplication.instance())
    for name, found in figures.items():
        print(f"\n{name}: median {sorted(found)[len(found) // 2] * 1000:.1f} ms, worst {max(found) * 1000:.1f} ms")  # noqa: T201
    # The window's thread does next to nothing for each entry: reading happens beside it.
    assert figures["read and shown, many"][0] - figures["read and shown, few"][0] <= pace.allow(0.15)
    assert min(figures["panel opened"]) <= pace.allow(0.3)
    assert sorted(figures["keystroke"])[-2] <= pace.allow(0.05)


def opened(scene: Scene) -> float:
    """Show the panel as after a click in the rail; returns the processor time of the window's thread."""
    scene.window.hide()
    QApplication.processEvents()
    began = time.thread_time()
    scene.window.show()
    scene.panel.activate()
    QApplication.processEvents()
    return time.thread_time() - began


def keystroke(scene: Scene, letter: str) -> float:
    """Type a letter and paint what it leaves; returns the processor time of the window's thread."""
    began = time.thread_time()
    QTest.keyClicks(scene.view.search, letter)
    scene.view.table.viewport().repaint()
    return time.thread_time() - began
