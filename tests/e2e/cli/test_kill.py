"""The program is killed at random moments: what it said was stored is stored, and the vault stays whole."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

ROUNDS = [
    pytest.param(6, 20_240_501, id="quick", marks=pytest.mark.slow),
    pytest.param(100, 7, id="long", marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
]
LINES = 12_000


class Listener:
    """Keeps the lines of a process's standard error as they come, so that none is lost when it is killed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.lines: list[str] = []
        self.first = threading.Event()
        self._thread = threading.Thread(target=self._listen, args=(process,))
        self._thread.start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            # A line that was cut off told nobody anything.
            if line.endswith("\n"):
                self.lines.append(line)
                self.first.set()

    def end(self) -> list[str]:
        self._thread.join()
        return self.lines


def wait_until_open(familiar: Familiar, process: subprocess.Popen[str]) -> None:
    """Wait until the process has the vault open, or is done."""
    wal = familiar.vault.with_name("vault.db-wal")
    while process.poll() is None and not wal.exists():
        time.sleep(0.001)


def kill_somewhere(
    familiar: Familiar, process: subprocess.Popen[str], moments: random.Random, span_s: float
) -> list[str]:
    """Kill a process after it opened the vault, or a little after its first line, and return what it had said."""
    listener = Listener(process)
    wait_until_open(familiar, process)
    if moments.random() < 0.5:
        listener.first.wait(30)
    time.sleep(moments.random() * span_s)
    familiar.kill(process)
    return listener.end()


def check(familiar: Familiar) -> None:
    ran = familiar("verify", "--json")
    assert ran.json == {"ok": True, "problems": []}


@pytest.mark.parametrize(("rounds", "seed"), ROUNDS)
def test_no_turn_that_was_confirmed_is_lost_when_killed_in_say(familiar: Familiar, rounds: int, seed: int) -> None:
    moments = random.Random(seed)
    confirmed: dict[int, str] = {}
    cut_short = 0
    for number in range(rounds):
        process = familiar.start("say", f"message {number}")
        said = kill_somewhere(familiar, process, moments, 0.2)
        cut_short += process.returncode != 0
        for line in said:
            if match := re.match(r"Turn (\d+) is stored\.$", line):
                confirmed[int(match[1])] = f"message {number}"
            elif match := re.match(r"Turn (\d+) is stored; its trace", line):
                confirmed[int(match[1])] = "Answer 1."
        stored = {turn.id: turn.content for turn in familiar.turns()}
        assert {turn: stored.get(turn) for turn in confirmed} == confirmed
        if number % 25 == 24:
            check(familiar)
    check(familiar)
    assert confirmed, "no message was confirmed: the test saw nothing"
    assert cut_short, "no process was killed in time: the test saw nothing"


def lines_of(path: Path, number: int) -> str:
    value = {"channel": "discord:1", "role": "user", "at": "2024-05-01T12:00:00Z"}
    with path.open("w") as stream:
        for place in range(LINES):
            author = {"key": f"discord:{place % 20}", "name": f"Name {place % 20}"}
            stream.write(
                json.dumps(
                    value | {"author": author, "content": f"{number} {place}", "message_id": f"{number}:{place}"}
                )
                + "\n"
            )
    return str(path)


@pytest.mark.parametrize(("rounds", "seed"), ROUNDS)
def test_no_turn_that_was_confirmed_is_lost_when_killed_in_import(
    familiar: Familiar, template: Path, rounds: int, seed: int
) -> None:
    moments = random.Random(seed)
    cut_short = 0
    for number in range(rounds):
        if number % 5 == 4:
            shutil.rmtree(familiar.profile)
            shutil.copytree(template, familiar.profile)
        source = lines_of(familiar.outside / "in.jsonl", number)
        process = familiar.start("import", source)
        said = kill_somewhere(familiar, process, moments, 2.5)
        cut_short += process.returncode != 0
        confirmed = max(
            (int(match[1]) for line in said if (match := re.match(r"(\d+) of \d+ turns stored", line))), default=0
        )
        arrived = [turn.message_id for turn in familiar.turns() if turn.content.startswith(f"{number} ")]
        # In order and without a gap: what is there is the beginning of the file.
        assert arrived == [f"{number}:{place}" for place in range(len(arrived))]
        assert len(arrived) >= confirmed
        if number % 10 == 5:
            completed = familiar("import", source, "--json").json
            assert (completed["taken"], completed["already_there"]) == (LINES - len(arrived), len(arrived))
            check(familiar)
    check(familiar)
    assert cut_short, "no process was killed in time: the test saw nothing"
