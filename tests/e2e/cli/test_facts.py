"""The owner's corrections through the real program: each command a process of its own, the vault on a real disk."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import FamiliarId
from familiar_app.store.connection import connect
from familiar_app.store.vault import Vault
from tests.e2e.cli.conftest import PASSPHRASE

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow

NOW = "2025-06-01T12:00:00Z"


def ran(familiar: Familiar, *argv: str) -> Any:
    done = familiar(*argv, "--json")
    assert done.code == 0, done.out
    return done.json


async def with_vault(familiar: Familiar, work: Any) -> Any:
    vault = await Vault.open(familiar.vault, clock=SystemClock(), passphrase=PASSPHRASE)
    try:
        return await work(vault)
    finally:
        await vault.close()


def test_a_correction_is_remembered_with_its_past(familiar: Familiar) -> None:
    said = ran(familiar, "say", "I moved from Rome to Oslo.", "--as", "Ann")
    about = ("--subject", "local:Ann", "--source", str(said["turn_id"]))
    first = ran(familiar, "--now", "2025-01-01", "fact", "add", "Ann lives in Rome.", *about, "--to", "2025-09-01")
    second = ran(familiar, "--now", "2025-02-01", "fact", "add", "Ann lives in Oslo.", *about, "--from", "2025-01-15")
    assert (first["subjects"], first["channel"]) == (
        [{"key": "local:Ann", "display_at_write": "Ann", "display_now": "Ann"}],
        "local:main",
    )
    retired = ran(familiar, "--now", "2025-03-01", "fact", "retire", str(first["id"]), "--by", str(second["id"]))
    assert (retired["superseded_at"], retired["superseded_by"]) == ("2025-03-01T00:00:00Z", second["id"])
    ran(familiar, "--now", "2025-04-01", "fact", "restore", str(first["id"]))

    def listed(*argv: str) -> list[int]:
        return [fact["id"] for fact in ran(familiar, "--now", NOW, "facts", *argv)]

    assert listed() == [second["id"], first["id"]]
    assert listed("--known-at", "2025-03-15") == [second["id"]]
    assert listed("--known-at", "2025-01-15") == [first["id"]]
    assert listed("--as-of", "2025-10-01") == [second["id"]]
    assert listed("--known-at", "2025-01-15", "--as-of", "2025-10-01") == []
    assert listed("--search", "oslo", "--subject", "local:Ann", "--limit", "1") == [second["id"]]
    shown = ran(familiar, "fact", "show", str(first["id"]))
    assert [(belief["from"], belief["to"], belief["cause"], belief["by"]) for belief in shown["beliefs"]] == [
        ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z", "superseded", second["id"]),
        ("2025-04-01T00:00:00Z", None, "restored", "local:owner"),
    ]
    assert [turn["content"] for turn in shown["sources"]] == ["I moved from Rome to Oslo."]
    assert ran(familiar, "verify") == {"ok": True, "problems": []}


def test_what_the_owner_said_survives_an_emptied_table(familiar: Familiar) -> None:
    for number in range(3):
        ran(familiar, "--now", f"2025-01-0{number + 1}", "fact", "add", f"Fact {number}.", "--importance", "5")
    ran(familiar, "--now", "2025-02-01", "fact", "retire", "2")
    before = ran(familiar, "facts", "--include-retired")
    key = asyncio.run(with_vault(familiar, _data_key))
    connection = connect(familiar.vault, key)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM facts")
    connection.close()
    assert ran(familiar, "facts", "--include-retired") == []
    replayed = asyncio.run(with_vault(familiar, lambda vault: vault.facts.replay_owner_acts(FamiliarId("aria"))))
    assert (replayed.done, replayed.lost) == (4, 0)
    assert ran(familiar, "facts", "--include-retired") == before
    assert ran(familiar, "verify")["ok"]


async def _data_key(vault: Vault) -> bytes:
    return vault.data_key()


def test_an_interrupted_correction_is_done_or_not_begun(familiar: Familiar) -> None:
    ran(familiar, "fact", "add", "Fact 0.")
    for number in range(4):
        process = familiar.start("fact", "add", f"Fact {number + 1}.", "--json")
        time.sleep(0.4 + 0.25 * number)
        familiar.kill(process)
    texts = [fact["text"] for fact in ran(familiar, "facts", "--include-retired")]
    acts = [turn for turn in asyncio.run(with_vault(familiar, _acts)) if turn == "fact_add"]
    assert len(acts) == len(texts)
    assert texts[-1] == "Fact 0."
    assert ran(familiar, "verify")["ok"]


async def _acts(vault: Vault) -> list[str]:
    return await vault._opened.engine.read(
        lambda c: [mode for (mode,) in c.execute("SELECT mode FROM turns WHERE role = 'operator'")]
    )


def test_errors_have_their_codes_and_a_sentence(familiar: Familiar) -> None:
    for argv, code in (
        (("fact", "show", "7"), 4),
        (("fact", "retire", "7"), 4),
        (("fact", "restore", "7"), 4),
        (("fact", "add", "x", "--source", "99"), 4),
        (("fact", "add"), 2),
        (("facts", "--known-at", "soon"), 2),
    ):
        done = familiar(*argv, "--json")
        assert done.code == code, argv
        error = done.json["error"]
        assert error["kind"] == "user"
        assert error["message"].endswith((".", "TEXT"))
    assert familiar("facts", FAMILIAR_PASSPHRASE="wrong").code == 3
