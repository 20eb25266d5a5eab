"""Every command of the real program: what it does, what it prints, how it ends."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from familiar_app import __version__

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow


def line(number: int, **changes: Any) -> dict[str, Any]:
    author = {"key": "discord:1", "name": "Ann", "username": "ann", "bot": False}
    value = {"channel": "discord:10", "guild": "discord:1", "author": author, "role": "user"}
    value |= {"content": f"text {number}", "at": f"2024-05-01T12:00:{number % 60:02}Z", "message_id": f"m{number}"}
    return value | {"reply_to": None, "mode": None} | changes


def write_lines(path: Path, *lines: object) -> str:
    path.write_text("".join(json.dumps(value) + "\n" for value in lines), encoding="utf-8")
    return str(path)


def test_a_profile_is_made_talked_to_read_and_checked(bare: Familiar) -> None:
    script = bare.script("Hello, I am here.", "Still here.")
    made = bare("init", "--name", "Aria Lind", "--model", f"scripted:{script}", "--json")
    assert made.code == 0
    assert made.json["familiar"] == {"id": "aria-lind", "name": "Aria Lind"}
    assert re.fullmatch(r"[0-9A-Z]{4}(-[0-9A-Z]{4})+", made.json["recovery_code"])
    assert {item.name for item in bare.profile.iterdir()} >= {"vault.db", "vault.keys", "familiars"}

    said = bare("say", "Are you there?", "--json", "--now", "2024-05-01T12:00:00Z")
    assert (said.code, said.json["reply"], said.json["silent"]) == (0, "Hello, I am here.", False)
    streamed = bare("say", "And now?", "--as", "Ann")
    assert (streamed.code, streamed.out) == (0, "Hello, I am here.\n")

    turns = bare("turns", "--json").json
    assert [(t["role"], t["author"]["key"], t["content"]) for t in turns] == [
        ("user", "local:owner", "Are you there?"),
        ("assistant", "ego:aria-lind", "Hello, I am here."),
        ("user", "local:Ann", "And now?"),
        ("assistant", "ego:aria-lind", "Hello, I am here."),
    ]
    assert turns[0]["at"] == "2024-05-01T12:00:00Z"
    assert [t["id"] for t in turns] == [said.json["turn_id"], said.json["reply_turn_id"], 3, 4]

    trace = bare("trace", str(said.json["trace_id"]), "--json").json
    assert (trace["turn_id"], trace["reply_turn_id"], trace["answer"]) == (1, 2, "Hello, I am here.")
    assert any("Are you there?" in message["content"] for message in trace["messages"])
    assert bare("verify", "--json").json == {"ok": True, "problems": []}
    status = bare("status", "--json").json
    assert (status["version"], status["vault"]["turns"], status["familiars"][0]["id"]) == (__version__, 4, "aria-lind")


def test_a_second_familiar_has_its_own_main_channel(familiar: Familiar) -> None:
    script = familiar.script("I am Bell.", name="bell.jsonl")
    added = familiar("init", "--name", "Bell", "--model", f"scripted:{script}", "--json")
    assert (added.code, added.json["familiar"]["id"], added.json["recovery_code"]) == (0, "bell", None)
    assert familiar("say", "Hi").code == 2
    assert familiar("say", "Hi", "--familiar", "bell", "--json").json["reply"] == "I am Bell."
    assert familiar("turns", "--familiar", "aria", "--json").json == []
    before = sorted(item for item in familiar.profile.rglob("*") if item.is_file())
    refused = familiar("init", "--id", "bell", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (4, "user")
    broken_card = familiar.outside / "card.png"
    broken_card.write_bytes(b"\x89PNG\r\n\x1a\n no card")
    refused = familiar("init", "--card", str(broken_card), "--json")
    assert refused.code == 4
    assert str(broken_card) in refused.json["error"]["message"]
    assert sorted(item for item in familiar.profile.rglob("*") if item.is_file()) == before


def test_a_card_becomes_a_familiar_and_comes_out_again(familiar: Familiar) -> None:
    card = {"spec": "chara_card_v2", "spec_version": "2.0"}
    card |= {"data": {"name": "Nell", "description": "A lamplighter.", "first_mes": "Evening."}}
    source = familiar.outside / "nell.json"
    source.write_text(json.dumps(card))
    script = familiar.script("Good evening.", name="nell.jsonl")
    made = familiar("init", "--card", str(source), "--model", f"scripted:{script}", "--json")
    assert made.json["familiar"] == {"id": "nell", "name": "Nell"}
    prompt = familiar("prompt", "Who are you?", "--familiar", "nell", "--json").json
    assert "A lamplighter." in json.dumps(prompt["messages"])
    target = familiar.outside / "out.json"
    assert familiar("export", "card", str(target), "--format", "card-v2", "--familiar", "nell").code == 0
    assert json.loads(target.read_text())["data"]["description"] == "A lamplighter."


def test_prompt_asks_no_model_and_stores_nothing(familiar: Familiar) -> None:
    familiar("say", "First.")
    prompt = familiar("prompt", "Second?", "--json").json
    assert set(prompt) == {"messages", "tokens", "layers", "candidates", "lorebook", "sampling"}
    assert prompt["tokens"] > 0
    assert {"name", "key", "cached", "tokens", "text", "left_out"} == set(prompt["layers"][0])
    shown = "".join(message["content"] for message in prompt["messages"])
    assert shown.index("First.") < shown.index("Answer 1.") < shown.index("Second?")
    assert len(familiar.turns()) == 2


def test_the_model_that_fails_leaves_the_message(familiar: Familiar) -> None:
    familiar.script({"error": "timeout"}, name="broken.jsonl")
    script = familiar.outside / "broken.jsonl"
    familiar("init", "--name", "Brok", "--model", f"scripted:{script}")
    failed = familiar("say", "Are you well?", "--familiar", "brok", "--json")
    assert (failed.code, failed.json["error"]["kind"]) == (5, "outside")
    assert [(turn.id, turn.content) for turn in familiar.turns()] == [
        (failed.json["error"]["turn_id"], "Are you well?")
    ]


def test_import_and_export_keep_every_byte(familiar: Familiar) -> None:
    lines = [line(n, content=f"Zeile {n} \N{FOX FACE}") for n in range(5)]
    lines += [line(9, channel="local:main", author=None, role="assistant", message_id=None)]
    source = write_lines(familiar.outside / "in.jsonl", *lines)
    assert familiar("import", source, "--dry-run", "--json").json["taken"] == 6
    first = familiar("import", source, "--json").json
    assert (first["taken"], first["skipped"], first["format"]) == (6, 0, "jsonl")
    again = familiar("import", source, "--json").json
    assert (again["taken"], again["skipped"]) == (0, 6)
    target = familiar.outside / "out.jsonl"
    assert familiar("export", "turns", str(target)).code == 0
    lines[-1]["author"] = {"key": "ego:aria", "name": "Aria", "username": None, "bot": False}
    assert [json.loads(text) for text in target.read_text().splitlines()] == lines
    assert familiar("export", "turns", str(target)).code == 4
    piped = familiar("export", "turns", "-")
    assert piped.out == target.read_text()
    assert familiar("import", "-", "--json", given=piped.out.encode()).json["already_there"] == 6


def test_a_bad_line_is_named_and_nothing_is_imported(familiar: Familiar) -> None:
    source = write_lines(familiar.outside / "in.jsonl", *(line(n) for n in range(5000)), line(1, at="soon"))
    failed = familiar("import", source, "--json")
    assert failed.code == 4
    assert f"{source}, line 5001, field 'at'" in failed.json["error"]["message"]
    assert familiar.turns() == []
    assert familiar("import", source, "--skip-bad-lines", "--json").json["taken"] == 5000


def test_a_chat_of_sillytavern_is_found_out(familiar: Familiar) -> None:
    chat = [
        {"user_name": "Sam", "character_name": "Aria", "create_date": "2024-05-01@10h00m00s"},
        {"name": "Sam", "is_user": True, "mes": "Hi", "send_date": "May 1, 2024 10:00am"},
        {"name": "Aria", "is_user": False, "mes": "Hey", "swipes": ["Hey", "Ho"], "send_date": "May 1, 2024 10:01am"},
    ]
    ran = familiar("import", write_lines(familiar.outside / "chat.jsonl", *chat))
    assert ran.out.splitlines() == [
        "Format: sillytavern-chat",
        "Taken: 2 turns",
        "Skipped: 0 that were there already",
        "Changed: 2 x time without a time zone, read as UTC",
        "Changed: 1 x swipe that was not shown, kept as another answer",
    ]
    kept = [(turn.content, turn.alternative, turn.alternatives, turn.active) for turn in familiar.turns()]
    assert kept == [("Hi", 1, 1, True), ("Ho", 1, 2, False), ("Hey", 2, 2, True)]
    again = familiar("import", str(familiar.outside / "chat.jsonl"), "--json").json
    assert (again["taken"], again["already_there"]) == (0, 2)
    assert len(familiar.turns()) == 3
    assert [turn["content"] for turn in familiar("turns", "--channel", again["channels"][0], "--json").json] == [
        "Hi",
        "Hey",
    ]


def test_the_passphrase_comes_from_a_file_and_a_wrong_one_is_told(familiar: Familiar) -> None:
    right, wrong = familiar.outside / "right", familiar.outside / "wrong"
    right.write_text("a passphrase of the tests\n")
    wrong.write_text("another")
    assert familiar("turns", "--passphrase-file", str(right), FAMILIAR_PASSPHRASE="another").code == 0
    failed = familiar("turns", "--passphrase-file", str(wrong), "--json")
    assert (failed.code, set(failed.json["error"])) == (3, {"kind", "message", "next"})
    locked = familiar("turns", "--json", FAMILIAR_PASSPHRASE=None)
    assert (locked.code, locked.json["error"]["kind"]) == (3, "user")


@pytest.mark.parametrize("argv", [["dance"], ["say"], ["turns", "--limit", "0"], ["--now", "soon", "status"]])
def test_wrong_usage(familiar: Familiar, argv: list[str]) -> None:
    plain = familiar(*argv)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("familiar: ")
    assert familiar(*argv, "--json").json["error"]["kind"] == "user"


def test_without_a_profile_commands_say_so_and_make_nothing(bare: Familiar) -> None:
    failed = bare("say", "Hi", "--json")
    assert (failed.code, failed.json["error"]["next"][:22]) == (4, "Make one with 'familia")
    assert not bare.profile.exists()


def test_models_are_listed_and_checked(bundled: Familiar) -> None:
    listed = bundled("model", "list", "--json")
    assert listed.json[0]["spec"] == "smollm2"
    checked = bundled("model", "check", "--json")
    assert (checked.code, checked.json["prose"]["weak"], checked.json["prose"]["exact_tokens"]) == (0, True, True)
    bundled("init", "--id", "far", "--name", "Far", "--model", "openai:http://127.0.0.1:9/v1#m")
    failed = bundled("model", "check", "--familiar", "far", "--json")
    assert (failed.code, failed.json["error"]["kind"]) == (5, "outside")


def test_the_bundled_model_answers_on_a_fresh_machine(bundled: Familiar) -> None:
    said = bundled("--local-only", "say", "Good morning.", "--json")
    assert said.code == 0
    assert said.json["reply"].strip()
    trace = bundled("trace", str(said.json["trace_id"]), "--json").json
    assert trace["answer"] == said.json["reply"]
    assert trace["usage"]["completion_tokens"] > 0


def test_rekey_changes_the_key_and_keeps_the_rest(familiar: Familiar) -> None:
    familiar("say", "Hi")
    before = familiar.vault.read_bytes()[:16]
    ran = familiar("rekey", "--json")
    assert (ran.code, list(ran.json)) == (0, ["recovery_code"])
    assert familiar.vault.read_bytes()[:16] != before
    assert [turn["content"] for turn in familiar("turns", "--json").json] == ["Hi", "Answer 1."]
    assert familiar("verify").code == 0


@pytest.mark.parametrize("part", [0.5, 0.0])
def test_a_damaged_vault_is_found(familiar: Familiar, part: float) -> None:
    source = write_lines(familiar.outside / "in.jsonl", *(line(n) for n in range(3000)))
    familiar("import", source)
    data = bytearray(familiar.vault.read_bytes())
    data[int(len(data) * part) + 100] ^= 1
    familiar.vault.write_bytes(data)
    ran = familiar("verify", "--json")
    assert (ran.code, ran.json["ok"]) == (5, False)
    assert set(ran.json["problems"][0]) == {"where", "what", "how_to_mend"}


def test_only_one_process_has_the_vault(familiar: Familiar) -> None:
    source = write_lines(familiar.outside / "in.jsonl", *(line(n) for n in range(60_000)))
    first = familiar.start("import", source)
    assert first.stderr is not None
    assert "turns read" in first.stderr.readline()
    second = familiar("turns", "--json")
    assert (second.code, second.json["error"]["kind"]) == (3, "user")
    assert "in use" in second.json["error"]["message"]


def test_help_and_version_need_no_profile(bare: Familiar) -> None:
    assert bare("--version").out == f"familiar {__version__}\n"
    helped = bare("say", "--help")
    assert (helped.code, helped.out[:19]) == (0, "usage: familiar say")
    assert not bare.profile.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_an_import_cleanly(familiar: Familiar, number: int, code: int) -> None:
    source = write_lines(familiar.outside / "in.jsonl", *(line(n) for n in range(60_000)))
    process = familiar.start("import", source, "--json")
    assert process.stderr is not None
    while "stored" not in process.stderr.readline():
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=90)
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert not familiar.vault.with_name("vault.db-wal").exists()
    assert 0 < len(familiar.turns()) < 60_000


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("argv", [["turns", "--limit", "3000"], ["export", "turns", "-"]])
def test_a_reader_that_goes_away_is_no_trouble(familiar: Familiar, argv: list[str]) -> None:
    source = write_lines(familiar.outside / "in.jsonl", *(line(n, content="x" * 500) for n in range(3000)))
    familiar("import", source)
    process = familiar.start(*argv)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a full device")
@pytest.mark.parametrize("argv", [["turns", "--json"], ["export", "turns", "-"]])
def test_a_result_that_cannot_be_written_is_exit_code_5(familiar: Familiar, argv: list[str]) -> None:
    familiar("say", "Hi")
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(familiar.command(*argv), env=familiar.environment(), stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 5
    assert b"Traceback" not in ran.stderr


class Terminal:
    """A process at a terminal, as a person sits before it."""

    def __init__(self, familiar: Familiar, *argv: str) -> None:
        import pty  # Windows has none

        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            environment = familiar.environment(FAMILIAR_PASSPHRASE=None, TERM="xterm")
            os.execvpe(sys.executable, familiar.command(*argv), environment)
        self.shown = ""

    def wait_for(self, text: str, patience_s: float = 90) -> None:
        until = time.monotonic() + patience_s
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            if select.select([self.handle], [], [], 0.1)[0]:
                self.shown += os.read(self.handle, 4096).decode()

    def type(self, text: str) -> None:
        os.write(self.handle, text.encode())

    def end(self) -> int:
        while True:
            try:
                piece = os.read(self.handle, 4096)
            except OSError:
                break
            if not piece:
                break
            self.shown += piece.decode()
        os.close(self.handle)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_at_a_terminal_the_passphrase_is_asked_for_and_never_shown(familiar: Familiar) -> None:
    terminal = Terminal(familiar, "say", "Hi")
    terminal.wait_for("Passphrase: ")
    terminal.type("a passphrase of the tests\n")
    assert terminal.end() == 0
    assert "Answer 1." in terminal.shown
    assert "of the tests" not in terminal.shown


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_an_interrupt_at_the_question_ends_the_program(familiar: Familiar) -> None:
    terminal = Terminal(familiar, "say", "Hi")
    terminal.wait_for("Passphrase: ")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert familiar.turns() == []
