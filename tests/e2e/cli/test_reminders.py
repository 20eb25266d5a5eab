"""Reminders through the real program: set by `say`, shown by `status`, due once in `serve` whatever kills it."""

from __future__ import annotations

import itertools
import json
import random
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow
ROUNDS = 5
LINES = (
    {"match": "A reminder is due", "reply": "The cat is hungry!"},
    {"match": "Remind me", "reply": {"tool_calls": [
        {"name": "set_alarm", "arguments": {"when": "2024-05-01T15:00", "text": "feed the cat"}}]}},
    {"match": "Reminder 2 is set", "reply": "I will."},
)  # fmt: skip


def arranged(familiar: Familiar) -> None:
    """Make a familiar of Berlin that was asked for a reminder in 2024."""
    script = familiar.outside / "reminders.jsonl"
    script.write_text("".join(json.dumps({"slot": "prose", "purpose": "reply", **line}) + "\n" for line in LINES))
    assert familiar("init", "--name", "Mira", "--model", f"scripted:{script}").code == 0
    config = familiar.profile / "familiars" / "mira" / "character.toml"
    config.write_text(config.read_text() + '\n[display]\ntimezone = "Europe/Berlin"\n')
    said = familiar("--now", "2024-05-01T12:00Z", "say", "Remind me to feed the cat at three", "--json")
    assert said.code == 0, said.err
    assert said.json["reply"] == "I will."


def told(familiar: Familiar) -> list[tuple[str, str]]:
    return [(str(turn.role), turn.content.split(" is due since")[0]) for turn in familiar.turns()][3:]


def killed(familiar: Familiar, seconds: float) -> None:
    """Serve, and be killed at some moment."""
    process = familiar.start("serve")
    time.sleep(seconds)
    familiar.kill(process)
    process.communicate()


def served(familiar: Familiar, *argv: str, seconds: float = 0.0) -> None:
    """Serve until it is up, and some time more; then end it cleanly."""
    process = familiar.start("serve", *argv)
    assert process.stderr is not None
    lines = list(itertools.takewhile(lambda line: "memory alone" not in line, process.stderr))
    assert process.poll() is None, lines
    time.sleep(seconds)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    assert process.returncode == 0, err


def test_a_reminder_is_shown_by_status_and_in_the_prompt(bare: Familiar) -> None:
    arranged(bare)
    status: dict[str, Any] = bare("status", "--json").json["familiars"][0]
    assert status["reminders"] == [
        {"id": 2, "channel": "local:main", "due_at": "2024-05-01T13:00:00Z", "text": "feed the cat"}
    ]
    assert status["discord"] == {
        "token": False, "mode": "mentions", "direct_messages": False, "channels": 0, "focus": [], "unread": [],
    }  # fmt: skip
    words = bare("status").out
    assert "1 reminders wait" not in words
    assert "1 reminder waits, for 2024-05-01T13:00:00Z" in words
    assert "Search index: " in words
    shown = bare("--now", "2024-05-01T12:30Z", "prompt", "What waits?", "--json").json
    assert "- 2: Wednesday, 2024-05-01, 15:00: feed the cat" in shown["messages"][-1]["content"]


def test_missed_while_away_it_comes_once_however_often_the_program_is_killed(bare: Familiar) -> None:
    arranged(bare)
    moments = random.Random(20_240_501)
    for _ in range(ROUNDS):
        killed(bare, moments.uniform(0.5, 4.0))
    for _ in range(40):
        served(bare, seconds=2.0)
        if len(told(bare)) >= 2:
            break
    assert told(bare) == [("system", "Reminder 2"), ("assistant", "The cat is hungry!")]
    assert "days late" in next(turn.content for turn in bare.turns() if str(turn.role) == "system")
    assert bare("status", "--json").json["familiars"][0]["reminders"] == []
    assert bare("verify", "--json").json == {"ok": True, "problems": []}


def test_attention_is_held_from_the_command_line(bare: Familiar) -> None:
    arranged(bare)
    for given in (("10", "11"), ("all",)):
        served(bare, *(f"--focus={one}" for one in given))
        focus = bare("status", "--json").json["familiars"][0]["discord"]["focus"]
        kept = [] if given == ("all",) else [{"channel": f"discord:{one}", "pinned": True} for one in given]
        assert focus == kept
