"""What a file holds is told by what stands inside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError
from familiar_app.interchange.cards import write_card
from familiar_app.interchange.kind_of_file import kind_of_file

TURN = {"channel": "local:main", "role": "user", "content": "x", "at": "2024-05-01T12:00:00Z"}
# Words of a book that are also the names of an export's fields.
BOOK = {"entries": {"0": {"uid": 0, "key": ["guild", "channel", "messages"], "content": "x"}}}
CHATS = {"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": []}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.jsonl", json.dumps(TURN), "turns"),
        ("a.json", json.dumps(TURN), "turns"),
        ("a.txt", f"{json.dumps(TURN)}\n{json.dumps(TURN)}\n", "turns"),
        ("a.json", json.dumps(CHATS, indent=2), "turns"),
        ("a.jsonl", '{"user_name": "a", "character_name": "b"}\n', "turns"),
        ("a.json", json.dumps(BOOK), "lorebook"),
        ("a.json", json.dumps(BOOK, indent=2), "lorebook"),
        ("a.lorebook", '{"lorebookVersion": 5, "entries": []}', "lorebook"),
        ("a.toml", "", "lorebook"),
        ("a.json", '{"name": "N", "description": "d", "scenario": "s", "first_mes": "hi"}', "card"),
        ("a.json", '{"spec": "chara_card_v2", "data": {"name": "N", "character_book": {"entries": []}}}', "card"),
        ("a.md", "# N", "card"),
        ("a.json", "{ broken", "turns"),
        ("a.json", "", "turns"),
        ("a", "[1, 2]", "turns"),
    ],
)
def test_texts(tmp_path: Path, name: str, text: str, kind: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert kind_of_file(path) == kind


@pytest.mark.parametrize("name", ["card.png", "card.charx"])
def test_containers(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_card(path, CharacterCard(name="N"))
    assert kind_of_file(path) == "card"
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(BadInputError):
        kind_of_file(path)


def test_what_is_not_there_is_left_to_the_reader_of_turns(tmp_path: Path) -> None:
    assert kind_of_file(tmp_path / "none.json") == "turns"
    assert kind_of_file(tmp_path) == "turns"
