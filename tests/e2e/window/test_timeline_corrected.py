"""A belief is corrected in the real window by the keyboard alone, and is still corrected after a rebuild."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import FamiliarId
from familiar_app.store.vault import Vault

from .conftest import Screen, wait_until

pytestmark = pytest.mark.slow

PASSPHRASE = "violet heron ladder seventeen"
OSLO, ROME = "Ann lives in Oslo.", "Ann lives in Rome."


def command(screen: Screen, *words: str) -> str:
    """Run a command of the program on the window's profile."""
    done = subprocess.run(
        [sys.executable, "-m", "familiar_app", "--profile-dir", str(screen.profile), *words],
        env={**screen.environment(), "FAMILIAR_PASSPHRASE": PASSPHRASE},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def believed(screen: Screen) -> list[str]:
    """Read what is believed beside the running program."""

    async def read() -> list[str]:
        path = screen.profile / "vault.db"
        vault = await Vault.open(path, clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
        try:
            return [fact.text for fact in await vault.facts.page(FamiliarId("mira"))]
        finally:
            await vault.close()

    return asyncio.run(read())


def test_a_belief_is_changed_undone_and_changed_again(screen: Screen) -> None:
    command(screen, "init", "--name", "Mira")
    command(screen, "fact", "add", OSLO, "--subject", "discord:1")
    program = screen.start()
    screen.wait_for_page("UnlockScreen")
    screen.type(PASSPHRASE)
    screen.press("Return")
    screen.wait_for_page("Frame")
    time.sleep(1.0)
    screen.press("alt+2")
    time.sleep(2.0)
    screen.press("ctrl+f")
    screen.press("Return", "Down")  # from the search into the list of beliefs
    time.sleep(1.0)
    screen.press("F2")
    time.sleep(1.0)
    screen.press("ctrl+a")
    screen.type(ROME)
    screen.press("Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Return")  # chip, people, both dates, importance, Save
    wait_until(lambda: believed(screen) == [ROME], "the change", 30.0)
    time.sleep(1.0)
    screen.press("ctrl+z")
    wait_until(lambda: believed(screen) == [OSLO], "the undo", 30.0)
    screen.press("ctrl+shift+z")
    wait_until(lambda: believed(screen) == [ROME], "the redo", 30.0)
    assert screen.in_clear(OSLO, ROME, PASSPHRASE) == []
    assert screen.end(program) == 0
    command(screen, "rebuild", "rich_note")
    assert believed(screen) == [ROME]
