"""Levels of privacy on the command line: what is refused, hidden, told, and given back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.conftest import Program


async def test_a_familiar_has_no_level_of_privacy(program: Program) -> None:
    refused = await program("person", "privacy", "ego:aria", "full", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (4, "user")
    assert refused.json["error"]["message"] == "A familiar is no person, so it has no level of privacy."
    assert refused.json["error"]["next"]
    assert (await program("person", "privacy", "ego:aria", "--json")).json == {"key": "ego:aria", "privacy": "none"}


async def test_a_message_of_somebody_at_full_is_neither_kept_nor_heard(program: Program) -> None:
    await program("say", "The plum tree blooms.", "--as", "ben")
    await program("person", "privacy", "local:ben", "full")
    ran = await program("say", "Plums taste of nothing.", "--as", "Ben", "--json")
    assert ran.code == 0
    assert ran.json == {"turn_id": 4, "reply_turn_id": None, "reply": None, "trace_id": None, "silent": True}
    assert "was not kept" in ran.err
    assert (await program("turns", "--search", "plum", "--json")).json == []
    await program("person", "privacy", "local:ben", "none")
    assert [one["content"] for one in (await program("turns", "--search", "plum", "--json")).json] == [
        "The plum tree blooms."
    ]


async def test_an_import_says_how_many_messages_it_did_not_keep(program: Program, tmp_path: Path) -> None:
    lines = [
        {"channel": "discord:10", "role": "user", "content": f"Line {key}.", "at": "2024-05-01T12:00:00Z",
         "author": {"key": f"discord:{key}", "name": "x"}, "message_id": str(key)}
        for key in (1, 2)
    ]  # fmt: skip
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    await program("person", "privacy", "discord:2", "full")
    report = (await program("import", str(file), "--json")).json
    assert (report["taken"], report["skipped"], report["not_kept"]) == (1, 1, 1)
    assert [one["content"] for one in (await program("turns", "--channel", "discord:10", "--json")).json] == ["Line 1."]


async def test_facts_about_somebody_private_are_neither_taken_nor_listed(program: Program) -> None:
    await program("say", "Hello.", "--as", "ben")
    await program("fact", "add", "Ben sings.", "--subject", "local:ben")
    await program("person", "privacy", "local:ben", "partial")
    refused = await program("fact", "add", "Ben dances.", "--subject", "local:ben", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (4, "user")
    assert "person privacy local:ben none" in refused.json["error"]["next"]
    assert (await program("facts", "--include-retired", "--json")).json == []
    assert (await program("fact", "show", "1", "--json")).code == 4
    assert (await program("person", "show", "local:ben", "--json")).json["facts"] == 0
    await program("person", "privacy", "local:ben", "none")
    assert [one["text"] for one in (await program("facts", "--json")).json] == ["Ben sings."]
