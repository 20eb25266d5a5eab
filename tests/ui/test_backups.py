"""The page of backups over a real vault: making one, what it tells, going back, checking, and failures that show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.backup import BackupWish
from familiar_app.store.backup_keeper import BackupKeeper
from familiar_app.store.vault import Vault
from familiar_app.ui.backups.panel import BackupsPanel, create_backups_panel
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.dialog import Dialog
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.unlock.screen import UnlockScreen
from tests.ui.conftest import OnLoop
from tests.ui.double import DoublePanel, World, make_world
from tests.ui.pictures import CARDS, settle, until
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_window import current, texts, with_window
from tests.unit.store.vault_maker import CHEAP, NOON

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
SECRET = "three blue herons"
CODE = "0123-4567-89AB-CDEF-GHJK-MNPQ-RSJR"
Story = Callable[[MainWindow, Any, Vault], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> Play:
    def begin(story: Story, *, zoom: float = 1.0) -> None:
        on_loop(with_vault(make_world(tmp_path / "profile", theme, cards=CARDS), story, zoom=zoom))

    return begin


async def with_vault(world: World, story: Story, *, zoom: float = 1.0) -> None:
    """Play a story in a window whose vault is a real one with three messages."""
    clock = FixedClock(NOON)
    profile = world.gate.profile
    profile.save_settings({"zoom": zoom})
    vault = await Vault.create(profile.vault_path, SECRET, recovery_code=CODE, clock=clock, cost=CHEAP)
    mira = profile.familiars()[0]
    channel = await vault.channels.ensure("local:main", familiar=mira)  # type: ignore[arg-type]
    await vault.turns.append_many([NewTurn(channel.id, Role.USER, f"message {n}", NOON) for n in range(3)])
    services = world.gate.open_now()
    services.vault, services.clock = vault, clock
    services.backups = BackupKeeper(vault, profile, clock)
    world.gate.open_now = lambda: services  # type: ignore[method-assign]
    closing = world.gate.close

    async def close() -> None:
        await closing()
        await vault.close()

    world.gate.close = close  # type: ignore[method-assign]
    panels = (lambda _services, context: DoublePanel("chat", "Chat", "chat", context), create_backups_panel)
    world.parts = replace(world.parts, panels=panels)

    async def test(window: MainWindow) -> None:
        window.frame.show_panel("backups")
        panel = window.frame.panel("backups")
        assert isinstance(panel, BackupsPanel)
        await until(lambda: panel.model.loaded)
        await settle()
        await story(window, panel, vault)

    try:
        await with_window(world, test)
    finally:
        await vault.close()


def dialog() -> Dialog:
    [shown] = [one for one in QApplication.topLevelWidgets() if isinstance(one, Dialog) and one.isVisible()]
    return shown


def press_in(shown: Dialog, text: str) -> None:
    [made] = [one for one in shown.findChildren(QPushButton) if one.text() == text]
    made.click()


def dialog_with(words: str) -> bool:
    found = [one for one in QApplication.topLevelWidgets() if isinstance(one, Dialog) and one.isVisible()]
    return any(words in one.windowTitle() for one in found)


def test_a_backup_is_made_listed_and_told_in_the_status_bar(play: Play) -> None:
    async def story(window: MainWindow, panel: BackupsPanel, _vault: Vault) -> None:
        assert "There is no backup yet." in texts(panel.view)
        assert window.frame._bar.backup.text() == "No backup yet"
        panel.view.make.click()
        await until(lambda: len(panel.model.rows) == 1)
        await settle()
        assert "The last good backup is from today at" in texts(panel.view)
        assert "The backup is written and checked" in texts(panel.view)
        assert window.frame._bar.backup.text() == "Backup just now"
        assert len(panel.view.row_buttons) == 1
        window.frame.show_panel("chat")
        window.frame._bar.backup.click()
        assert window.frame._current == "backups"

    play(story)


def test_a_failure_shows_in_the_page_and_in_the_status_bar(play: Play) -> None:
    async def story(window: MainWindow, panel: BackupsPanel, _vault: Vault) -> None:
        window.frame._services.profile.save_settings({"backup.folder": "/nowhere/at all"})
        panel.view.make.click()
        await until(lambda: window.frame._bar.backup.text() == "Backup failed")
        assert "There is no folder /nowhere/at all" in texts(panel.view)
        window.frame._services.profile.save_settings({"backup.folder": None})
        panel.view.make.click()
        await until(lambda: window.frame._bar.backup.text() == "Backup just now")
        assert "/nowhere" not in panel.view._failure.text()

    play(story)


def test_going_back_puts_the_backup_in_place_and_asks_for_its_passphrase(play: Play) -> None:
    async def story(window: MainWindow, panel: BackupsPanel, vault: Vault) -> None:
        panel.view.make.click()
        await until(lambda: panel.view.row_buttons)
        channel = (await vault.channels.list(window.frame.context.familiar))[0]
        await vault.turns.append(NewTurn(channel.channel.id, Role.USER, "since then", NOON))
        root = window.frame._services.profile.root
        panel.view.row_buttons[0].click()
        await until(lambda: dialog_with("Go back"))
        assert "holds 3 messages" in texts(dialog())
        assert "The vault has 4 messages now." in texts(dialog())
        press_in(dialog(), "Go back")
        await until(lambda: isinstance(current(window), UnlockScreen))
        assert "The backup is in place" in texts(current(window))
        again = await Vault.open(root / "vault.db", clock=FixedClock(NOON), passphrase=SECRET)
        assert await again.turns.count() == 3
        await again.close()
        assert len(list(root.glob("before-restore-*"))) == 1

    play(story)


def test_going_back_given_up_changes_nothing(play: Play) -> None:
    async def story(window: MainWindow, panel: BackupsPanel, vault: Vault) -> None:
        panel.view.make.click()
        await until(lambda: panel.view.row_buttons)
        panel.view.row_buttons[0].click()
        await until(lambda: dialog_with("Go back"))
        press_in(dialog(), "Cancel")
        await settle()
        assert window.frame is not None
        assert await vault.turns.count() == 3

    play(story)


def test_a_backup_of_another_day_asks_for_its_passphrase_until_it_fits(play: Play, tmp_path: Path) -> None:
    async def story(window: MainWindow, panel: BackupsPanel, vault: Vault) -> None:
        panel.view.make.click()
        await until(lambda: panel.view.row_buttons)
        await vault.rekey("a new passphrase", recovery_code=CODE)
        panel.view.row_buttons[0].click()
        await until(lambda: dialog_with("Open the backup"))
        first = dialog()
        QTest.keyClicks(first.focusWidget(), "a new passphrase")
        press_in(first, "Look inside")
        await until(lambda: dialog_with("Open the backup") and dialog() is not first)
        assert "The passphrase is wrong." in texts(dialog())
        dialog().focusWidget().clear()  # type: ignore[union-attr]
        QTest.keyClicks(dialog().focusWidget(), CODE)
        press_in(dialog(), "Look inside")
        await until(lambda: dialog_with("Go back"))
        press_in(dialog(), "Cancel")
        await settle()

    play(story)


def test_the_vault_is_checked_and_room_given_back(play: Play) -> None:
    async def story(_window: MainWindow, panel: BackupsPanel, _vault: Vault) -> None:
        panel.view.verify.click()
        await until(lambda: panel.model.problems is not None and not panel.model.work)
        assert "The vault is whole." in texts(panel.view)
        panel.view.vacuum.click()
        await until(lambda: panel.model.said.startswith("The vault took"))
        assert panel.model.said in texts(panel.view)

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_its_place_and_name(play: Play, zoom: float) -> None:
    async def story(window: MainWindow, panel: BackupsPanel, _vault: Vault) -> None:
        panel.view.make.click()
        await until(lambda: panel.view.row_buttons)
        await settle()
        assert unnamed(window) == []
        assert cut_off(panel.view) == []
        assert overlapping(panel.view) == []
        assert unreachable(window) == []

    play(story, zoom=zoom)


def test_a_new_computer_begins_with_a_backup(
    new_world: World, on_loop: OnLoop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "kept.backup"

    async def chosen(*_args: object, **_more: object) -> Path:
        return target

    monkeypatch.setattr("familiar_app.ui.kit.going_back.choose_file", chosen)

    async def story(window: MainWindow) -> None:
        made = tmp_path / "elsewhere"
        vault = await Vault.create(made / "vault.db", SECRET, recovery_code=CODE, clock=FixedClock(NOON), cost=CHEAP)
        await vault.backups.make(BackupWish(target, "asked", NOON, made))
        await vault.close()
        wizard = current(window)
        assert isinstance(wizard, Wizard)
        wizard.restore.click()
        await until(lambda: dialog_with("Open the backup"))
        QTest.keyClicks(dialog().focusWidget(), SECRET)
        press_in(dialog(), "Look inside")
        await until(lambda: dialog_with("Go back"))
        new_world.gate.state = "locked"
        press_in(dialog(), "Go back")
        await until(lambda: isinstance(current(window), UnlockScreen))
        assert "The backup is in place" in texts(current(window))
        assert new_world.gate.profile.vault_path.exists()

    on_loop(with_window(new_world, story, opened=False))
