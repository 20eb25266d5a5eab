"""A newcomer's first evening: the wizard, a message, the bundled model's answer, closing, coming back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.vault import Vault

from .conftest import Screen, wait_until

pytestmark = pytest.mark.slow

PASSPHRASE = "violet heron ladder seventeen"
MESSAGE = "Good evening, what do you like to read?"


def turns(profile: Path) -> list[Turn]:
    """Read the conversation beside the running program."""

    async def read() -> list[Turn]:
        vault = await Vault.open(profile / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
        try:
            channel = await vault.channels.find(MAIN_CHANNEL, familiar=FamiliarId("mira"))
            return [] if channel is None else await vault.turns.page(channel.id)
        finally:
            await vault.close()

    return asyncio.run(read())


def go_through_wizard(screen: Screen) -> None:
    screen.wait_for_page("Wizard")
    screen.press("Return")
    screen.type("Mira")
    screen.press("Return")
    screen.type(PASSPHRASE)
    screen.press("Tab")
    screen.type(PASSPHRASE)
    screen.press("Return")
    time.sleep(1.0)
    screen.press("space")  # the first control of this page copies the code
    groups = screen.clipboard().split("-")
    assert len(groups) == 7
    screen.press("Tab", "Tab", "Tab")
    for group in groups:
        # Only one of them is asked for, by chance; the wizard stays where it is until the right one came.
        screen.press("ctrl+a")
        screen.type(group)
        screen.press("Return", "ctrl+a", "ctrl+c")
        if screen.clipboard() != group:
            break  # nothing was left there to copy: the page has gone
    screen.press("Return")
    screen.wait_for_page("Frame")


def test_wizard_answer_close_and_return_by_keyboard_alone(screen: Screen) -> None:
    program = screen.start()
    go_through_wizard(screen)
    screen.type(MESSAGE)
    screen.press("Return")
    wait_until(lambda: len(turns(screen.profile)) == 2, "an answer")
    said, answered = turns(screen.profile)
    assert (said.role, said.content) == (Role.USER, MESSAGE)
    assert answered.role is Role.ASSISTANT
    assert len(answered.content) > 1
    private = (MESSAGE, PASSPHRASE, *(line for line in answered.content.splitlines() if len(line) > 30))
    assert screen.in_clear(*private) == []
    assert screen.end(program) == 0

    again = screen.start()
    screen.wait_for_page("UnlockScreen")
    screen.type(PASSPHRASE)
    screen.press("Return")
    screen.wait_for_page("Frame", times=2)
    screen.press("Up", "ctrl+a", "ctrl+c")  # the last message of one's own, opened to be edited
    assert screen.clipboard() == MESSAGE
    screen.press("Escape")
    assert screen.end(again) == 0
    assert screen.in_clear(*private) == []
    assert [turn.content for turn in turns(screen.profile)] == [MESSAGE, answered.content]


def test_second_start_ends_and_wrong_passphrase_stays_outside(screen: Screen) -> None:
    program = screen.start()
    second = subprocess.run(
        [sys.executable, "-m", "familiar_app", "--profile-dir", str(screen.profile)],
        env=screen.environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (second.returncode, second.stdout, second.stderr) == (0, b"", b"")
    go_through_wizard(screen)
    screen.press("ctrl+l")
    screen.wait_for_page("UnlockScreen")
    screen.type("not the passphrase")
    screen.press("Return")
    time.sleep(3.0)
    screen.type(MESSAGE)
    screen.press("Return")
    time.sleep(2.0)
    assert turns(screen.profile) == []
    assert screen.end(program) == 0
