"""Two profiles at once from one window, and a start as the desktop makes it when somebody signs in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from familiar_app.bootstrap.autostart import entry_for
from familiar_app.bootstrap.autostart_linux import LinuxAutostart
from familiar_app.bootstrap.launch import launch_command

from .conftest import PATIENCE_S, Screen, wait_until

pytestmark = pytest.mark.slow


def programs(folder: Path) -> list[psutil.Process]:
    """Return the windows that run on a profile."""
    found = []
    for one in psutil.process_iter(["cmdline"]):
        words = one.info["cmdline"] or ()
        if str(folder) in words and "familiar_app" in words and one.status() != psutil.STATUS_ZOMBIE:
            found.append(one)
    return found


def titles(screen: Screen) -> list[str]:
    numbers = screen.xdotool("search", "--onlyvisible", "--name", "Familiar", check=False).split()
    return sorted(screen.xdotool("getwindowname", number, check=False).strip() for number in numbers)


@pytest.fixture
def others(screen: Screen) -> Iterator[list[Path]]:
    """Profiles whose windows are closed behind the test."""
    folders: list[Path] = []
    yield folders
    for folder in folders:
        for one in programs(folder):
            one.send_signal(signal.SIGTERM)
            one.wait(PATIENCE_S)


def test_another_profile_opens_beside_the_first_and_both_go_on(screen: Screen, others: list[Path]) -> None:
    screen.command("init", "--name", "Mira")
    program = screen.start()
    screen.until_at("Passphrase")
    screen.tab_to("Profiles…")
    screen.press("space")
    usual = Path(screen.environment()["HOME"]) / ".local" / "share" / "familiar"
    work = usual.with_name("familiar-work")
    others.append(work)
    wait_until(lambda: screen.xdotool("search", "--onlyvisible", "--name", "^Profiles$", check=False), "the list")
    # No window manager is here that gives a dialog the keyboard.
    screen.focus_named("Profiles")
    screen.write("A new profile", "work")
    screen.press("Return")
    wait_until(lambda: titles(screen) == ["Familiar (profile)", "Familiar (work)"], "both windows with their names")
    listed = usual.with_name("familiar-profiles.json")
    assert json.loads(listed.read_text(encoding="utf-8")) == {"profiles": ["familiar-work"]}
    assert len(programs(work)) == 1
    screen.focus_named("Familiar (profile)")
    screen.until_at("Profiles…")
    screen.tab_to("Passphrase")
    screen.unlock()
    assert screen.end(program) == 0
    assert len(programs(work)) == 1, "the other window goes on without the first"


def test_a_start_by_the_desktop_is_the_one_that_a_second_start_shows(screen: Screen, others: list[Path]) -> None:
    screen.command("init", "--name", "Mira")
    others.append(screen.profile)
    environment = screen.environment()
    command = launch_command(screen.profile, "--hidden")
    autostart = LinuxAutostart(
        entry_for(screen.profile, usual=False, command=command), {"XDG_CONFIG_HOME": environment["HOME"]}
    )
    autostart.switch(True)
    line = next(one for one in autostart.file.read_text(encoding="utf-8").splitlines() if one.startswith("Exec="))
    # These words have nothing that the quoting of a shell takes otherwise.
    started = subprocess.Popen(["sh", "-c", f"exec {line.removeprefix('Exec=')}"], env=environment, cwd=os.sep)
    wait_until(lambda: (screen.profile / "logs" / "familiar.log").exists(), "the program")
    shows = "the window shows UnlockScreen"
    log = screen.profile / "logs" / "familiar.log"
    wait_until(lambda: shows in log.read_text(encoding="utf-8"), "the question for the passphrase")
    again = [sys.executable, "-m", "familiar_app", "--profile-dir", str(screen.profile)]
    subprocess.run([*again, "--hidden"], env=environment, check=True, timeout=PATIENCE_S)
    subprocess.run(again, env=environment, check=True, timeout=PATIENCE_S)
    wait_until(lambda: titles(screen) == ["Familiar (profile)"], "the window")
    assert len(programs(screen.profile)) == 1
    started.send_signal(signal.SIGTERM)
    assert started.wait(PATIENCE_S) == 0
