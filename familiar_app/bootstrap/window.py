"""Runs the window: Qt, the one event loop, the main window, and the way out."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from familiar_app.bootstrap.loop import run  # first: it settles which Qt is used

from PySide6.QtWidgets import QApplication, QWidget  # isort: skip

from familiar_app import __version__
from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.desktop import build_desktop
from familiar_app.bootstrap.language import choose_language
from familiar_app.bootstrap.log import LogBuffer, log_to_file
from familiar_app.bootstrap.main import make_application
from familiar_app.bootstrap.model_library import build_library
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.settings import ModelSlot
from familiar_app.domain.task import TaskRegistry
from familiar_app.interchange.card_kept import kept_of
from familiar_app.interchange.cards import CardImport, read_card_file
from familiar_app.interchange.lorebook.taken import lorebook_of_import, native_bytes
from familiar_app.models.discovery import FoundServer, find_local_servers
from familiar_app.models.factory import build_model
from familiar_app.models.network import NetworkPolicy
from familiar_app.store import keyring
from familiar_app.store.profile import slot_from_spec
from familiar_app.ui.about.panel import create_about_panel
from familiar_app.ui.backups.panel import create_backups_panel
from familiar_app.ui.character.panel import create_character_panel
from familiar_app.ui.chat.panel import create_chat_panel
from familiar_app.ui.discord.panel import create_discord_panel
from familiar_app.ui.help.panel import create_help_panel
from familiar_app.ui.inbox.panel import create_inbox_panel
from familiar_app.ui.kit.launch import launch
from familiar_app.ui.kit.panel import PanelFactory
from familiar_app.ui.kit.parts import ReadCard, WindowParts
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.log.panel import log_panel
from familiar_app.ui.lorebook.panel import create_lorebook_panel
from familiar_app.ui.memories.panel import create_memories_panel
from familiar_app.ui.models.panel import create_models_panel
from familiar_app.ui.network.panel import create_network_panel
from familiar_app.ui.people.panel import create_people_panel
from familiar_app.ui.prompts.panel import create_prompts_panel
from familiar_app.ui.reflections.panel import create_reflections_panel
from familiar_app.ui.search.panel import create_search_panel
from familiar_app.ui.settings.panel import settings_panel
from familiar_app.ui.shell.crash import CrashDialog
from familiar_app.ui.shell.single_instance import SingleInstance
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.timeline.panel import create_timeline_panel
from familiar_app.ui.upkeep.panel import create_upkeep_panel

log = logging.getLogger(__name__)
CLOSE_TIMEOUT_S = 20.0
BEAT_S = 0.25


def open_window(args: argparse.Namespace, buffer: LogBuffer) -> int:
    """Show the window until the person leaves, and return the exit code."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Familiar")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("familiar")
    app.setQuitOnLastWindowClosed(False)
    theme = Theme(app)
    crash = CrashDialog(theme, _active_window)
    tasks = TaskRegistry(lambda name, error: _report(crash, name, error))
    application = make_application(args, tasks)
    choose_language(application.profile)
    instance = SingleInstance(application.profile.root)
    if not instance.claim(args.open, hidden=args.hidden):
        return 0
    spare_collector()
    sys.excepthook = lambda _kind, error, _trace: _report(crash, "the window", error)
    try:
        run(
            _live(application, tasks, theme, buffer, instance, args),
            app=app,
            on_error=lambda context: _report_callback(crash, context),
        )
    finally:
        sys.excepthook = sys.__excepthook__
        instance.release()
    return 0


def spare_collector() -> None:
    """Take what is loaded by now out of garbage collection for good.

    A full collection stops every thread. Walking the hundreds of thousands of objects that the imports made, which
    never become garbage, takes it some 100 ms; without them it takes a few.
    """
    gc.collect()
    gc.freeze()


async def _live(
    application: Application,
    tasks: TaskRegistry,
    theme: Theme,
    buffer: LogBuffer,
    instance: SingleInstance,
    args: argparse.Namespace,
) -> None:
    """From the first picture to the last: show, wait for the wish to leave, close every part in order."""
    leave = asyncio.Event()
    _leave_on_signal(leave.set)
    file_log = await asyncio.to_thread(_open_log_file, application.profile.log_dir)
    window = MainWindow(window_parts(application, tasks, theme, buffer, leave.set))
    instance.raised.connect(lambda file: _raise(window, file))
    window.start(args.open, hidden=args.hidden)
    try:
        await leave.wait()
    finally:
        await _close_part("the window", window.prepare_close())
        await _close_part("the vault", application.close())
        late = await tasks.cancel()
        if late:
            log.warning("%d tasks did not end in time", len(late))
        window.deleteLater()
        if file_log is not None:
            logging.getLogger().removeHandler(file_log)
            file_log.close()


def _raise(window: MainWindow, file: str) -> None:
    window.bring_to_front()
    if file:
        window.open_card(Path(file))


def window_parts(
    application: Application, tasks: TaskRegistry, theme: Theme, buffer: LogBuffer, leave: Callable[[], None]
) -> WindowParts:
    """Name everything the window stands on; `leave` asks for the end of the program."""
    library = build_library(application, tasks)
    # The first ten have the keys Alt+1 to Alt+0.
    panels: tuple[PanelFactory, ...] = (
        create_chat_panel,
        create_character_panel,
        create_timeline_panel,
        create_people_panel,
        create_reflections_panel,
        create_lorebook_panel,
        create_memories_panel,
        create_prompts_panel,
        create_discord_panel,
        settings_panel,
        log_panel(buffer),
        create_inbox_panel,
        create_search_panel,
        create_upkeep_panel,
        create_backups_panel,
        create_models_panel,
        create_network_panel,
        create_help_panel,
        create_about_panel,
    )
    return WindowParts(
        gate=application,
        tasks=tasks,
        theme=theme,
        panels=panels,
        read_card=read_card_file,
        card_lorebook=_card_lorebook,
        test_model=lambda spec, key, local_only: _test_model(spec, key, local_only, application),
        find_servers=_find_servers,
        keyring_available=keyring.available,
        request_quit=leave,
        remember_key=application.remember_key,
        desktop=build_desktop(application.profile.root, launch),
        models=library,
        card_kept=lambda card: kept_of(card) if isinstance(card, CardImport) else None,
        set_log_level=lambda level: logging.getLogger("familiar_app").setLevel(level.upper()),
    )


def _card_lorebook(card: ReadCard) -> bytes | None:
    """Return the `lorebook.toml` that a card of `read_card_file` brought."""
    document = lorebook_of_import(card) if isinstance(card, CardImport) else None
    return None if document is None else native_bytes(document)


async def _test_model(spec: str, key: str | None, local_only: bool, application: Application) -> ModelInfo:
    """Load or reach a model that is not set up yet, and let it go again."""

    async def secret(_name: str) -> str | None:
        return key

    slot: ModelSlot = slot_from_spec(spec, api_key_secret="test" if key else "")
    contacts = application.services.network.contacts if application.state == "open" else None
    network = NetworkPolicy(local_only=local_only, contacts=contacts)
    model = await build_model(slot, network=network, secret=secret, base_dir=application.profile.root)
    try:
        return await model.prepare()
    finally:
        await model.close()


async def _find_servers() -> Sequence[FoundServer]:
    return await find_local_servers(NetworkPolicy(local_only=True))


async def _close_part(name: str, closing: Any) -> None:
    """Await the end of one part for a bounded time; whatever goes wrong, the next part is closed too."""
    try:
        await asyncio.wait_for(closing, CLOSE_TIMEOUT_S)
    except Exception:
        # The way out must reach its end.
        log.exception("%s did not close cleanly", name)


def _open_log_file(folder: Path) -> logging.Handler | None:
    try:
        return log_to_file(folder)
    except OSError as error:
        log.warning("the log is kept in memory only: its folder cannot be written", exc_info=error)
        return None


def _leave_on_signal(leave: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave))


def _active_window() -> QWidget | None:
    return QApplication.activeWindow()


def _report(crash: CrashDialog, name: str, error: BaseException) -> None:
    log.error("a defect in %s", name, exc_info=error)
    crash.report(name, error)


def _report_callback(crash: CrashDialog, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if isinstance(error, BaseException):
        _report(crash, "a callback", error)
    else:
        log.error("the event loop reported a problem without an exception")
