"""Backups as an owner uses them from scripts: made, moved to another computer, gone back to, and killed half-way."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.store.restore import look_inside
from familiar_app.store.vault import Vault
from tests.e2e.cli.conftest import PASSPHRASE, PATIENCE_S, Familiar

if TYPE_CHECKING:
    from subprocess import Popen

pytestmark = pytest.mark.slow
PAGE = 4096
MOMENTS = 8


def texts(familiar: Familiar) -> list[str]:
    return [turn["content"] for turn in familiar("turns", "--json").json]


def test_a_backup_opens_on_another_computer(familiar: Familiar, tmp_path: Path) -> None:
    assert familiar("say", "The heron nests behind the mill.").code == 0
    target = familiar.outside / "kept.backup"
    made = familiar("backup", str(target), "--json")
    assert made.code == 0
    assert made.json["counts"]["turns"] == 2
    assert familiar("say", "Since then.").code == 0
    assert familiar("backup", str(target), "--json").code == 4, "no file is written over"
    other = Familiar(tmp_path / "other", tmp_path / "outside other")
    looked = other("restore", str(target), "--look", "--json")
    assert looked.json["restored"] is False
    assert not other.vault.exists()
    restored = other("restore", str(target), "--json")
    assert restored.code == 0, restored.out
    assert restored.json["kept"] is None
    assert texts(other) == ["The heron nests behind the mill.", "Answer 1."]
    assert other("verify", "--json").json == {"ok": True, "problems": []}
    back = familiar("restore", str(target), "--json")
    assert texts(familiar) == ["The heron nests behind the mill.", "Answer 1."]
    assert (Path(back.json["kept"]) / "vault.db").exists()


def test_each_refusal_has_its_sentence_and_changes_nothing(familiar: Familiar) -> None:
    target = familiar.outside / "kept.backup"
    assert familiar("backup", str(target)).code == 0
    before = familiar.vault.read_bytes()
    wrong = familiar("restore", str(target), "--json", FAMILIAR_PASSPHRASE="wrong")
    assert (wrong.code, wrong.json["error"]["message"]) == (3, "The passphrase is wrong.")
    missing = familiar("restore", str(familiar.outside / "nothing"), "--json")
    assert missing.code == 4
    notes = familiar.outside / "notes.txt"
    notes.write_text("notes" * 9000, encoding="utf-8")
    assert "not a backup" in familiar("restore", str(notes), "--json").json["error"]["message"]
    data = bytearray(target.read_bytes())
    data[3 * PAGE + 9] ^= 1
    target.write_bytes(data)
    damaged = familiar("restore", str(target), "--json")
    assert damaged.code == 4
    assert "damaged" in damaged.json["error"]["message"]
    assert familiar.vault.read_bytes() == before
    assert not list(familiar.profile.glob("before-*"))


def test_a_backup_is_made_beside_the_service_that_has_the_vault(familiar: Familiar) -> None:
    assert familiar("say", "Hello.").code == 0
    process = familiar.start("serve")
    wait_for(process, familiar.vault.with_name("vault.db-wal"))
    target = familiar.outside / "kept.backup"
    made = familiar("backup", str(target), "--json")
    assert (made.code, made.json["counts"]["turns"]) == (0, 2), made.out
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_S)
    assert familiar("verify").code == 0


def test_a_damaged_vault_is_named_and_salvaged(familiar: Familiar) -> None:
    fill(familiar, 6_000)
    assert familiar("backup", "--json").code == 0
    data = bytearray(familiar.vault.read_bytes())
    for page in range(len(data) // PAGE * 3 // 4, len(data) // PAGE, 9):
        data[page * PAGE + 100] ^= 1
    familiar.vault.write_bytes(data)
    found = familiar("verify", "--json")
    assert found.code == 5
    assert any("-asked.backup" in problem["how_to_mend"] for problem in found.json["problems"])
    assert "turns" in [problem["where"] for problem in found.json["problems"]]
    saved = familiar("salvage", "--json")
    assert saved.code == 0, saved.out
    assert saved.json["whole"] is False
    assert 0 < saved.json["rows"]["turns"] < 6_001
    assert familiar("verify", "--json").code == 0, saved.out
    assert familiar("say", "Still here?").code == 0


def test_a_killed_backup_leaves_no_half_of_one(familiar: Familiar) -> None:
    fill(familiar, 20_000)
    moments = random.Random(5)
    whole_s = timed(familiar, "backup", str(familiar.outside / "first.backup"))
    for number in range(MOMENTS):
        target = familiar.outside / f"{number}.backup"
        process = familiar.start("backup", str(target))
        time.sleep(moments.uniform(0, whole_s))
        familiar.kill(process)
        if target.exists():
            assert look_inside(target, "passphrase", PASSPHRASE).contents.counts["turns"] == 20_000
    assert len(familiar.turns()) == 20_000


def test_a_killed_restore_leaves_the_old_or_the_new(familiar: Familiar) -> None:
    fill(familiar, 20_000)
    target = familiar.outside / "kept.backup"
    whole_s = timed(familiar, "backup", str(target))
    assert familiar("say", "Since then.").code == 0
    moments = random.Random(6)
    template = familiar.root / "template"
    shutil.copytree(familiar.profile, template)
    for _number in range(MOMENTS):
        process = familiar.start("restore", str(target))
        time.sleep(moments.uniform(0, whole_s * 1.5))
        familiar.kill(process)
        checked = familiar("verify", "--json")
        assert checked.json["ok"], checked.out
        assert len(familiar.turns()) in (20_000, 20_002)
        assert not (familiar.profile / ".coming").exists()
        shutil.rmtree(familiar.profile)
        shutil.copytree(template, familiar.profile)


def timed(familiar: Familiar, *argv: str) -> float:
    start = time.monotonic()
    assert familiar(*argv).code == 0
    return time.monotonic() - start


def wait_for(process: Popen[str], path: Path) -> None:
    end = time.monotonic() + PATIENCE_S
    while process.poll() is None and not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert path.exists()


def fill(familiar: Familiar, turns: int) -> None:
    """Import numbered turns."""
    path = familiar.outside / "many.jsonl"
    author = {"key": "discord:1", "name": "Ann", "username": "ann", "bot": False}
    with path.open("w", encoding="utf-8") as stream:
        for number in range(turns):
            at = f"2024-05-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
            line = {"channel": "local:main", "author": author, "role": "user", "at": at, "message_id": f"D{number}"}
            stream.write(json.dumps(line | {"content": f"turn number {number} " + "x" * 200}) + "\n")
    assert familiar("import", str(path)).code == 0


def test_the_recovery_code_opens_a_backup(bare: Familiar) -> None:
    made = bare("init", "--name", "Aria", "--model", f"scripted:{bare.script('Hello.')}", "--json")
    code = bare.outside / "code.txt"
    code.write_text(made.json["recovery_code"], encoding="utf-8")
    target = bare.outside / "kept.backup"
    assert bare("backup", str(target)).code == 0
    shutil.rmtree(bare.profile)
    restored = bare("restore", str(target), "--recovery-code-file", str(code), "--json", FAMILIAR_PASSPHRASE=None)
    assert restored.code == 0, restored.out

    async def opens() -> None:
        vault = await Vault.open(bare.vault, clock=SystemClock(), passphrase=PASSPHRASE)
        await vault.close()

    asyncio.run(opens())
