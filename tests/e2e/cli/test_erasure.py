"""Erasure through the real program: plan, act and receipt, and that nothing of it lies anywhere on the disk."""

from __future__ import annotations

import json
from typing import Any

import pytest

from familiar_app.domain.ids import FamiliarId
from familiar_app.store.profile import Profile
from tests.e2e.cli.conftest import Familiar
from tests.e2e.cli.test_facts import ran

pytestmark = pytest.mark.slow

BOB = {"key": "discord:4242424242", "name": "Bobadil"}
ANN = {"key": "discord:1", "name": "Ann"}


def turn(author: dict[str, str], text: str, number: int) -> dict[str, Any]:
    return {
        "channel": "discord:10", "guild": "discord:g", "author": author, "role": "user", "content": text,
        "at": f"2024-05-01T12:00:{number:02}Z", "message_id": f"m{number}",
    }  # fmt: skip


@pytest.fixture
def told(familiar: Familiar) -> Familiar:
    said = familiar.outside / "said.jsonl"
    turns = [turn(ANN, "I paint.", 1), turn(BOB, "My boat is called Zanzibar.", 2), turn(ANN, "Bobadil sails!", 3)]
    said.write_text("".join(json.dumps(one) + "\n" for one in turns), encoding="utf-8")
    ran(familiar, "import", str(said))
    ran(familiar, "fact", "add", "Bobadil owns a boat.", "--subject", BOB["key"])
    ran(familiar, "fact", "add", "Ann knows Bobadil.", "--subject", "discord:1", "--subject", BOB["key"])
    return familiar


def test_somebody_is_planned_erased_and_does_not_come_back(told: Familiar) -> None:
    planned = ran(told, "person", "forget", BOB["key"], "--dry-run")
    assert (planned["label"], planned["removed"]["turns"], planned["removed"]["facts"]) == ("Bobadil", 1, 1)
    assert planned["samples"] == [{"where": "turn 3", "before": "Bobadil sails!", "after": "someone sails!"}]
    assert told("person", "forget", BOB["key"], "--json").code == 2
    done = ran(told, "person", "forget", BOB["key"], "--yes")
    assert {name: done[name] for name in ("removed", "redacted")} == {
        name: planned[name] for name in ("removed", "redacted")
    }
    assert done["receipt"]["removed"] == done["removed"]
    assert ran(told, "person", "forget") == [done["receipt"]]
    ran(told, "import", str(told.outside / "said.jsonl"))
    texts = [one["content"] for one in ran(told, "turns", "--channel", "discord:10")]
    assert texts == ["I paint.", "someone sails!"]
    assert [one["text"] for one in ran(told, "facts")] == ["Ann knows someone."]
    ran(told, "rebuild", "all")
    assert [one["text"] for one in ran(told, "facts")] == ["Ann knows someone."]
    assert ran(told, "verify") == {"ok": True, "problems": []}
    for file in (path for path in told.profile.rglob("*") if path.is_file()):
        held = file.read_bytes().lower()
        assert b"bobadil" not in held
        assert b"zanzibar" not in held


def test_everything_is_erased_only_under_the_name_of_its_folder(told: Familiar) -> None:
    planned = ran(told, "everything", "forget", "--dry-run")
    assert (planned["name"], planned["erased"]) == (told.profile.name, False)
    assert {"vault", "characters", "settings"} <= {part["kind"] for part in planned["parts"]}
    assert told("everything", "forget", "--json").code == 2
    assert told("everything", "forget", "--yes-erase-everything", "other", "--json").code == 2
    assert told.vault.exists()
    done = ran(told, "everything", "forget", "--yes-erase-everything", told.profile.name)
    assert done["erased"]
    assert [path.name for path in told.profile.rglob("*") if path.is_file()] == ["vault.lock"]
    refused = told("everything", "forget", "--yes-erase-everything", told.profile.name, "--json")
    assert refused.json["error"]["message"].startswith("There is no profile")


def test_a_channel_a_message_and_a_familiar_go_in_the_same_manner(told: Familiar) -> None:
    first = ran(told, "turns", "--channel", "discord:10")[0]["id"]
    assert ran(told, "message", "forget", str(first), "--yes")["receipt"]["removed"] == {"turns": 1}
    assert ran(told, "channel", "forget", "discord:10", "--yes")["receipt"]["removed"]["turns"] == 2
    assert ran(told, "turns", "--channel", "discord:10") == []
    ran(told, "init", "--name", "Nova", "--id", "nova")
    [only] = [one for one in (told.profile / "familiars").iterdir() if one.name != "nova"]
    ran(told, "familiar", "forget", only.name, "--yes")
    assert not only.exists()
    assert ran(told, "facts", "--familiar", "nova") == []
    assert told("familiar", "forget", "nova", "--yes", "--json").json["error"]["message"] == (
        "This is the only familiar of the profile."
    )
    assert ran(told, "verify") == {"ok": True, "problems": []}


def test_what_lies_in_the_folder_of_a_familiar_is_named_before_it_goes(familiar: Familiar) -> None:
    assert familiar("init", "--id", "tom", "--name", "Tom", "--model", "smollm2").code == 0
    (familiar.profile / "familiars" / "tom" / "notes.txt").write_text("mine")
    planned = familiar("familiar", "forget", "tom", "--dry-run")
    assert planned.code == 0, planned.err
    assert "notes.txt" in planned.out


def test_a_familiar_whose_erasure_was_cut_off_is_gone_when_it_is_asked_for_again(familiar: Familiar) -> None:
    assert familiar("init", "--id", "tom", "--name", "Tom", "--model", "smollm2").code == 0
    Profile(familiar.profile).mark_leaving(FamiliarId("tom"))
    again = familiar("familiar", "forget", "tom", "--yes")
    assert again.code == 4, again.err
    assert "is complete now" in again.err
    assert not (familiar.profile / "familiars" / "tom").exists()
