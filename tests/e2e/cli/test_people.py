"""People through the real program: two accounts that are one person, while everything derived is built again."""

from __future__ import annotations

import json

import pytest

from tests.e2e.cli.conftest import Familiar
from tests.e2e.cli.test_facts import ran

pytestmark = pytest.mark.slow


def test_two_accounts_stay_one_person_through_a_rebuild_and_come_apart_exactly(familiar: Familiar) -> None:
    turns = [
        {"channel": "local:main", "author": {"key": key, "name": name}, "role": "user", "content": "Hello.", "at": at}
        for key, name, at in (
            ("discord:1", "Ann", "2024-05-01T12:00:00Z"),
            ("discord:2", "Annie", "2024-05-02T12:00:00Z"),
            ("discord:1", "Ann", "2024-05-03T12:00:00Z"),
        )
    ]
    said = familiar.outside / "said.jsonl"
    said.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    ran(familiar, "import", str(said))
    ran(familiar, "fact", "add", "Ann sings.", "--subject", "discord:1")
    ran(familiar, "fact", "add", "Annie paints.", "--subject", "discord:2")
    before = ran(familiar, "person", "list")
    ran(familiar, "person", "merge", "discord:2", "discord:1")
    ran(familiar, "rebuild", "all")
    shown = ran(familiar, "person", "show", "discord:2")
    assert (shown["key"], shown["label"], shown["turns"], shown["facts"]) == ("discord:1", "Ann", 3, 2)
    assert [name["name"] for name in shown["names"]] == ["Ann", "Annie"]
    (fact,) = ran(familiar, "facts", "--subject", "discord:2")
    assert fact["subjects"][0]["display_now"] == "Ann"
    assert ran(familiar, "verify") == {"ok": True, "problems": []}
    ran(familiar, "person", "part", "discord:2")
    assert ran(familiar, "person", "list") == before
