"""`lore`, and lorebooks and cards through `import`, `export`, `init` and `status`, on a double of the gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.ids import FamiliarId

BOOK = {
    "entries": {
        "0": {"uid": 0, "key": ["dragon"], "comment": "A", "content": "{{char}} fears {{user}}."},
        "1": {"uid": 1, "key": ["elf", "/home/us"], "comment": "B", "content": "Elves sing.", "order": 50},
        "2": {"uid": 2, "key": ["x"], "comment": "C", "content": "Maybe.", "constant": True, "probability": 40},
    }
}
TURN = {
    "channel": "local:main",
    "role": "user",
    "author": {"key": "discord:1", "name": "Ann"},
    "at": "2024-05-01T12:00:00Z",
}
CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Nora",
        "description": "A smith.",
        "first_mes": "Hi.",
        "character_book": {"entries": [{"keys": ["forge"], "content": "It is hot.", "enabled": True}]},
    },
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return written(tmp_path / "book.json", BOOK)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    lines = [TURN | {"content": text} for text in ("A dragon came.", "Then an elf.")]
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


async def test_trial_tells_what_came_in_and_why(new_program, book, chat) -> None:
    ran = await new_program("lore", "test", "--book", str(book), "--chat", str(chat), "--seed", "1", "--json")
    found = ran.json
    assert found["rolls"] == [0.13436424411240122]
    assert found["activated"] == ["A", "C", "B"]
    # Ascending by order: what has the highest stands last.
    assert found["before"] == "Elves sing.\nMaybe.\nFamiliar fears Ann."
    assert {one["entry"]: one["reason"] for one in found["verdicts"]} == {"A": "key", "B": "key", "C": "constant"}
    deep = await new_program("lore", "test", "--book", str(book), "--chat", str(chat), "--depth", "1", "--json")
    assert "A" not in deep.json["activated"]
    miss = next(one for one in deep.json["verdicts"] if one["entry"] == "A")["detail"]["nearest"]
    assert (miss["kind"], miss["messages_back"]) == ("window", 2)


async def test_trial_for_people(new_program, book, chat) -> None:
    ran = await new_program("lore", "test", "--book", str(book), "--chat", str(chat), "--tokens", "5")
    assert ran.out.startswith("Activated: ")
    assert "budget" in ran.out


@pytest.mark.parametrize(
    "argv", [(), ("--book", "x"), ("--chat", "x"), ("--case", "x", "--chat", "y"), ("--case", "x", "--book", "y")]
)
async def test_trial_needs_its_parts(new_program, argv) -> None:
    assert (await new_program("lore", "test", *argv)).code == 2


@pytest.mark.parametrize("value", [[], {"input": 3}, {"input": {"books": 3}}, {"settings": 3}, {"entries": [3]}])
async def test_what_is_no_case_is_bad_input(new_program, tmp_path, value) -> None:
    ran = await new_program("lore", "test", "--case", str(written(tmp_path / "case.json", value)), "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (4, "user")


async def test_check_and_keys(new_program, book) -> None:
    ran = await new_program("lore", "check", str(book), "--json")
    assert ran.json["format"] == "sillytavern"
    assert [entry["name"] for entry in ran.json["entries"]] == ["A", "B", "C"]
    assert [(line["entry"], line["field"], line["what"]) for line in ran.json["report"]] == [(1, "keys", "ignored")]
    assert [(one["entry"], one["kind"], one["never"]) for one in ran.json["warnings"]] == [(1, "bad-pattern", False)]
    entry = {"uid": 0, "key": ["of"], "content": "c", "probability": 0}
    odd = written(book.with_name("odd.json"), {"entries": {"0": entry}})
    found = (await new_program("lore", "check", str(odd), "--json")).json["warnings"]
    assert ("no-chance", True) in [(one["kind"], one["never"]) for one in found]
    assert "Entry 0: " in (await new_program("lore", "check", str(odd))).out
    keys = await new_program("lore", "keys", "and/or, /a{1,2}/i,, x", "--json")
    assert keys.json == ["and/or", "/a{1,2}/i", "x"]
    loose = await new_program("lore", "keys", "a,,b", "--rules", "st-1.18", "--json")
    assert loose.json == ["a", ",b"]


async def test_decorators_are_obeyed_and_the_idle_ones_named(new_program, chat, tmp_path) -> None:
    contents = ["@@depth 2\n@@activate_only_after 1\nLate.", "@@end\n@@inject_at lair\nHere.", "@@depth x\nPlain."]
    entries = {str(n): {"uid": n, "key": ["elf"], "content": text} for n, text in enumerate(contents)}
    book = written(tmp_path / "decorated.json", {"entries": entries})
    ran = await new_program("lore", "test", "--book", str(book), "--chat", str(chat), "--json")
    assert (ran.json["before"], ran.json["depth"]) == ("Plain.", [{"depth": 0, "role": 0, "text": "Here."}])
    details = {one["uid"]: one["detail"] for one in ran.json["verdicts"]}
    assert details[0] == {"decorator": "@@activate_only_after 1", "messages": 0}
    assert (details[1]["idle_decorators"], details[2]["idle_decorators"]) == (["@@inject_at"], ["@@depth"])
    checked = await new_program("lore", "check", str(book))
    assert "Entry 1: The decorator @@inject_at is not known here" in checked.out
    assert "Entry 2: The decorator @@depth has a value that can't be used" in checked.out
    under_st = await new_program(
        "lore", "test", "--book", str(book), "--chat", str(chat), "--rules", "st-1.18", "--json"
    )
    assert len(under_st.json["activated"]) == 3
    assert "depth" not in under_st.json


async def test_conversion_writes_no_file_over_and_reports_losses(new_program, book, tmp_path) -> None:
    out = tmp_path / "out.json"
    ran = await new_program("lore", "convert", str(book), str(out), "--to", "kobold", "--json")
    assert ran.code == 0
    assert "order" in {line["field"] for line in ran.json["report"]}
    again = await new_program("lore", "convert", str(book), str(out), "--to", "kobold")
    assert again.code == 4
    forced = await new_program("lore", "convert", str(book), str(out), "--to", "familiar", "--force")
    assert forced.code == 0
    assert out.read_text(encoding="utf-8").startswith("name = ")


async def test_import_brings_each_entry_once(program, book) -> None:
    familiar = program.profile.familiars()[0]
    file = program.profile.lorebook(familiar)
    dry = await program("import", str(book), "--dry-run", "--json")
    assert (dry.json["kind"], dry.json["taken"], dry.json["dry_run"]) == ("lorebook", 3, True)
    assert not file.exists()
    first = await program("import", str(book), "--json")
    assert (first.json["taken"], first.json["skipped"]) == (3, 0)
    file.write_text("# Mine.\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    second = await program("import", str(book), "--json")
    assert (second.json["taken"], second.json["already_there"]) == (0, 3)
    assert file.read_text(encoding="utf-8").startswith("# Mine.\n")
    listed = await program("lore", "list", "--json")
    assert [entry["name"] for entry in listed.json[0]["entries"]] == ["A", "B", "C"]
    assert listed.json[0]["binding"] == "familiar"


async def test_import_of_a_card_brings_its_lorebook(program, tmp_path) -> None:
    familiar = program.profile.familiars()[0]
    before = program.profile.card(familiar)
    ran = await program("import", str(written(tmp_path / "card.json", CARD)), "--json")
    assert (ran.json["kind"], ran.json["lorebook"]) == ("card", {"taken": 1, "already_there": 0})
    assert "character_book" not in {line["field"] for line in ran.json["report"]}
    assert program.profile.card(familiar).name == "Nora"
    kept = program.profile.lorebook(familiar).with_name("character.before.md").read_text(encoding="utf-8")
    assert before.name in kept


async def test_init_keeps_the_lorebook_of_the_card(program, tmp_path) -> None:
    ran = await program("init", "--card", str(written(tmp_path / "card.json", CARD)), "--id", "nora", "--json")
    assert ran.json["lorebook_entries"] == 1
    assert "forge" in program.profile.lorebook(FamiliarId("nora")).read_text(encoding="utf-8")


async def test_export_and_the_card_with_its_book(program, book, tmp_path) -> None:
    missing = await program("export", "lorebook", str(tmp_path / "none.json"))
    assert missing.code == 4
    await program("import", str(book))
    out = tmp_path / "out.json"
    assert (await program("export", "lorebook", str(out), "--format", "sillytavern")).code == 0
    values = json.loads(out.read_text(encoding="utf-8"))["entries"].values()
    assert [value["content"] for value in values] == ["{{char}} fears {{user}}.", "Elves sing.", "Maybe."]
    card = tmp_path / "card.json"
    assert (await program("export", "card", str(card), "--format", "card-v2")).code == 0
    assert len(json.loads(card.read_text(encoding="utf-8"))["data"]["character_book"]["entries"]) == 3


async def test_a_card_comes_back_with_all_it_said(program, tmp_path) -> None:
    entry = {
        "keys": ["forge", "/anvil/i"], "content": "It is hot.", "enabled": True, "insertion_order": "7",
        "extensions": {"vendor": {"a": None}, "depth": 2}, "id": 5, "x_own": [1],
    }  # fmt: skip
    data = CARD["data"] | {
        "alternate_greetings": ["Hello.", "Again."], "mes_example": "<START>\n{{char}}: Ha!", "creator_notes": "n",
        "personality": "", "scenario": "", "system_prompt": "", "post_history_instructions": "", "tags": ["smith"],
        "creator": "c", "character_version": "2", "extensions": {"depth_prompt": {"prompt": "p", "depth": 4}},
        "character_book": {"entries": [entry], "extensions": {}, "scan_depth": 3, "x_book": True},
    }  # fmt: skip
    card = CARD | {"data": data, "x_top": 1}
    assert (await program("import", str(written(tmp_path / "in.json", card)))).code == 0
    out = tmp_path / "out.json"
    assert (await program("export", "card", str(out), "--format", "card-v2")).code == 0
    assert json.loads(out.read_text()) == card


async def test_a_lorebook_comes_back_as_it_was(program, tmp_path) -> None:
    value = {"entries": {"3": {"uid": 3, "key": ["k"], "content": "c", "order": "7", "vendor": [1]}}, "x": {"y": 1}}
    assert (await program("import", str(written(tmp_path / "in.json", value)))).code == 0
    out = tmp_path / "out.json"
    assert (await program("export", "lorebook", str(out), "--format", "sillytavern")).code == 0
    assert json.loads(out.read_text()) == value


async def test_status_names_a_broken_lorebook(program) -> None:
    file = program.profile.lorebook(program.profile.familiars()[0])
    file.write_text("[[entries]]\nkeys = [", encoding="utf-8")
    ran = await program("status", "--json")
    shown = ran.json["familiars"][0]["lorebooks"][0]
    assert (ran.code, shown["entries"]) == (0, 0)
    assert "not valid TOML" in shown["error"]["message"]
    assert shown["error"]["next"]
    refused = await program("import", str(file), "--json")
    assert refused.code == 4


async def test_a_packed_module_is_named_even_where_it_is_short(new_program, tmp_path) -> None:
    path = tmp_path / "a.risum"
    for data in (b"o\0", b"o\0ab", b"o\0\0\0\0\0packed"):
        path.write_bytes(data)
        ran = await new_program("lore", "check", str(path), "--json")
        assert ran.code == 4
        assert ran.json["error"]["message"].endswith("this is a packed module of RisuAI (.risum).")
        assert "JSON" in ran.json["error"]["next"]


async def test_a_packed_module_is_named_by_an_import_too(program, tmp_path) -> None:
    (tmp_path / "a.risum").write_bytes(b"o\0\0\0\0\0packed")
    ran = await program("import", str(tmp_path / "a.risum"), "--json")
    assert ran.code == 4
    assert "RisuAI" in ran.json["error"]["message"]


async def test_an_ending_that_says_no_format_is_refused(new_program, book, tmp_path) -> None:
    out = tmp_path / "out.unknown"
    ran = await new_program("lore", "convert", str(book), str(out), "--json")
    assert ran.code == 2
    assert not out.exists()
    named = ran.json["error"]["next"]
    assert "sillytavern" in named
    assert ".toml" in named
    assert (await new_program("lore", "convert", str(book), str(out), "--to", "risu", "--json")).json["to"] == "risu"


@pytest.mark.parametrize(
    ("name", "format_name"),
    [("o.toml", "familiar"), ("o.png", "card-v3"), ("o.charx", "charx"), ("o.lorebook", "novelai"),
     ("o.json", "sillytavern")],
)  # fmt: skip
async def test_the_report_names_the_format_that_the_ending_says(new_program, book, tmp_path, name, format_name) -> None:
    ran = await new_program("lore", "convert", str(book), str(tmp_path / name), "--json")
    assert (ran.code, ran.json["to"]) == (0, format_name)


@pytest.mark.parametrize("case", [{}, {"input": {}}, {"input": 5}, {"entries": [], "books": {}, "chat": []}])
async def test_a_case_with_nothing_in_it_is_refused(new_program, tmp_path, case) -> None:
    ran = await new_program("lore", "test", "--case", str(written(tmp_path / "case.json", case)), "--json")
    shown = ran.json
    if "entries" in case:
        assert (ran.code, shown["activated"]) == (0, []), "empty is not missing"
        return
    assert ran.code == 4
    assert "entries" in shown["error"]["message"]
    assert "chat" in shown["error"]["message"]
    assert "case.json" in shown["error"]["message"]


async def test_a_case_may_have_a_chat_alone(new_program, tmp_path) -> None:
    case = written(tmp_path / "case.json", {"chat": ["Hello."]})
    assert (await new_program("lore", "test", "--case", str(case), "--json")).json["activated"] == []
