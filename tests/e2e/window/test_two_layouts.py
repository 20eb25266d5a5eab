"""Two layouts of one channel beside each other, and an answer to each, in the real window and by the keyboard alone."""

from __future__ import annotations

import json
import subprocess

import pytest

from familiar_app.store.vault import Vault

from .conftest import Screen

pytestmark = pytest.mark.slow

CARD_FIRST, MODE_FIRST = "I read the card first.", "I read the mode first."
SCRIPT = (
    {"match": "# Mira\n\nYou are Mira", "reply": CARD_FIRST},
    {"match": "do not write them.\n\n# Mira", "reply": MODE_FIRST},
)


def counts(screen: Screen) -> tuple[int, int]:
    """Count turns and traces beside the running program."""

    async def count(vault: Vault) -> tuple[int, int]:
        turns = [turn async for chunk in vault.turns.stream(inactive=True, hidden=True) for turn in chunk]
        return len(turns), len(await vault.traces.list(limit=100))

    return screen.read(count)


def open_prompts(screen: Screen) -> subprocess.Popen[bytes]:
    """Make a profile with one answer, start the window and show the prompts."""
    script = screen.root / "answers.jsonl"
    lines = (json.dumps({"slot": "prose", "purpose": "reply", **line}) + "\n" for line in SCRIPT)
    script.write_text("".join(lines), encoding="utf-8")
    screen.command("init", "--name", "Mira", "--model", f"scripted:{script}", "--json")
    screen.command("say", "Good evening", "--json")
    program = screen.start()
    screen.unlock()
    screen.choose("Go to Prompts", lambda seen: seen.at("Kept prompts") and seen.text("The prompt as it was sent"))
    return program


def test_two_layouts_of_a_channel_are_compared_and_both_are_asked(screen: Screen) -> None:
    program = open_prompts(screen)
    before = counts(screen)
    screen.press("ctrl+t")  # the trial, with the card chosen among the layers
    screen.until(lambda seen: seen.at("Layers of the trial") and seen.focus["chosen"] == 0, "the layers of the trial")
    screen.press("alt+Down")
    screen.until(lambda seen: seen.has("Other order"), "what was moved")
    screen.choose(
        "Show the changed prompt beside the original", lambda seen: seen.has("Answer to the prompt at the right")
    )
    screen.choose(
        "Ask the model with both prompts",
        lambda seen: seen.starting("Asked again ·") == 2,
    )
    screen.choose("Copy both answers", lambda seen: seen.has("Copied."))
    copied = screen.clipboard()
    left, right = copied.split("\n\n")
    assert left.startswith("As it was (Asked again")
    assert left.endswith(CARD_FIRST)
    assert right.startswith("Other order (Asked again")
    assert right.endswith(MODE_FIRST)
    assert before == (2, 1)
    assert counts(screen) == before
    places = screen.in_clear(CARD_FIRST, MODE_FIRST, "do not write them")
    assert {place.rpartition("/")[2] for place in places} == {"answers.jsonl"}
    assert screen.end(program) == 0
