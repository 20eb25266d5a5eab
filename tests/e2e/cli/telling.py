"""Tells a story to the real program, step by step: turns imported in portions, answers scripted, acts of the owner."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.cli.conftest import Familiar

People = Mapping[str, Sequence[str]]
"""The key and the name of each who speaks in a story."""


def ran(familiar: Familiar, *argv: str) -> Any:
    done = familiar(*argv, "--json")
    assert done.code == 0, done.out + done.err
    return done.json


def script(familiar: Familiar, lines: list[dict[str, Any]]) -> Path:
    path = familiar.outside / "background.jsonl"
    path.write_text("".join(json.dumps({"slot": "background", **line}) + "\n" for line in lines), encoding="utf-8")
    return path


def turns(people: People, said: list[list[str]], number: int) -> Iterator[str]:
    for place, (who, at, text) in enumerate(said):
        key, name = people[who]
        yield json.dumps(
            {"channel": "discord:10", "guild": "discord:g", "author": {"key": key, "name": name, "username": name},
             "role": "user", "content": text, "at": at, "message_id": f"{number}:{place}"}
        )  # fmt: skip


def take(familiar: Familiar, people: People, step: dict[str, Any], number: int) -> None:
    """Let one step of a story happen."""
    now = ("--now", step["now"])
    if "import" in step:
        path = familiar.outside / "turns.jsonl"
        path.write_text("\n".join(turns(people, step["import"], number)), encoding="utf-8")
        ran(familiar, "import", str(path), *now)
    elif "project" in step:
        script(familiar, step["project"])
        ran(familiar, "project", "--until-idle", *now)
    elif "undo" in step:
        (case,) = [one for one in ran(familiar, "retirement", "list") if one["prior"]["id"] == step["undo"]]
        ran(familiar, "retirement", "undo", str(case["id"]), *now)
    else:
        ran(familiar, *step["run"], *now)
