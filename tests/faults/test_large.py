"""Much at once: a message of 200 MB, and a large import that is cut off again and again."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

from tests.faults import check
from tests.faults.act import lines_of
from tests.faults.fault import killed_after, limited
from tests.faults.house import House, Known

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
HUGE = 200 * 1024 * 1024
TURNS = 100_000
GIBIBYTE = 1 << 30


def huge_line(path: Path) -> Path:
    """Write one turn before a message of 200 MB, and one behind it."""
    turn = {"channel": "discord:1", "role": "user", "at": "2024-05-01T12:00:00Z", "author": {"key": "discord:1"}}
    with path.open("w", encoding="utf-8") as stream:
        for number, text in enumerate(("before", "", "behind")):
            head = json.dumps(turn | {"message_id": f"h{number}", "content": text})
            stream.write(head.removesuffix('"}'))
            for _ in range(0 if text else HUGE // (1 << 20)):
                stream.write("x" * (1 << 20))
            stream.write('"}\n')
    return path


def test_a_message_of_200_mb_is_refused_by_its_line_in_little_memory(house: House) -> None:
    before = house.look()
    assert isinstance(before, Known)
    source = str(huge_line(house.outside / "huge.jsonl"))
    enough = limited(RLIMIT_AS=GIBIBYTE)
    ran = house.run("import", source, fault=enough)
    assert ran.code == 4, ran.out + ran.err
    assert not list(check.ending(ran))
    assert "line 2" in ran.err
    skipped = house.run("import", source, "--skip-bad-lines", "--json", fault=enough)
    assert (skipped.code, skipped.json["taken"], skipped.json["bad_lines"]) == (0, 2, 1), skipped.out
    found = house.look()
    assert isinstance(found, Known)
    assert not found.problems
    assert len(found.turns) == len(before.turns) + 2


def test_an_import_of_a_hundred_thousand_turns_is_completed_after_every_cut(house: House) -> None:
    chance = random.Random(3)
    source = str(lines_of(house.outside / "large.jsonl", "large", TURNS))
    there = 0
    for _ in range(4):
        ran = house.run("import", source, fault=killed_after(chance.uniform(2.0, 9.0)))
        found = house.look()
        assert isinstance(found, Known), found
        large = [text.split()[1] for text in found.turns.values() if text.startswith("large ")]
        assert large == [str(place) for place in range(len(large))]
        assert len(large) >= there, "what had been there is gone"
        assert len(large) >= _acknowledged(ran.lines)
        there = len(large)
    ran = house.run("import", source, "--json")
    assert (ran.code, ran.json["taken"], ran.json["already_there"]) == (0, TURNS - there, there), ran.out
    assert house.run("verify").code == 0
    sys.stdout.write(f"cut off at {there} of {TURNS}\n")


def _acknowledged(lines: list[str]) -> int:
    counts = [int(line.split()[0]) for line in lines if line.rstrip().endswith("turns stored")]
    return max(counts, default=0)
