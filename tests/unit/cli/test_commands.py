"""Each command against a double of the gate: shapes, exit codes, and what it leaves behind."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from familiar_app import __version__
from familiar_app.cli import model_command, vault_command
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.interchange.cards import write_card
from familiar_app.models.discovery import FoundServer
from familiar_app.store import schema
from familiar_app.store.fault import damaged
from familiar_app.store.vault import Vault
from familiar_app.store.verify import Problem

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Program

TURN_KEYS = [
    "id", "channel", "familiar", "guild", "role", "author", "content", "at", "arrived_at", "message_id", "reply_to",
    "mode", "revision", "deleted",
]  # fmt: skip


def jsonl(path: Path, *lines: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)


def line(number: int, **changes: Any) -> dict[str, Any]:
    author = {"key": "discord:1", "name": "Ann", "username": "ann", "bot": False}
    value = {"channel": "discord:10", "guild": "discord:1", "author": author, "role": "user"}
    value |= {"content": f"text {number}", "at": f"2024-05-01T12:00:{number:02}Z", "message_id": f"m{number}"}
    return value | {"reply_to": None, "mode": None} | changes


async def test_init_makes_a_profile_and_gives_its_recovery_code_once(new_program: Program) -> None:
    ran = await new_program("init", "--name", "Aria", "--json")
    assert ran.code == 0
    assert ran.json == {
        "profile_dir": str(new_program.profile.root),
        "familiar": {"id": "aria", "name": "Aria"},
        "model": {"provider": "scripted", "name": "answers.jsonl"},
        "recovery_code": new_program.gate.code,
        "card_report": [],
        "lorebook_entries": 0,
    }
    assert new_program.profile.cards[FamiliarId("aria")].name == "Aria"


async def test_init_without_json_says_to_write_the_code_down(new_program: Program) -> None:
    ran = await new_program("init")
    assert ran.out == ""
    assert f"Recovery code: {new_program.gate.code}\nWrite it down" in ran.err


async def test_init_adds_a_familiar_to_a_profile(program: Program) -> None:
    ran = await program("init", "--name", "Bell", "--id", "bell", "--json")
    assert (ran.json["familiar"], ran.json["recovery_code"]) == ({"id": "bell", "name": "Bell"}, None)
    assert program.profile.familiars() == ["aria", "bell"]


async def test_init_after_one_that_was_cut_short_gives_a_recovery_code_that_opens_the_vault(program: Program) -> None:
    never_shown = program.gate.code
    program.profile.cards.clear()
    ran = await program("init", "--name", "Bell", "--json")
    code = ran.json["recovery_code"]
    vault = await Vault.open(program.profile.vault_path, clock=SystemClock(), recovery_code=code)
    await vault.close()
    assert code != never_shown
    assert (await program("init", "--name", "Cleo", "--json")).json["recovery_code"] is None
    assert (await program("say", "hello", "--familiar", "bell")).code == 0
    program.profile.cards.clear()
    assert (await program("init", "--name", "Dora", "--json")).json["recovery_code"] is None, "turns are worth keeping"


async def test_init_refuses_what_it_cannot_use_and_changes_nothing(program: Program, tmp_path: Path) -> None:
    for argv, code in (
        (["--id", "aria"], 4),
        (["--card", str(tmp_path / "none.png")], 4),
        (["--model", "scripted:none.jsonl"], 4),
        (["--model", "gguf:none.gguf"], 4),
        (["--model", "oracle"], 4),
        (["--name", "two\nlines"], 2),
    ):
        ran = await program("init", *argv, "--json")
        assert (ran.code, ran.json["error"]["kind"]) == (code, "user"), argv
    assert program.profile.familiars() == ["aria"]


async def test_init_takes_a_card_and_a_name_over_it(new_program: Program, tmp_path: Path) -> None:
    card = tmp_path / "card.md"
    card.write_text("# Bell\n\nA bell.\n")
    await new_program("init", "--card", str(card), "--name", "Belle", "--id", "bell")
    stored = new_program.profile.cards[FamiliarId("bell")]
    assert (stored.name, stored.description) == ("Belle", "A bell.")


async def test_init_hands_over_the_portrait_and_the_key(
    new_program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = tmp_path / "bell.png"
    write_card(card, CharacterCard(name="Bell"))
    (tmp_path / "key").write_text("sk-1\n")
    seen: list[Any] = []

    async def spy(self: Any, familiar: Any) -> Any:
        seen.append(familiar)
        raise UserError("enough")

    monkeypatch.setattr(type(new_program.gate), "add_familiar", spy)
    spec = "openai:http://127.0.0.1:9/v1#m"
    await new_program("init", "--card", str(card), "--model", spec, "--api-key-file", str(tmp_path / "key"))
    assert [(one.card.name, one.model, one.api_key) for one in seen] == [("Bell", spec, "sk-1")]
    assert seen[0].avatar_png.startswith(b"\x89PNG")


async def test_init_names_a_script_by_its_whole_path(
    new_program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "answers.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    seen = []
    original = type(new_program.gate).add_familiar

    async def spy(self: Any, familiar: Any) -> Any:
        seen.append(familiar.model)
        return await original(self, familiar)

    monkeypatch.setattr(type(new_program.gate), "add_familiar", spy)
    await new_program("init", "--model", "scripted:answers.jsonl")
    assert seen == [f"scripted:{tmp_path / 'answers.jsonl'}"]


async def test_commands_need_a_profile(new_program: Program) -> None:
    for argv in (["say", "hi"], ["turns"], ["status"], ["verify"], ["rekey"], ["trace", "1"], ["export", "turns", "-"]):
        ran = await new_program(*argv)
        assert ran.code == 4, argv
        assert "familiar init" in ran.err


async def test_a_wrong_passphrase_is_exit_code_3(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAMILIAR_PASSPHRASE", "wrong")
    ran = await program("turns", "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (3, "user")
    assert ran.json["error"]["next"]


async def test_say_gives_the_ids_of_what_is_stored(program: Program) -> None:
    ran = await program("say", "Hi there", "--json")
    assert ran.json == {"turn_id": 1, "reply_turn_id": 2, "reply": "Hello you.", "trace_id": 1, "silent": False}
    turns = (await program("turns", "--json")).json
    assert [list(turn) for turn in turns] == [TURN_KEYS, TURN_KEYS]
    assert turns[0] == {
        "id": 1,
        "channel": "local:main",
        "familiar": None,
        "guild": None,
        "role": "user",
        "author": {"key": "local:owner", "name": "Robin"},
        "content": "Hi there",
        "at": "2026-01-01T12:00:00Z",
        "arrived_at": "2026-01-01T12:00:00Z",
        "message_id": None,
        "reply_to": None,
        "mode": None,
        "revision": 1,
        "deleted": False,
    }
    assert (turns[1]["familiar"], turns[1]["author"]["key"], turns[1]["content"]) == ("aria", "ego:aria", "Hello you.")


async def test_say_streams_the_answer(program: Program) -> None:
    ran = await program("say", "Hi")
    assert ran.out == "Hello you.\n"
    assert ran.err == "Turn 1 is stored.\nTurn 2 is stored; its trace is 1.\n"


async def test_say_as_somebody_in_a_channel(program: Program) -> None:
    await program("say", "Hi", "--as", "Ann", "--channel", "local:garden")
    [turn, _] = (await program("turns", "--channel", "local:garden", "--json")).json
    assert turn["author"] == {"key": "local:Ann", "name": "Ann"}
    assert (await program("turns", "--channel", "local:main", "--json")).code == 4


async def test_a_name_in_another_case_is_the_same_person(program: Program) -> None:
    for name in ("Zoë", "ZOË", "zoe\u0308", "Zoe"):
        await program("say", "Hi", "--as", name)
    turns = (await program("turns", "--json")).json
    assert [turn["author"]["key"] for turn in turns if turn["role"] == "user"] == ["local:Zoë"] * 3 + ["local:Zoe"]


async def test_a_silent_familiar_is_no_error(program: Program) -> None:
    program.answer = None
    ran = await program("say", "Hi", "--json")
    assert ran.json == {"turn_id": 1, "reply_turn_id": None, "reply": None, "trace_id": 1, "silent": True}


async def test_a_model_that_fails_leaves_the_message_stored_and_named(program: Program) -> None:
    program.answer = OutsideError("The model does not answer.", "Start it.")
    ran = await program("say", "Hi", "--json")
    assert ran.code == 5
    assert ran.json["error"] == {
        "kind": "outside",
        "message": "The model does not answer. The message is stored as turn 1.",
        "next": "Start it.",
        "turn_id": 1,
    }
    assert [turn["content"] for turn in (await program("turns", "--json")).json] == ["Hi"]


async def test_say_reads_standard_input(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO("Guten Tag, Größe\n".encode())))
    await program("say", "-")
    assert (await program("turns", "--json")).json[0]["content"] == "Guten Tag, Größe"


@pytest.mark.parametrize(
    ("text", "code"), [("", 2), ("  \n ", 2), ("x" * 100_001, 4), ("a\udcff", 4)], ids=["empty", "blank", "long", "raw"]
)
async def test_say_refuses_what_is_no_message(program: Program, text: str, code: int) -> None:
    assert (await program("say", text)).code == code
    assert (await program("turns", "--json")).json == []


async def test_the_familiar_that_is_named_is_the_one_used_last(program: Program) -> None:
    await program("init", "--name", "Bell", "--id", "bell")
    ran = await program("say", "Hi", "--json")
    assert (ran.code, ran.json["error"]["next"]) == (2, "Name one with --familiar: aria, bell.")
    await program("say", "Hi", "--familiar", "bell")
    assert (await program("say", "Again", "--json")).code == 0
    turns = (await program("turns", "--json", "--familiar", "bell")).json
    assert [turn["familiar"] for turn in turns] == [None, "bell", None, "bell"]
    assert (await program("turns", "--familiar", "aria", "--json")).json == []
    assert (await program("say", "Hi", "--familiar", "nobody")).code == 4


async def test_a_familiar_that_could_not_be_loaded_says_why(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    gate_type = type(program.gate)

    def broken(self: Any, familiar: FamiliarId) -> None:
        self.opened.broken[familiar] = UserError("character.toml is wrong.", "Mend it.")

    monkeypatch.setattr(gate_type, "_host", broken)
    ran = await program("say", "Hi", "--json")
    assert (ran.code, ran.json["error"]["message"]) == (4, "character.toml is wrong.")
    [one] = (await program("status", "--json")).json["familiars"]
    assert one["error"] == {"kind": "user", "message": "character.toml is wrong.", "next": "Mend it."}


async def test_turns_are_read_oldest_first_by_limit_search_and_place(program: Program, tmp_path: Path) -> None:
    lines = [line(n, content=f"{'Fox' if n % 3 == 0 else 'hen'} {n}") for n in range(12)]
    await program("import", jsonl(tmp_path / "a.jsonl", *lines))

    async def ids(*argv: str) -> list[str]:
        return [turn["message_id"] for turn in (await program("turns", "--json", *argv)).json]

    assert await ids() == [f"m{n}" for n in range(12)]
    assert await ids("--limit", "2") == ["m10", "m11"]
    assert await ids("--search", "fOX") == ["m0", "m3", "m6", "m9"]
    assert await ids("--search", "fox", "--limit", "2") == ["m6", "m9"]
    assert await ids("--around", "6", "--limit", "3") == ["m4", "m5", "m6"]
    assert await ids("--channel", "discord:10", "--limit", "1") == ["m11"]
    assert await ids("--search", "wolf") == []


async def test_a_search_stays_within_what_the_familiar_hears(program: Program, tmp_path: Path) -> None:
    await program("init", "--name", "Bell", "--id", "bell")
    await program("say", "the fox", "--familiar", "aria")
    await program("import", jsonl(tmp_path / "a.jsonl", line(1, content="a fox")), "--familiar", "bell")
    found = (await program("turns", "--search", "fox", "--limit", "1", "--familiar", "aria", "--json")).json
    assert [turn["content"] for turn in found] == ["the fox"]


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["--around", "99"], 4),
        (["--channel", "discord:404"], 4),
        (["--search", " "], 2),
        (["--around", "1", "--search", "x"], 2),
    ],
)
async def test_turns_refuses(program: Program, argv: list[str], code: int) -> None:
    assert (await program("turns", *argv)).code == code


async def test_turns_as_text_cannot_steer_a_terminal(program: Program) -> None:
    await program("say", "red \x1b[31m alert")
    ran = await program("turns", "--limit", "2")
    assert ran.out.splitlines()[0] == "1  2026-01-01T12:00:00Z  local:main  Robin: red \ufffd[31m alert"


async def test_prompt_shows_without_storing(program: Program) -> None:
    ran = await program("prompt", "What now?", "--json")
    assert ran.json == {
        "messages": [
            {
                "role": "user",
                "content": "What now?",
                "parts": [{"layer": "recent_history", "turn": None, "content": "What now?"}],
            }
        ],
        "tokens": 7,
        "layers": [
            {
                "name": "recent_history",
                "key": "k",
                "cached": False,
                "tokens": 7,
                "text": "What now?",
                "left_out": [{"what": "turn 1", "tokens": 3, "reason": "no room"}],
            }
        ],
        "candidates": [],
        "lorebook": None,
        "sampling": {"temperature": 0.7},
    }
    assert (await program("status", "--json")).json["familiars"][0]["channels"] == []
    assert (await program("prompt", "x", "--channel", "discord:404")).code == 4


async def test_prompt_can_be_asked_for_as_of_then(program: Program) -> None:
    times = ("--as-of", "2025-05-03", "--known-at", "2025-06-01T10:00:00+02:00")
    assert (await program("prompt", "What now?", *times, "--mode", "text", "--json")).code == 0
    (request,) = program.gate.opened.familiars["aria"].assembler.requests
    assert (request.as_of, request.known_at) == (
        datetime(2025, 5, 3, tzinfo=UTC),
        datetime(2025, 6, 1, 8, tzinfo=UTC),
    )
    assert (request.mode, request.pending) == ("text", "What now?")


async def test_trace_shows_the_prompt_and_its_answer(program: Program) -> None:
    said = (await program("say", "Hi", "--json")).json
    trace = (await program("trace", str(said["trace_id"]), "--json")).json
    assert (trace["model"], trace["answer"], trace["reply_turn_id"]) == ("answers.jsonl", "Hello you.", 2)
    assert trace["messages"][0]["content"] == "Hi"
    assert {"turn_id", "usage", "ms", "layers", "candidates", "lorebook", "sampling", "tokens"} <= trace.keys()
    assert "--- answer of answers.jsonl\nHello you.\n" in (await program("trace", "1")).out
    assert (await program("trace", "77")).code == 4
    of_turn = await program("trace", str(said["reply_turn_id"]))
    assert f"The trace of turn {said['reply_turn_id']} is {said['trace_id']}." in of_turn.err


async def test_import_reports_and_export_gives_the_same_back(program: Program, tmp_path: Path) -> None:
    lines = [line(0), line(1, channel="local:main", author=None, role="system")]
    source = jsonl(tmp_path / "a.jsonl", *lines)
    dry = (await program("import", source, "--dry-run", "--json")).json
    assert (dry["taken"], dry["skipped"], dry["dry_run"], dry["format"]) == (2, 0, True, "jsonl")
    assert (await program("turns", "--json")).json == []
    assert (await program("import", source, "--json")).json["taken"] == 2
    again = (await program("import", source, "--json")).json
    assert (again["taken"], again["skipped"], again["already_there"]) == (0, 2, 2)
    target = tmp_path / "out.jsonl"
    ran = await program("export", "turns", str(target), "--json")
    assert ran.json == {"file": str(target), "written": 2, "left_out": []}
    assert [json.loads(text) for text in target.read_text().splitlines()] == lines
    assert (await program("export", "turns", str(target))).code == 4
    assert (await program("export", "turns", str(target), "--force")).code == 0


async def test_a_bad_line_names_itself_and_nothing_is_taken(program: Program, tmp_path: Path) -> None:
    source = jsonl(tmp_path / "a.jsonl", line(1), line(2, role="king"))
    ran = await program("import", source, "--json")
    assert ran.code == 4
    assert ran.json["error"]["message"].startswith(f"{source}, line 2, field 'role': ")
    assert (await program("turns", "--json")).json == []
    skipping = (await program("import", source, "--skip-bad-lines", "--json")).json
    assert (skipping["taken"], skipping["skipped"], skipping["bad_lines"]) == (1, 1, 1)
    assert skipping["first_bad_lines"][0]["line"] == 2
    assert "Skipped: " in (await program("import", source, "--skip-bad-lines")).out


async def test_import_from_standard_input(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(json.dumps(line(1)).encode())))
    assert (await program("import", "-", "--json")).json["taken"] == 1


async def test_import_refuses_other_files(program: Program, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Dear diary")
    assert (await program("import", str(tmp_path / "a.txt"))).code == 4
    assert (await program("import", str(tmp_path / "none"))).code == 4
    assert (await program("import", str(tmp_path))).code == 4


async def test_export_of_turns_to_standard_output(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    await program("say", "Hi")
    pipe = TextIOWrapper(BytesIO())
    monkeypatch.setattr(sys, "stdout", pipe)
    ran = await program("export", "turns", "-")
    assert ran.err == "2 turns written.\n"
    assert [json.loads(text)["content"] for text in pipe.buffer.getvalue().splitlines()] == ["Hi", "Hello you."]  # type: ignore[attr-defined]
    assert (await program("export", "turns", "-", "--json")).code == 2


async def test_export_of_the_card(program: Program, tmp_path: Path) -> None:
    target = tmp_path / "aria.json"
    assert (await program("export", "card", str(target), "--format", "card-v2")).code == 0
    assert json.loads(target.read_text())["data"]["name"] == "Aria"
    assert (await program("export", "card", str(target))).code == 4
    assert (await program("export", "card", str(target), "--format", "tarot")).code == 2
    assert (await program("export", "turns", str(tmp_path / "x"), "--format", "tarot")).code == 2


async def test_status_tells_how_the_profile_stands(program: Program) -> None:
    await program("say", "Hi")
    status = (await program("status", "--json")).json
    assert (status["version"], status["local_only"]) == (__version__, False)
    assert (status["vault"]["turns"], status["vault"]["schema"]) == (2, schema.VERSION)
    assert status["vault"]["size_bytes"] >= program.profile.vault_path.stat().st_size
    [aria] = status["familiars"]
    assert aria["models"]["prose"] == {"provider": "scripted", "name": "answers.jsonl", "local": True, "weak": False}
    assert [(c["channel"], c["turns"], c["last_at"]) for c in aria["channels"]] == [
        ("local:main", 2, "2026-01-01T12:00:00Z")
    ]
    assert "aria (Aria): prose scripted:answers.jsonl" in (await program("status")).out


async def test_status_tells_how_memory_does(program: Program) -> None:
    await program("fact", "add", "Ann lives in Rome.")
    await program("fact", "add", "In Rome lives Ann.")
    [aria] = (await program("status", "--json")).json["familiars"]
    assert [(one["name"], one["watermark"], one["lag"]) for one in aria["projectors"]] == [("rich_note", 7, 3)]
    assert aria["memory"] == {
        "facts": 2,
        "never_recalled": 2,
        "duplicates": 1,
        "retirements": {"waiting": 0, "unseen": 0, "total": 0},
        "projectors": [
            {"name": "rich_note", "answers": 0, "malformed": 0, "failures": 2, "rejected": {}, "tokens": 0, "ms": 0.0}
        ],
    }
    lines = (await program("status")).out.splitlines()
    assert "  2 facts, 2 of them never recalled" in lines
    assert "  1 groups of facts say the same" in lines
    assert "  rich_note: 0 answers, 2 failed runs, 0 tokens, 0.0 s" in lines


async def test_verify_tells_what_is_wrong(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await program("verify", "--json")).json == {"ok": True, "problems": []}
    assert (await program("verify")).out == "The vault is whole.\n"

    async def find(_command: Any) -> list[Problem]:
        return [Problem("page 7", "It cannot be read.", "Restore a backup.")]

    monkeypatch.setattr(vault_command, "_problems", find)
    ran = await program("verify", "--json")
    assert ran.code == 5
    assert ran.json == {
        "ok": False,
        "problems": [{"where": "page 7", "what": "It cannot be read.", "how_to_mend": "Restore a backup."}],
    }


async def test_verify_of_a_vault_too_damaged_to_open_is_a_finding(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(self: Any, **_given: Any) -> None:
        raise damaged(program.profile.vault_path)

    monkeypatch.setattr(type(program.gate), "unlock", refuse)
    ran = await program("verify", "--json")
    assert (ran.code, ran.json["ok"], ran.json["problems"][0]["where"]) == (5, False, "vault.db")


async def test_models_at_hand_are_listed_with_their_spec(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    async def find(_network: Any) -> list[FoundServer]:
        return [FoundServer("Ollama", "http://127.0.0.1:11434/v1", ("llama3.2", "qwen3"))]

    monkeypatch.setattr(model_command, "find_local_servers", find)
    listed = (await program("model", "list", "--json")).json
    assert [one["spec"] for one in listed if one["spec"] is not None] == [
        "smollm2",
        "openai:http://127.0.0.1:11434/v1#llama3.2",
        "openai:http://127.0.0.1:11434/v1#qwen3",
    ]


async def test_the_familiars_models_are_checked(program: Program) -> None:
    ran = await program("model", "check", "--json")
    assert ran.json["prose"] == {
        "provider": "scripted",
        "name": "answers.jsonl",
        "context_tokens": 4096,
        "local": True,
        "exact_tokens": False,
        "weak": False,
    }
    assert (await program("model", "check")).out.startswith("prose: scripted:answers.jsonl, 4096 tokens")


async def test_rekey_keeps_passphrase_and_turns(program: Program) -> None:
    await program("say", "Hi")
    before = program.profile.vault_path.read_bytes()
    ran = await program("rekey", "--json")
    assert list(ran.json) == ["recovery_code"]
    assert program.profile.vault_path.read_bytes()[:4096] != before[:4096]
    assert [turn["content"] for turn in (await program("turns", "--json")).json] == ["Hi", "Hello you."]


@pytest.mark.parametrize("refuses", [False, True])
async def test_rekey_renews_the_keyrings_copy(program: Program, monkeypatch: pytest.MonkeyPatch, refuses: bool) -> None:
    kept: dict[str, bytes] = {}

    def save(vault: str, key: bytes) -> None:
        if refuses:
            raise OutsideError("The keyring is shut.")
        kept[vault] = key

    monkeypatch.setattr(vault_command.keyring, "save", save)
    program.profile.values["remember_key"] = True
    ran = await program("rekey")
    assert ran.code == 0
    assert ("The keyring keeps the old key" in ran.err) == refuses
    assert [len(key) for key in kept.values()] == ([] if refuses else [32])


async def test_a_defect_is_exit_code_70_and_tells_nothing_private(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stumble(self: Any, **_given: Any) -> None:
        raise KeyError("the name of somebody")

    monkeypatch.setattr(type(program.gate), "unlock", stumble)
    ran = await program("turns", "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (70, "bug")
    assert "somebody" not in ran.out + ran.err


@pytest.mark.parametrize("text", ["\u200b", "\u200b\u2060 \u00a0", "\ufeff\u202e"])
async def test_a_message_that_nobody_can_see_is_an_empty_one(program: Program, text: str) -> None:
    empty = await program("say", " ", "--json")
    ran = await program("say", text, "--json")
    assert (ran.code, ran.json) == (2, empty.json)
    assert (await program("say", f"{text}a")).code == 0


@pytest.mark.parametrize("name", ["chats", "book.toml", "card.md", "chat.jsonl", "card.png"])
async def test_a_folder_cannot_be_imported(program: Program, tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    for more in (
        (),
        ("--format", "jsonl"),
        ("--format", "card-v2"),
        ("--format", "familiar-memories"),
        ("--format", "risu"),
    ):
        ran = await program("import", str(tmp_path / name), *more, "--json")
        assert ran.code == 4, ran.out
        assert "folder" in ran.json["error"]["message"]
        assert ran.json["error"]["next"]
