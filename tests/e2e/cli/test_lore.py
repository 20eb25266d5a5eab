"""Lorebooks through the real command line: recorded cases under SillyTavern's rules, import, prompt, a broken file."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.conftest import PATIENCE_S, PROJECT, Familiar

pytestmark = pytest.mark.slow
CASES = PROJECT.parent / "shared" / "cases" / "lorebook" / "activation.json"
# One process runs many command lines, each as the program itself does: starting it anew each time takes a minute.
MANY = """
import sys
from familiar_app.bootstrap.main import main
for path in sys.argv[1:]:
    sys.argv = ["familiar", "lore", "test", "--case", path, "--rules", "st-1.18", "--json"]
    code = main()
    if code:
        raise SystemExit(f"{path}: {code}")
"""
BOOK = """\
# Mine.
[[entries]]
keys = ["dragon"]
content = "Dragons fear {{char}}."
sticky = 5

[[entries]]
keys = ["elf"]
content = "Elves sing."
position = "at-depth"
depth = 0
"""

needs_cases = pytest.mark.skipif(not CASES.is_file(), reason="the recorded cases are not at hand")


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return list(json.loads(CASES.read_text(encoding="utf-8"))["cases"])


def without_verdicts(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "verdicts"}


@needs_cases
def test_every_recorded_case_comes_out_as_recorded(bare: Familiar, cases: list[dict[str, Any]]) -> None:
    paths = []
    for number, case in enumerate(cases):
        path = bare.outside / f"{number}.json"
        path.write_text(json.dumps(case), encoding="utf-8")
        paths.append(str(path))
    ran = subprocess.run(
        [sys.executable, "-c", MANY, *paths], env=bare.environment(), capture_output=True, timeout=PATIENCE_S
    )
    assert ran.returncode == 0, ran.stderr.decode()
    results = [json.loads(line) for line in ran.stdout.decode().splitlines()]
    assert len(results) == len(cases) == 66
    wrong = {}
    for case, result in zip(cases, results, strict=True):
        expected = {"steps": case["steps"]} if "steps" in case else case["expect"]
        if without_verdicts(result) != expected:
            wrong[case["id"]] = (without_verdicts(result), expected)
    assert wrong == {}
    assert not bare.profile.exists()


@needs_cases
def test_one_case_as_a_process_of_its_own(bare: Familiar, cases: list[dict[str, Any]]) -> None:
    case = next(one for one in cases if one["id"] == "M01")
    path = bare.outside / "case.json"
    path.write_text(json.dumps(case), encoding="utf-8")
    ran = bare("lore", "test", "--case", str(path), "--rules", "st-1.18", "--json")
    assert ran.code == 0
    assert without_verdicts(ran.json) == case["expect"]
    assert {one["entry"]: one["verdict"] for one in ran.json["verdicts"]} == {"A": "in", "B": "out"}


def test_a_lorebook_works_in_a_conversation(familiar: Familiar) -> None:
    own = familiar.profile / "familiars" / "aria" / "lorebook.toml"
    own.write_text(BOOK, encoding="utf-8")
    said = familiar("say", "A dragon!", "--json")
    assert said.code == 0, said.out
    trace = familiar("trace", str(said.json["trace_id"]), "--json").json
    assert "## Lorebook\n\nDragons fear Aria." in trace["messages"][0]["content"]
    assert trace["lorebook"]["activated"] == ["dragon"]
    # What is sticky stays without its key, and a prompt that is only looked at is the one that would be sent.
    config = own.with_name("character.toml")
    config.write_text(config.read_text(encoding="utf-8") + "\n[lorebook]\nrecent_window = 1\n", encoding="utf-8")
    looked = familiar("prompt", "An elf.", "--json").json
    assert looked["lorebook"]["activated"] == ["dragon", "elf"]
    assert [one["reason"] for one in looked["lorebook"]["verdicts"]] == ["sticky", "key"]
    assert "(Elves sing.)" in looked["messages"][-1]["content"]


def test_a_broken_lorebook_leaves_the_reply_and_is_told(familiar: Familiar) -> None:
    own = familiar.profile / "familiars" / "aria" / "lorebook.toml"
    own.write_text("[[entries]]\nkeys = [", encoding="utf-8")
    said = familiar("say", "A dragon!", "--json")
    assert (said.code, said.json["reply"]) == (0, "Answer 1.")
    trace = familiar("trace", str(said.json["trace_id"]), "--json").json
    assert "not valid TOML" in trace["lorebook"]["files"][0]["error"]
    status = familiar("status", "--json").json
    assert "not valid TOML" in status["familiars"][0]["lorebooks"][0]["error"]["message"]


def test_books_of_the_profile_and_of_one_channel(familiar: Familiar) -> None:
    shared = familiar.profile / "lorebooks"
    shared.mkdir()
    (shared / "world.toml").write_text('[[entries]]\nkeys = ["dragon"]\ncontent = "All know."\n', encoding="utf-8")
    folder = familiar.profile / "familiars" / "aria"
    (folder / "lorebooks").mkdir()
    (folder / "lorebooks" / "tavern.toml").write_text(
        'name = "world"\n[[entries]]\nkeys = ["dragon"]\ncontent = "Guests know."\n', encoding="utf-8"
    )
    config = folder / "character.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text + '\n[channels."local:tavern"]\nlorebooks = ["tavern", "gone"]\n', encoding="utf-8")
    main = familiar("prompt", "dragon", "--json").json
    assert [one["entry"] for one in main["lorebook"]["places"]] == ["dragon"]
    tavern = familiar("prompt", "dragon", "--channel", "local:tavern", "--json").json
    assert len(tavern["lorebook"]["activated"]) == 2
    # The channel's book comes first, and of two of one order the first stands last.
    assert "All know.\nGuests know." in tavern["messages"][0]["content"]
    errors = {one["file"]: one["error"] for one in tavern["lorebook"]["files"]}
    assert errors["tavern.toml"] is None
    assert "no such file" in errors["gone.toml"]
    listed = familiar("lore", "list", "--json").json
    assert {Path(one["file"]).name: one["binding"] for one in listed} == {
        "tavern.toml": "channel",
        "gone.toml": "channel",
        "world.toml": "everywhere",
    }


def test_a_card_with_lorebook_and_files_goes_in_and_out_whole(familiar: Familiar, tmp_path: Path) -> None:
    entry = {
        "keys": ["lamp"], "content": "It burns.", "enabled": True, "insertion_order": 3, "use_regex": False,
        "extensions": {"vendor": [1]}, "id": "one", "mode": "normal",
    }  # fmt: skip
    data = {
        "name": "Orla", "description": "A keeper.", "first_mes": "Hm?", "alternate_greetings": ["Yes?", ""],
        "mes_example": "<START>\n{{user}}: Hi", "creator_notes": "notes", "personality": "dry", "scenario": "a pier",
        "system_prompt": "", "post_history_instructions": "", "tags": ["sea"], "creator": "c",
        "character_version": "3", "extensions": {"risuai": {"x": None}}, "group_only_greetings": [], "nickname": "O",
        "assets": [{"type": "emotion", "uri": "embeded://assets/joy.png", "name": "joy", "ext": "png"}],
        "character_book": {"name": "Pier", "entries": [entry], "extensions": {}},
    }  # fmt: skip
    card = {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}
    source, out = tmp_path / "in.charx", tmp_path / "out.charx"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("card.json", json.dumps(card))
        archive.writestr("assets/joy.png", b"joy")
    taken = familiar("import", str(source), "--json")
    assert (taken.code, taken.json["lorebook"]) == (0, {"taken": 1, "already_there": 0})
    assert familiar("export", "card", str(out), "--format", "charx").code == 0
    with zipfile.ZipFile(out) as archive:
        assert archive.read("assets/joy.png") == b"joy"
        assert json.loads(archive.read("card.json")) == card
