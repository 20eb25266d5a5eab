"""Decides between the window and a command, and makes what both stand on: log, clock, profile, tasks."""

from __future__ import annotations

import argparse
import logging
import os
import sys

from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.core_file import forbid_core_files
from familiar_app.bootstrap.log import LogBuffer, set_up_logging
from familiar_app.bootstrap.stream import open_missing_streams
from familiar_app.bootstrap.telemetry import silence_libraries
from familiar_app.cli.main import main as run_cli
from familiar_app.domain.clock import Clock, FixedClock, SystemClock
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.profile import Profile, default_profile_folder

log = logging.getLogger(__name__)


def main() -> int:
    """Run the program with the arguments of this process and return its exit code."""
    silence_libraries(os.environ)
    forbid_core_files()
    open_missing_streams()
    buffer = LogBuffer()
    set_up_logging(buffer)
    return run_cli(sys.argv[1:], make_application, lambda args: _open_window(args, buffer))


def make_application(args: argparse.Namespace, tasks: TaskRegistry | None = None) -> Application:
    """Build the gate for the profile that the common options name. Call it inside the event loop."""
    return Application(
        Profile(args.profile_dir or default_profile_folder()),
        clock=_clock(args),
        tasks=tasks or TaskRegistry(_report_task),
        local_only=True if args.local_only else None,
        lasting=args.command in (None, "serve"),
        discord=args.command is None,
    )


def _clock(args: argparse.Namespace) -> Clock:
    return SystemClock() if args.now is None else FixedClock(args.now)


def _report_task(name: str, error: BaseException) -> None:
    log.error("the task %s failed", name, exc_info=error)


def _open_window(args: argparse.Namespace, buffer: LogBuffer) -> int:
    # Imported here, so that commands start without Qt.
    from familiar_app.bootstrap.window import open_window

    return open_window(args, buffer)
