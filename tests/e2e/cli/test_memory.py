"""Saved memories through the real program: the tools on standard input, an emptied table, a rebuild, an import."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from familiar_app.store.connection import connect
from familiar_app.store.vault import Vault
from tests.e2e.cli.conftest import Familiar
from tests.e2e.cli.test_facts import ran, with_vault

pytestmark = pytest.mark.slow
ANN = {"key": "discord:1", "name": "Ann", "username": "ann"}
BEN = {"key": "discord:2", "name": "Ben", "username": "ben"}


def call(familiar: Familiar, tool: str, arguments: dict[str, Any], **context: Any) -> Any:
    caller = {
        "server": "discord:100", "channel": "discord:10", "speaker": ANN, "participants": [ANN, BEN], "members": [],
    }  # fmt: skip
    done = familiar(
        "memory", tool, "--json", given=json.dumps({"arguments": arguments, "context": caller | context}).encode()
    )
    assert done.code == 0, done.err
    return done.json


def save(familiar: Familiar, content: str, target: str | None = None, **context: Any) -> Any:
    scope = "server_wide" if target is None else "target_user"
    arguments = {"memory_content": content, "memory_scope": scope, "target_user": target}
    return call(familiar, "save", arguments, **context)


async def _data_key(vault: Vault) -> bytes:
    return vault.data_key()


def test_a_life_of_memories_survives_an_emptied_table(familiar: Familiar) -> None:
    assert save(familiar, "{user} keeps {bees}", "ben")["data"]["content_saved"] == "{user} keeps bees"
    save(familiar, "The door is green")
    save(familiar, "at home", server=None, channel="local:main")
    call(familiar, "update", {"memory_id": 2, "memory_content": "The door is red"})
    ran(familiar, "memory", "add", "tea", "--person", "discord:1", "--global")
    ran(familiar, "memory", "retire", "3")
    ran(familiar, "person", "privacy", "discord:9", "full")
    refused = save(familiar, "y" * 1001)
    assert (refused["success"], refused["data"]["status"]) == (False, "memory_save_failed_invalid_content")
    before = ran(familiar, "memory", "list", "--include-retired")
    assert [one["content"] for one in before] == ["tea", "at home", "The door is red", "{user} keeps bees"]
    histories = [ran(familiar, "memory", "show", str(one["id"])) for one in before]
    connection = connect(familiar.vault, asyncio.run(with_vault(familiar, _data_key)))
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM saved_memories")
    connection.execute("DELETE FROM person_privacy")
    connection.close()
    assert ran(familiar, "memory", "list", "--include-retired") == []
    assert familiar("verify").code == 5
    ran(familiar, "project", "saved_memory", "--until-idle")
    assert ran(familiar, "memory", "list", "--include-retired") == before
    assert [ran(familiar, "memory", "show", str(one["id"])) for one in before] == histories
    assert ran(familiar, "person", "privacy", "discord:9") == {"key": "discord:9", "privacy": "full"}
    ran(familiar, "rebuild", "saved_memory")
    assert ran(familiar, "memory", "list", "--include-retired") == before
    assert ran(familiar, "verify") == {"ok": True, "problems": []}
