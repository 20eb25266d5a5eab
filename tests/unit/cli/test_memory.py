"""`memory` and `person privacy`: the tools from outside with every status, lists, care by hand, files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.cli.conftest import LINEAGE, Program, Ran

ANN = {"key": "discord:1", "name": "Ann", "username": "ann"}
BEN = {"key": "discord:2", "name": "Ben", "username": "ben", "nickname": "Benny"}
CLEO = {"key": "discord:3", "name": "Cleo", "username": "cleo", "nickname": "Captain"}
CONTEXT: dict[str, Any] = {
    "server": "discord:100", "channel": "discord:10", "speaker": ANN, "participants": [ANN, BEN], "members": [CLEO],
}  # fmt: skip
SHAPE = [
    "id", "scope", "owner", "lineage", "content", "tags", "created_at", "updated_at", "manually_written",
    "last_reinforced_at", "dormant", "retired_at", "retired_reason", "source_turn_id",
]  # fmt: skip


class Caller:
    """Calls the tools as a script does."""

    def __init__(self, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
        self._program, self._monkeypatch = program, monkeypatch

    async def raw(self, tool: str, text: str) -> Ran:
        stdin = SimpleNamespace(buffer=io.BytesIO(text.encode()))
        self._monkeypatch.setattr("familiar_app.cli.memory_command.sys", SimpleNamespace(stdin=stdin))
        return await self._program("memory", tool)

    async def __call__(self, tool: str, arguments: Any, **context: Any) -> dict[str, Any]:
        ran = await self.raw(tool, json.dumps({"arguments": arguments, "context": CONTEXT | context}))
        assert ran.code == 0
        return dict(ran.json)

    async def save(self, content: str, target: str | None = None, **context: Any) -> dict[str, Any]:
        scope = "server_wide" if target is None else "target_user"
        given = {"memory_content": content, "memory_scope": scope, "target_user": target}
        return await self("save", given, **context)

    async def update(self, number: int, content: str, target: str | None = None, **context: Any) -> dict[str, Any]:
        return await self("update", {"memory_id": number, "memory_content": content, "target_user": target}, **context)


@pytest.fixture
def call(program: Program, monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(program, monkeypatch)


async def test_saving_and_listing_have_the_shapes_of_the_contract(program: Program, call: Caller) -> None:
    saved = await call.save("{user} has a boat", "Captain")
    assert saved == {
        "success": True,
        "message": "Saved as memory [id:1]: {user} has a boat",
        "data": {
            "status": "memory_saved_successfully",
            "memory_id": 1,
            "scope": "target_user",
            "target_user": "Cleo",
            "content_saved": "{user} has a boat",
        },
    }
    (listed,) = (await program("memory", "list", "--json")).json
    assert list(listed) == SHAPE
    assert listed | {"created_at": None, "updated_at": None} == dict.fromkeys(SHAPE) | {
        "id": 1, "scope": "personal", "owner": "discord:3", "lineage": LINEAGE, "content": "{user} has a boat",
        "tags": [], "manually_written": False, "dormant": False,
    }  # fmt: skip
    shown = (await program("memory", "show", "1", "--json")).json
    assert list(shown)[: len(SHAPE)] == SHAPE
    assert (shown["taught_by"], shown["persona"], [one["cause"] for one in shown["history"]]) == (
        "discord:1", "aria", ["save"],
    )  # fmt: skip


async def test_every_status_of_a_save_is_reached(program: Program, call: Caller) -> None:
    await program("person", "privacy", "discord:2", "partial")
    bridge = {"key": "matrix:@zoe", "name": "Zoe", "bridge": True, "bot": True}
    twin = {"key": "discord:4", "name": "cleo", "username": "cleo2"}
    ends = [
        await call("save", {"memory_content": 1, "memory_scope": "server_wide"}),
        await call("save", None),
        await call.save("tea", "Zed"),
        await call.save("tea", "Ben"),
        await call.save("tea", "cleo", participants=[ANN, CLEO, twin]),
        await call.save("x" * 1001),
        await call.save("tea", speaker=None),
        await call.save("tea"),
        await call.save("Tea!"),
        await call.save("{user} sails", "zoe", participants=[bridge]),
        await call.save("tea", "Who", participants=[{"name": "Who"}]),
        await call.save("tea", "Luna", participants=[{"key": "pk:a", "name": "Luna", "proxy": ["discord:2"]}]),
        await call.save("tea", "Sol", participants=[{"key": "pk:b", "name": "Sol", "proxy": {"hosts": None}}]),
        await call.save("tea", "Captain", server=None),
    ]
    assert [one["data"]["status"].removeprefix("memory_") for one in ends] == [
        "save_failed_invalid_args", "save_failed_invalid_args", "save_failed_user_not_found",
        "save_failed_privacy_restricted", "save_failed_ambiguous_user", "save_failed_invalid_content",
        "save_failed_internal_error", "saved_successfully", "already_saved", "saved_successfully",
        "save_failed_user_not_found", "saved_successfully", "save_failed_privacy_restricted",
        "save_failed_user_not_found",
    ]  # fmt: skip
    assert ends[9]["data"]["content_saved"] == "Zoe sails"
    ran = await call.raw("save", json.dumps({"arguments": {"memory_content": "a", "memory_scope": "server_wide"}}))
    assert ran.json["data"]["status"] == "memory_save_failed_internal_error"


async def test_a_direct_message_is_a_server_of_its_own(program: Program, call: Caller) -> None:
    await call.save("tea", server=None, channel="discord:12")
    await call.save("milk", server="local:den", channel="local:den")
    assert [one["owner"] for one in (await program("memory", "list", "--json")).json] == ["local:den", "discord:12"]
    alone = await call.update(1, "coffee", "Ben", server=None, channel="discord:12")
    assert alone["data"]["status"] == "memory_update_failed_invalid_scope"
    assert (await call.update(1, "coffee", server=None, channel="discord:12"))["success"]


async def test_updates_and_deletes(program: Program, call: Caller) -> None:
    await call.save("tea", "Ben")
    assert (await call.update(1, "coffee"))["data"]["status"] == "memory_update_failed_not_found"
    assert (await call.update(1, "coffee", "benny"))["data"]["status"] == "memory_updated_successfully"
    assert (await call.update(1, " ", "Ben"))["data"] == {
        "status": "memory_deleted_successfully", "memory_id": 1, "scope": "target_user", "target_user": "Ben",
        "content_forgotten": "coffee",
    }  # fmt: skip
    assert (await program("memory", "list", "--json")).json == []
    (gone,) = (await program("memory", "list", "--include-retired", "--json")).json
    assert gone["retired_reason"] == "deleted by the familiar"


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"arguments": {}'])
async def test_what_is_no_object_is_bad_input(call: Caller, text: str) -> None:
    ran = await call.raw("save", text)
    assert (ran.code, ran.out) == (4, "")


async def test_care_by_hand(program: Program, call: Caller) -> None:
    added = (
        await program("memory", "add", "The lamp is green", "--server", "local:main", "--tag", "lamp", "--json")
    ).json
    assert (added["manually_written"], added["tags"], added["owner"]) == (True, ["lamp"], "local:main")
    edited = (await program("memory", "edit", "1", "The lamp is blue", "--no-tags", "--json")).json
    assert (edited["content"], edited["tags"]) == ("The lamp is blue", [])
    assert (await program("memory", "edit", "1", "--tag", "#main", "--json")).json["tags"] == ["#local:main"]
    assert not (await program("memory", "protect", "1", "--off", "--json")).json["manually_written"]
    assert (await program("memory", "retire", "1", "--json")).json["retired_reason"] == "retired by hand"
    assert (await program("memory", "edit", "1", "x")).code == 4
    assert (await program("memory", "restore", "1", "--json")).json["retired_at"] is None
    moved = (await program("memory", "move", "1", "--person", "discord:2", "--global", "--json")).json
    assert (moved["scope"], moved["owner"], moved["lineage"]) == ("personal", "discord:2", "0")
    assert (await program("memory", "add", "nowhere")).code == 2
    assert (await program("memory", "retire", "99")).code == 4
    assert (await program("memory", "list", "--search", "BLUE")).out.startswith("1  ")


async def test_files_go_out_and_come_in(program: Program, call: Caller, tmp_path: Path) -> None:
    await program("memory", "add", "tea", "--person", "discord:2", "--tag", "#main")
    await program("memory", "add", "milk", "--person", "discord:2", "--global")
    await call.save("stone")
    file = tmp_path / "out.json"
    assert (await program("memory", "export", str(file), "--json")).json["written"] == 3
    assert (await program("memory", "export", str(file))).code == 4
    assert (await program("memory", "export", "-")).code == 2
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["memories"] == [
        {"scope": "personal", "owner": "discord:2", "lineage": "own", "content": "tea", "tags": ["#main"]},
        {"scope": "personal", "owner": "discord:2", "lineage": "global", "content": "milk", "tags": []},
        {"scope": "server", "owner": "discord:100", "lineage": "own", "content": "stone", "tags": []},
    ]
    again = (await program("memory", "import", str(file), "--json")).json
    assert (again["taken"], again["skipped"], again["retired"]) == (0, 3, 0)
    replaced = (await program("memory", "import", str(file), "--replace", "--json")).json
    assert (replaced["taken"], replaced["skipped"], replaced["retired"]) == (3, 0, 3)
    assert not any(one["manually_written"] for one in (await program("memory", "list", "--json")).json)


async def test_tomori_exports_come_in_by_lineage(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "tomori.json"
    buckets = {"12": ["tea", {"content": "{user} sails", "tags": ["sea"]}], "0": ["milk"], "13": ["other"]}
    file.write_text(json.dumps({"personal_memories": buckets}), encoding="utf-8")
    several = await program("memory", "import", str(file), "--person", "discord:2")
    assert (several.code, "--bucket: 12, 13" in several.err) == (4, True)
    assert (await program("memory", "import", str(file), "--bucket", "12")).code == 4
    assert (await program("memory", "import", str(file), "--bucket", "12", "--server", "discord:100")).code == 4
    assert (await program("memory", "list", "--json")).json == []
    taken = await program("memory", "import", str(file), "--bucket", "12", "--person", "discord:2", "--json")
    assert taken.json["taken"] == 3
    listed = (await program("memory", "list", "--json")).json
    assert [(one["content"], one["tags"], one["lineage"]) for one in listed] == [
        ("milk", [], "0"), ("{user} sails", ["sea"], LINEAGE), ("tea", [], LINEAGE),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "does not hold an object"),
        ({"format": "familiar-memories", "version": 2}, "version"),
        ({"format": "familiar-memories", "version": 1, "memories": {}}, "memories"),
        ({"format": "familiar-memories", "version": 1, "memories": [{"content": "a", "scope": "x"}]}, "memories[0]"),
        ({"12": "tea"}, "no lists of them"),
        ({"12": [5]}, "12[0]"),
        ({"12": [{"content": 5}]}, "content is missing"),
        ({"12": [{"content": "a", "tags": "b"}]}, "tags have to be a list"),
        ({"12": ["ok", "x" * 1001]}, "memory 2"),
        ({"12": [{"content": "a", "tags": list("abcdef")}]}, "6 tags"),
    ],
)
async def test_a_bad_file_changes_nothing(program: Program, tmp_path: Path, value: Any, says: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    ran = await program("memory", "import", str(file), "--server", "discord:100", "--json")
    assert ran.code == 4
    assert says in ran.json["error"]["message"]
    assert "bad.json" in ran.json["error"]["message"]
    assert (await program("memory", "list", "--include-retired", "--json")).json == []


async def test_the_general_import_and_export_know_memories(program: Program, call: Caller, tmp_path: Path) -> None:
    await program("memory", "add", "tea", "--person", "discord:2")
    file = tmp_path / "out.json"
    assert (await program("export", "memories", str(file), "--json")).json["written"] == 1
    await program("memory", "retire", "1")
    tried = (await program("import", str(file), "--dry-run", "--json")).json
    assert (tried["kind"], tried["dry_run"], tried["taken"]) == ("memories", True, 1)
    assert (await program("memory", "list", "--json")).json == []
    assert (await program("import", str(file), "--json")).json["taken"] == 1
    assert [one["content"] for one in (await program("memory", "list", "--json")).json] == ["tea"]


async def test_a_fact_shows_what_was_saved_from_the_same_turn(program: Program, call: Caller) -> None:
    said = (await program("say", "I keep bees", "--json")).json["turn_id"]
    await call.save("{user} keeps bees", "Ann", turn_id=said)
    await program("fact", "add", "Ann keeps bees.", "--source", str(said))
    shown = (await program("fact", "show", "1", "--json")).json
    assert [(one["id"], one["source_turn_id"]) for one in shown["memories"]] == [(1, said)]
    source = (await program("memory", "show", "1", "--json")).json["source"]
    assert (source["id"], source["content"]) == (said, "I keep bees")
