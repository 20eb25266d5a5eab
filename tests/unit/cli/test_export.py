"""`export` of facts, of a person and of everything: what is in it, where it may go, and what it says about itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Program

PERSON_KEYS = ["key", "label", "identities", "names", "privacy", "dossier", "turns", "facts", "memories"]


@pytest.fixture
async def village(program: Program) -> Program:
    await program("say", "Hello.", "--as", "ann")
    await program("say", "Good day.", "--as", "ben")
    await program("fact", "add", "Ann sings.", "--subject", "local:ann", "--source", "1")
    await program("fact", "add", "Ben paints.", "--subject", "local:ben")
    await program("fact", "retire", "1")
    await program("memory", "add", "Likes tea.", "--person", "local:ann")
    return program


async def test_facts_are_lines_in_their_shape_oldest_first(village: Program, tmp_path: Path) -> None:
    ran = await village("export", "facts", str(tmp_path / "facts.jsonl"), "--json")
    assert (ran.code, ran.json["written"]) == (0, 2)
    assert "in clear" in ran.err
    lines = [json.loads(line) for line in (tmp_path / "facts.jsonl").read_text(encoding="utf-8").splitlines()]
    listed = (await village("facts", "--include-retired", "--json")).json
    assert lines == listed[::-1]


async def test_a_person_is_one_object_and_nobody_else_is_in_it(village: Program, tmp_path: Path) -> None:
    path = tmp_path / "ann.json"
    ran = await village("export", "person", str(path), "--person", "local:ANN", "--json")
    assert ran.code == 0, ran.out
    assert "in clear" in ran.err
    assert path.stat().st_mode & 0o077 == 0
    text = path.read_text(encoding="utf-8")
    ann = json.loads(text)
    assert list(ann) == PERSON_KEYS
    assert (ann["key"], ann["label"], ann["privacy"], ann["dossier"]) == ("local:ann", "ann", "none", None)
    assert [turn["content"] for turn in ann["turns"]] == ["Hello."]
    assert [(fact["text"], fact["superseded_at"] is not None) for fact in ann["facts"]] == [("Ann sings.", True)]
    assert [memory["content"] for memory in ann["memories"]] == ["Likes tea."]
    assert "Ben" not in text


async def test_everything_is_one_object(village: Program, tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    ran = await village("export", "everything", str(path), "--json")
    assert ran.code == 0, ran.out
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["familiar"] == {"id": "aria", "name": "Aria"}
    assert [one["key"] for one in found["channels"]] == ["local:main"]
    assert [turn["content"] for turn in found["turns"]] == ["Hello.", "Hello you.", "Good day.", "Hello you."]
    assert [fact["text"] for fact in found["facts"]] == ["Ann sings.", "Ben paints."]
    assert [memory["content"] for memory in found["memories"]] == ["Likes tea."]
    assert {one["key"] for one in found["people"]} == {"local:ann", "local:ben", "ego:aria"}
    assert found["card"]["data"]["name"] == "Aria"
    assert (found["lorebooks"], found["reflections"], found["summaries"]) == ([], [], [])


@pytest.mark.parametrize("what", [("facts",), ("everything",), ("person", "--person", "local:ann")])
async def test_only_a_new_file_is_written(village: Program, tmp_path: Path, what: tuple[str, ...]) -> None:
    path = tmp_path / "there.json"
    path.write_text("mine", encoding="utf-8")
    kind, *more = what
    assert (await village("export", kind, str(path), *more)).code == 4
    assert (await village("export", kind, str(path), *more, "--force")).code == 2
    assert (await village("export", kind, "-", *more)).code == 2
    assert path.read_text(encoding="utf-8") == "mine"


async def test_a_person_has_to_be_named_and_known(village: Program, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert (await village("export", "person", str(path))).code == 2
    assert (await village("export", "facts", str(path), "--person", "local:ann")).code == 2
    assert (await village("export", "person", str(path), "--person", "local:nobody")).code == 4
    assert not path.exists()


async def test_the_statement_names_who_gets_what_is_said(village: Program, tmp_path: Path) -> None:
    path = tmp_path / "privacy.md"
    assert (await village("export", "statement", str(path), "--json")).json == {"kind": "statement", "file": str(path)}
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# How memory is handled\n")
    assert "Aria" in text
    assert (await village("export", "statement", str(path))).code == 4
    assert (await village("export", "statement", str(path), "--force")).code == 0
    assert (await village("export", "statement", str(path), "--force", "--format", "jsonl")).code == 2
