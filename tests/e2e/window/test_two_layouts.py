"""Two layouts of one channel beside each other, and an answer to each, in the real window and by the keyboard alone."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.store.vault import Vault

from .conftest import Screen

pytestmark = pytest.mark.slow

PASSPHRASE = "violet heron ladder seventeen"
CARD_FIRST, MODE_FIRST = "I read the card first.", "I read the mode first."
SCRIPT = (
    {"match": "# Mira\n\nYou are Mira", "reply": CARD_FIRST},
    {"match": "do not write them.\n\n# Mira", "reply": MODE_FIRST},
)


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


def counts(profile: Path) -> tuple[int, int]:
    """Count turns and traces beside the running program."""

    async def read() -> tuple[int, int]:
        vault = await Vault.open(profile / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
        try:
            turns = [turn async for chunk in vault.turns.stream(inactive=True, hidden=True) for turn in chunk]
            return len(turns), len(await vault.traces.list(limit=100))
        finally:
            await vault.close()

    return asyncio.run(read())


def choose(screen: Screen, action: str, settle_s: float = 2.0) -> None:
    """Run an action by its name in the palette."""
    screen.press("ctrl+k")
    screen.type(action)
    screen.press("Return")
    time.sleep(settle_s)


def open_prompts(screen: Screen) -> subprocess.Popen[bytes]:
    """Make a profile with one answer, start the window and show the prompts."""
    script = screen.root / "answers.jsonl"
    lines = (json.dumps({"slot": "prose", "purpose": "reply", **line}) + "\n" for line in SCRIPT)
    script.write_text("".join(lines), encoding="utf-8")
    command(screen, "init", "--name", "Mira", "--model", f"scripted:{script}", "--json")
    command(screen, "say", "Good evening", "--json")
    program = screen.start()
    screen.wait_for_page("UnlockScreen")
    screen.type(PASSPHRASE)
    screen.press("Return")
    screen.wait_for_page("Frame")
    choose(screen, "Go to Prompts", 3.0)
    return program


def test_two_layouts_of_a_channel_are_compared_and_both_are_asked(screen: Screen) -> None:
    program = open_prompts(screen)
    before = counts(screen.profile)
    screen.press("ctrl+t")  # the trial, with the card chosen among the layers
    screen.press("alt+Down")
    choose(screen, "Show the changed prompt beside the original", 3.0)
    choose(screen, "Ask the model with both prompts", 3.0)
    choose(screen, "Copy both answers")
    copied = screen.clipboard()
    left, right = copied.split("\n\n")
    assert left.startswith("As it was (Asked again")
    assert left.endswith(CARD_FIRST)
    assert right.startswith("Other order (Asked again")
    assert right.endswith(MODE_FIRST)
    assert before == (2, 1)
    assert counts(screen.profile) == before
    places = screen.in_clear(CARD_FIRST, MODE_FIRST, "do not write them")
    assert {place.rpartition("/")[2] for place in places} == {"answers.jsonl"}
    assert screen.end(program) == 0
