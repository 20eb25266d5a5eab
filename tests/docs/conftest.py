"""A place in which the examples of the manual can be run: a profile with a little life in it, and files to bring in."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.conftest import Familiar, make_cheap

ANN, OWNER = "discord:123", "local:owner"
LINEAGE = "0b5c2d4e-1f7a-4c3b-9d8e-6a5f4e3d2c1b"


def _turn(number: int, text: str, channel: str = "discord:10") -> dict[str, Any]:
    guild = "discord:100" if channel.startswith("discord:") else None
    return {
        "channel": channel,
        "guild": guild,
        "author": {"key": ANN, "name": "Ann", "username": "ann"},
        "role": "user",
        "content": text,
        "at": f"2024-05-01T12:{number:02}:00Z",
        "message_id": f"m{number}",
    }


def _lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def make_files(folder: Path) -> None:
    """Write every file that the manual names, each in the form of the program it comes from."""
    said = "Her sister brought tea to the harbour."
    entry = {"uid": 0, "key": ["harbour"], "keysecondary": [], "content": "It smells of tar.", "comment": "Harbour"}
    tavern = {"user_name": "User", "character_name": "Ada", "create_date": "2024-05-01 @12h 00m 00s 000ms"}
    card = {"name": "Mira", "description": "A keeper of lights.", "first_mes": "Good evening."}
    author = {"id": "123", "name": "ann", "nickname": "Ann", "isBot": False}
    general = {
        "guild": {"id": "100", "name": "Harbour"},
        "channel": {"id": "10", "type": "GuildTextChat", "name": "general"},
        "messages": [
            {"id": "1", "type": "Default", "timestamp": "2024-05-01T12:00:00+00:00", "content": said, "author": author}
        ],
    }
    texts = {
        "chat.jsonl": _lines(_turn(1, said), _turn(2, "It was cold.")),
        "old.jsonl": _lines(_turn(3, "Long ago.", "local:old")),
        "Ada - 2024-05-01.jsonl": _lines(
            tavern,
            {"name": "User", "is_user": True, "send_date": "May 1, 2024 12:00pm", "mes": "Hello."},
            {"name": "Ada", "is_user": False, "send_date": "May 1, 2024 12:01pm", "mes": "Good day."},
        ),
        "world.json": json.dumps({"entries": {"0": entry}}),
        "mira.json": json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": card}),
        "general.json": json.dumps(general),
        "tomori.json": json.dumps({"memories": ["Spoilers belong in #books."]}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def make_script(familiar: Familiar) -> Path:
    """Write answers of a model for whatever an example asks of it."""
    replies: list[tuple[str, str, Any]] = [("prose", "reply", "Good morning to you.")]
    replies += [("background", "rich_note", []), ("background", "fact_supersede", []), ("background", "reflection", [])]
    replies += [("background", name, "Ann likes the harbour.") for name in ("people_dossier", "rolling_summary")]
    path = familiar.outside / "answers.jsonl"
    lines = [{"slot": slot, "purpose": purpose, "reply": reply} for slot, purpose, reply in replies]
    path.write_text(_lines(*lines * 20), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile with the familiar Ada, who was spoken with, and with somebody of Discord in her log."""
    folder = tmp_path_factory.mktemp("manual")
    familiar = Familiar(folder / "root", folder / "outside")
    make_files(familiar.outside)
    script = make_script(familiar)
    told = [
        ("init", "--name", "Ada", "--model", f"scripted:{script}"),
        ("import", "chat.jsonl"),
        ("import", "old.jsonl"),
        ("say", "Good morning"),
    ]
    for argv in told:
        done = familiar(*argv)
        assert done.code == 0, done.err
        if argv[0] == "init":
            make_cheap(familiar.profile)
    return familiar.profile


@pytest.fixture
def ada(lived: Path, tmp_path: Path) -> Iterator[Familiar]:
    """The program over a copy of that profile, started in a folder with all the files."""
    familiar = Familiar(tmp_path / "root", tmp_path / "outside")
    shutil.copytree(lived, familiar.profile)
    make_files(familiar.outside)
    yield familiar
    familiar.end()
