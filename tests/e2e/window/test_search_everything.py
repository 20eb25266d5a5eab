"""A message is found in the real window, removed, brought back and removed again, by the keyboard alone."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.turn import Turn
from familiar_app.store.vault import Vault

from .conftest import Screen, wait_until

pytestmark = pytest.mark.slow

PASSPHRASE = "violet heron ladder seventeen"
WANTED = "The lighthouse at the cape is lit again."
COUNT = 400


def write_turns(path: Path) -> Path:
    start = datetime(2023, 5, 1, tzinfo=UTC)
    author = {"key": "local:ann", "name": "Ann", "username": None, "bot": False}
    with path.open("w", encoding="utf-8") as stream:
        for number in range(COUNT):
            text = WANTED if number == 60 else f"Remark {number} about the weather."
            turn = {"channel": "local:main", "role": "user", "author": author, "content": text}
            stream.write(json.dumps({**turn, "at": (start + timedelta(hours=number)).isoformat()}) + "\n")
    return path


def command(screen: Screen, *words: str) -> None:
    """Run a command of the program on the window's profile."""
    done = subprocess.run(
        [sys.executable, "-m", "familiar_app", "--profile-dir", str(screen.profile), *words],
        env={**screen.environment(), "FAMILIAR_PASSPHRASE": PASSPHRASE},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def shown(screen: Screen) -> list[Turn]:
    """Read every turn that is shown, beside the running program."""

    async def read() -> list[Turn]:
        path = screen.profile / "vault.db"
        vault = await Vault.open(path, clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
        try:
            return await vault.turns.search("e", limit=2 * COUNT)
        finally:
            await vault.close()

    return asyncio.run(read())


def there(screen: Screen) -> tuple[int, bool]:
    found = [turn.content for turn in shown(screen)]
    return len(found), WANTED in found


def test_a_message_is_found_removed_brought_back_and_removed_again(screen: Screen, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text("", encoding="utf-8")
    command(screen, "init", "--name", "Mira", "--model", f"scripted:{script}")
    command(screen, "import", str(write_turns(tmp_path / "turns.jsonl")))
    program = screen.start()
    screen.wait_for_page("UnlockScreen")
    screen.type(PASSPHRASE)
    screen.press("Return")
    screen.wait_for_page("Frame")
    time.sleep(2.0)
    screen.press("ctrl+shift+f")
    time.sleep(1.0)
    screen.type("lighthouse")
    time.sleep(3.0)
    screen.press("Return")
    time.sleep(2.0)
    screen.press("Delete")
    wait_until(lambda: there(screen) == (COUNT - 1, False), "the removal of that one message", 30.0)
    screen.press("ctrl+z")
    wait_until(lambda: there(screen) == (COUNT, True), "the undo", 30.0)
    screen.press("ctrl+shift+z")
    wait_until(lambda: there(screen) == (COUNT - 1, False), "the redo", 30.0)
    assert screen.in_clear(WANTED, PASSPHRASE) == []
    assert screen.end(program) == 0
