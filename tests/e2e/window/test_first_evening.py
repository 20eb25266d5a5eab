"""A newcomer's first evening: the wizard, a message, the bundled model's answer, closing, coming back."""

from __future__ import annotations

import subprocess
import sys

import pytest

from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.vault import Vault

from .conftest import PASSPHRASE, PATIENCE_S, Screen, wait_until

pytestmark = pytest.mark.slow

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
WRONG = "The passphrase is wrong."
MESSAGE = "Good evening, what do you like to read?"


def turns(screen: Screen) -> list[Turn]:
    """Read the conversation beside the running program."""

    async def page(vault: Vault) -> list[Turn]:
        channel = await vault.channels.find(MAIN_CHANNEL, familiar=FamiliarId("mira"))
        return [] if channel is None else await vault.turns.page(channel.id)

    return screen.read(page)


def go_through_wizard(screen: Screen) -> None:
    screen.until_at("Begin")
    screen.press("Return")
    screen.write("Name", "Mira")
    screen.press("Return")
    screen.write("Passphrase", PASSPHRASE)
    screen.press("Tab")
    screen.write("Passphrase, again", PASSPHRASE)
    screen.press("Return")
    screen.until_at("Copy")
    screen.press("space")
    screen.until(lambda seen: seen.has("Copied for one minute."), "the copied code")
    groups = screen.clipboard().split("-")
    assert len(groups) == 7
    screen.press("Tab", "Tab", "Tab")
    screen.until(lambda seen: seen.focus.get("name", "").startswith("Type the "), "the group that is asked for")
    asked = screen.look().focus["name"]  # one of them, by chance
    screen.write(asked, groups[next(n for n, word in enumerate(PLACES) if word in asked)])
    screen.press("Return")
    screen.until(lambda seen: seen.has("Step 5 of 5") and seen.focus, "the last page")
    screen.press("Return")
    screen.until_chat()


def test_wizard_answer_close_and_return_by_keyboard_alone(screen: Screen) -> None:
    program = screen.start()
    go_through_wizard(screen)
    screen.write("Message", MESSAGE)
    screen.press("Return")
    wait_until(lambda: len(turns(screen)) == 2, "an answer")
    said, answered = turns(screen)
    assert (said.role, said.content) == (Role.USER, MESSAGE)
    assert answered.role is Role.ASSISTANT
    assert len(answered.content) > 1
    private = (MESSAGE, PASSPHRASE, *(line for line in answered.content.splitlines() if len(line) > 30))
    assert screen.in_clear(*private) == []
    assert screen.end(program) == 0

    again = screen.start()
    screen.unlock()
    screen.until(lambda seen: seen.has("Make another answer"), "the conversation")
    screen.press("Up")  # the last message of one's own, opened to be edited
    screen.until(lambda seen: seen.focus.get("text") == MESSAGE, "the message")
    screen.press("ctrl+a", "ctrl+c")
    wait_until(lambda: screen.clipboard() == MESSAGE, "the copied message")
    screen.press("Escape")
    assert screen.end(again) == 0
    assert screen.in_clear(*private) == []
    assert [turn.content for turn in turns(screen)] == [MESSAGE, answered.content]


def test_second_start_ends_and_wrong_passphrase_stays_outside(screen: Screen) -> None:
    program = screen.start()
    second = subprocess.run(
        [sys.executable, "-m", "familiar_app", "--profile-dir", str(screen.profile)],
        env=screen.environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (second.returncode, second.stdout, second.stderr) == (0, b"", b"")
    go_through_wizard(screen)
    screen.press("ctrl+l")
    stay_outside(screen, "Passphrase or recovery code")
    screen.tab_to("Close the vault")
    screen.press("space")
    stay_outside(screen, "Passphrase")
    assert turns(screen) == []
    assert screen.end(program) == 0


def stay_outside(screen: Screen, asked: str) -> None:
    """Try to get in without the passphrase."""
    for wrong in ("not the passphrase", MESSAGE):
        screen.write(asked, wrong)
        screen.press("Return")
        screen.until(lambda seen: seen.at(asked) and seen.starting(WRONG), "that it was wrong")
