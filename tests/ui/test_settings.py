"""The settings panel: values in force, saving at once, undo, what is refused, search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from familiar_app.domain.ids import FamiliarId
from familiar_app.ui.settings.panel import SettingsPanel
from familiar_app.ui.shell.window import MainWindow
from tests.ui.conftest import OnLoop
from tests.ui.double import PASSPHRASE, World
from tests.ui.pictures import until
from tests.ui.test_window import press, texts, with_window


async def opened(window: MainWindow) -> SettingsPanel:
    window.frame.show_panel("settings")
    panel: Any = window.frame._panels["settings"]
    await until(lambda: panel._settings is not None)
    return panel


def test_a_choice_is_saved_used_and_undone(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        box = panel._list.rows["theme"]._box
        box.setCurrentIndex(box.findData("dark"))
        box.activated.emit(box.currentIndex())
        await until(lambda: world.gate.profile.settings().theme == "dark")
        await until(lambda: world.parts.theme.name == "dark")
        await until(window.frame.can_undo)
        window.frame.undo()
        await until(lambda: world.gate.profile.settings().theme == "system")
        await until(lambda: box.currentData() == "system")
        assert not window.frame.can_undo()
        window.frame.redo()
        await until(lambda: world.gate.profile.settings().theme == "dark")
        assert window.frame.can_undo()

    on_loop(with_window(world, test))


def test_local_only_switched_here_shows_in_the_status_bar(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        panel._list.rows["local_only"]._box.click()
        await until(lambda: window.frame._bar.shield.accessibleName() == "Network allowed")

    on_loop(with_window(world, test))


def test_a_refused_zone_is_told_and_the_old_one_stays(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        row = panel._list.rows["display.timezone"]
        await until(lambda: row._zones)
        row._field.setText("Mars/Olympus")
        row._field.editingFinished.emit()
        assert row._wrong.isVisible()
        assert "Mars/Olympus" in row._wrong.text()
        assert row._field.text() == "Mars/Olympus"  # it can be mended
        assert not panel.notice.isVisible()
        row._field.setText("berlin")
        row._field.editingFinished.emit()
        await until(lambda: world.gate.profile.config(FamiliarId("mira")).display.timezone == "Europe/Berlin")
        assert not row._wrong.isVisible()
        assert row._field.text() == "Europe/Berlin"

    on_loop(with_window(world, test))


def test_the_log_level_is_put_in_force(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        box = panel._list.rows["log_level"]._box
        box.setCurrentIndex(box.findData("debug"))
        box.activated.emit(box.currentIndex())
        await until(lambda: ("log_level", "debug") in world.asked)

    on_loop(with_window(world, test))


def test_search_leaves_only_what_fits_and_its_group(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        press(window, "Ctrl+F")
        QTest.keyClicks(window.focusWidget(), "keyring")
        shown = [key for key, row in panel._list.rows.items() if row.isVisible()]
        assert shown == ["remember_key"]
        assert [name for name, (heading, _, _) in panel._list.groups.items() if heading.isVisible()] == ["Vault"]
        QTest.keyClicks(window.focusWidget(), "zzz")
        assert "No setting fits." in texts(panel.widget)

    on_loop(with_window(world, test))


def test_a_new_passphrase_through_its_dialog(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        panel._start(panel._acts.new_passphrase, panel._list.rows["passphrase"].setting)
        await until(QApplication.activeModalWidget)
        dialog: Any = QApplication.activeModalWidget()
        for typed in ("not this one", "four brand new words", "four brand new words"):
            QTest.keyClicks(dialog.focusWidget(), typed)
            press(dialog, "Return")
        await until(lambda: "The passphrase is wrong." in texts(dialog))
        assert world.gate.vault.passphrase == PASSPHRASE
        QTest.keyClicks(dialog.focusWidget(), PASSPHRASE)
        for _ in range(3):
            press(dialog, "Return")
        await until(lambda: world.gate.vault.passphrase == "four brand new words")

    on_loop(with_window(world, test))


def test_escape_leaves_a_dialog_without_a_change(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        panel._start(panel._acts.new_code, panel._list.rows["recovery_code"].setting)
        await until(QApplication.activeModalWidget)
        press(QApplication.activeModalWidget(), "Esc")
        await until(lambda: QApplication.activeModalWidget() is None)
        assert world.gate.vault.recovery_code == ""

    on_loop(with_window(world, test))


def test_an_endpoint_elsewhere_asks_before_the_network_is_allowed(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        panel._start(panel._choose_model, panel._list.rows["models.prose"].setting)
        await until(QApplication.activeModalWidget)
        dialog: Any = QApplication.activeModalWidget()
        chooser = dialog.findChildren(type(panel.widget))
        chooser = next(child for child in chooser if hasattr(child, "choice"))
        chooser._radios["openai"].setChecked(True)
        chooser._url.setText("https://models.example.org/v1")
        chooser._model.setText("large")
        dialog.buttons.itemAt(dialog.buttons.count() - 1).widget().click()
        await until(lambda: (QApplication.activeModalWidget() or dialog) is not dialog)
        asking: Any = QApplication.activeModalWidget()
        assert "another computer, models.example.org" in texts(asking)
        assert panel._list.rows["local_only"]._now.isHidden()
        asking.choose("allow")
        await until(lambda: world.gate.profile.config("mira").models.prose.model == "large")
        assert not world.gate.profile.settings().local_only
        await until(lambda: window.frame.status.now.model == "large")
        row = panel._list.rows["local_only"]
        await until(lambda: "sent to models.example.org" in row._now.accessibleName())

    on_loop(with_window(world, test))


def test_a_setting_is_found_through_the_palette(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        await until(lambda: window.frame is not None)
        press(window, "Ctrl+K")
        QTest.keyClicks(window.focusWidget(), "time zone")
        press(window, "Return")
        panel: Any = window.frame._panels["settings"]
        assert window.frame._current == "settings"
        assert panel._list.rows["display.timezone"].isAncestorOf(window.focusWidget())

    on_loop(with_window(world, test))


def test_a_setting_is_brought_into_view_also_out_of_a_search(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        panel._search.setText("theme")
        await until(lambda: panel._list.rows["log_level"].isHidden())
        window.frame.go_to("settings", "log_level")
        area = panel._scroll.viewport()

        def in_view() -> bool:
            top = panel._list.rows["log_level"].mapTo(area, QPoint(0, 0)).y()
            return 0 <= top < area.height()

        await until(in_view)

    on_loop(with_window(world, test))


def test_search_by_meaning_is_one_switch_with_undo(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        row = panel._list.rows["providers.embedding"]
        await until(lambda: "nothing to download" in texts(row))
        before = world.gate.profile.config("mira")
        row._box.click()
        await until(lambda: world.gate.profile.config("mira").providers.embedding.backend == "fastembed")
        await until(lambda: row._box.text() == "On")
        await until(lambda: "Its model runs on this computer" in texts(row))
        await until(window.frame.can_undo)
        window.frame.undo()
        await until(lambda: world.gate.profile.config("mira") == before)
        await until(lambda: row._box.text() == "Off")

    on_loop(with_window(world, test))


def test_a_weight_is_saved_a_moment_after_it_was_moved(world: World, on_loop: OnLoop) -> None:
    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        row = panel._list.rows["memory.retrieval.importance_weight"]
        await until(lambda: row._field.value() == 0.6)
        assert row._field.lineEdit().textMargins().left() == 8  # a number begins where a text does
        row._field.setFocus()
        press(row._field, "Up")
        press(row._field, "Up")
        await until(lambda: world.gate.profile.config("mira").memory.retrieval.importance_weight == 0.8)
        await until(window.frame.can_undo)
        window.frame.undo()
        await until(lambda: row._field.value() == 0.6)

    on_loop(with_window(world, test))


def test_the_privacy_statement_is_saved(
    world: World, on_loop: OnLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "privacy.md"

    async def chosen(*_args: object, **_options: object) -> Path:
        return file

    monkeypatch.setattr("familiar_app.ui.settings.act.choose_file", chosen)

    async def test(window: MainWindow) -> None:
        panel = await opened(window)
        panel._list.rows["statement"].focusNextChild()
        button: Any = panel._list.rows["statement"].findChild(QPushButton)
        assert button.accessibleName()
        button.click()
        await until(file.exists)
        await until(lambda: file.read_text(encoding="utf-8").startswith("# How memory is handled"))

    on_loop(with_window(world, test))
