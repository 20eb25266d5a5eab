"""Vaults of every released form open, an upgrade is one transaction after a copy, a newer form is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BugError, OutsideError
from familiar_app.domain.fact import NewFact
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.turn import NewTurn, Reaction, Role
from familiar_app.store import schema, schema_answer
from familiar_app.store.connection import connect
from familiar_app.store.restore import Restoring, look_inside, restore
from familiar_app.store.vault import Vault
from familiar_app.store.vault_file import open_vault
from tests.unit.store.vault_maker import filled

if TYPE_CHECKING:
    from sqlite3 import Connection

DATA = Path(__file__).parent / "data"
VERSION_1 = {"passphrase": "first heron"}
VERSION_1_CODE = "0123-4567-89AB-CDEF-GHJK-MNPQ-RSJR"


@pytest.fixture
def version_1(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "v1", tmp_path / "v1")
    return tmp_path / "v1" / "vault.db"


@pytest.mark.parametrize("way", [VERSION_1, {"recovery_code": VERSION_1_CODE}])
async def test_a_vault_of_version_1_opens(version_1: Path, clock: FixedClock, way: dict[str, str]) -> None:
    vault = await Vault.open(version_1, clock=clock, **way)  # type: ignore[arg-type]
    mira = FamiliarId("mira")
    main = await vault.channels.find(MAIN_CHANNEL, familiar=mira)
    den = await vault.channels.find(ChannelKey("discord:10"))
    assert main is not None
    assert den is not None
    assert [t.content for t in await vault.turns.page(main.id)] == ["Where did the red fox go?", "Into the woods."]
    assert [t.content for t in await vault.turns.page(den.id)] == ["Grüße 🦊"]
    assert [r.content for r in await vault.turns.revisions(TurnId(1))] == [
        "Where did the fox go?",
        "Where did the red fox go?",
    ]
    assert [a.active for a in await vault.turns.answers(TurnId(1))] == [True, False]
    trace = await vault.traces.for_turn(TurnId(3))
    assert trace is not None
    assert trace.messages[0].content == "Wo ist der Fuchs? 🦊"
    assert await vault.people.label(PersonKey("discord:7"), guild="discord:1") == "Benny"
    assert await vault.people.label(PersonKey("discord:8")) == "8"
    assert await vault.turns.reactions(den.id, ["D2"]) == {"D2": [Reaction("D2", "🦊", 2)]}
    assert await vault.secrets.get("openai") == "sk-fixture"
    assert await vault.state.get("last_channel") == main.id
    operators = await vault._opened.engine.read(
        lambda c: [row[0] for row in c.execute("SELECT mode FROM turns WHERE role = ? ORDER BY id", (Role.OPERATOR,))]
    )
    assert operators == ["choose", "hide"]
    fact, _ = await vault.facts.append(NewFact(mira, "The fox is red.", "rich_note", source_turns=(TurnId(1),)))
    assert await vault.facts.page(mira) == [fact]
    assert await vault._opened.engine.read(schema.version_of) == schema.VERSION
    assert await vault.verify() == []
    await vault.close()


async def test_a_newer_form_is_refused_untouched(vault_path: Path, clock: FixedClock) -> None:
    key, _ = await filled(vault_path, clock, 1)
    connection = connect(vault_path, key)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    before = vault_path.read_bytes()
    with pytest.raises(OutsideError, match="newer Familiar"):
        await Vault.open(vault_path, clock=clock, data_key=key)
    assert sorted(p.name for p in vault_path.parent.iterdir()) == ["vault.db", "vault.keys", "vault.lock"]
    with pytest.raises(OutsideError, match="newer Familiar"):
        await Vault.open(vault_path, clock=clock, data_key=key, read_only=True)
    assert vault_path.read_bytes() == before


def add_column(connection: Connection) -> None:
    connection.execute("ALTER TABLE state ADD COLUMN note TEXT NOT NULL DEFAULT 'new'")


def fail_half_way(connection: Connection) -> None:
    connection.execute("DELETE FROM turns")
    connection.execute("CREATE TABLE half (a)")
    raise OutsideError("the upgrade failed.", "Try again.")


async def test_an_upgrade_keeps_a_copy_that_opens(version_1: Path, clock: FixedClock) -> None:
    steps = (*schema.STEPS[:1], add_column)
    before = version_1.read_bytes()
    opened = open_vault(version_1, way="passphrase", secret="first heron", steps=steps)
    row = await opened.engine.read(lambda c: c.execute("SELECT note FROM state").fetchone())
    assert row == ("new",)
    assert await opened.engine.read(schema.version_of) == 2
    opened.close()
    [backup] = (version_1.parent / "backups").glob("familiar-*-upgrade.backup")
    copy = version_1.with_name("copy") / "vault.db"
    looked = look_inside(backup, "passphrase", "first heron")
    assert (looked.contents.schema, looked.contents.counts["turns"]) == (1, 3)
    await restore(looked, Restoring(copy.parent, looked.contents.made_at))
    assert copy.read_bytes()[32:] != before[32:], "it was sealed anew"
    vault = await Vault.open(copy, clock=clock, **VERSION_1)  # type: ignore[arg-type]
    assert await vault.verify() == []
    await vault.close()


async def test_an_upgrade_that_fails_changes_nothing(version_1: Path, clock: FixedClock) -> None:
    steps: tuple[Any, ...] = (*schema.STEPS[:1], add_column, fail_half_way)
    with pytest.raises(OutsideError, match="upgrade failed"):
        open_vault(version_1, way="passphrase", secret="first heron", steps=steps)
    opened = open_vault(version_1, way="passphrase", secret="first heron", read_only=True, steps=steps)
    assert await opened.engine.read(schema.version_of) == 1
    opened.close()
    vault = await Vault.open(version_1, clock=clock, **VERSION_1)  # type: ignore[arg-type]
    assert await vault.turns.count() == 3
    assert await vault.verify() == []
    await vault.close()


def break_a_reference(connection: Connection) -> None:
    connection.execute("DELETE FROM channels")


async def test_an_upgrade_that_breaks_a_reference_is_undone(version_1: Path, clock: FixedClock) -> None:
    with pytest.raises(BugError, match="break a reference"):
        open_vault(version_1, way="passphrase", secret="first heron", steps=(*schema.STEPS[:1], break_a_reference))
    vault = await Vault.open(version_1, clock=clock, **VERSION_1)  # type: ignore[arg-type]
    assert await vault.verify() == []
    await vault.close()


async def test_an_older_vault_can_be_read_without_being_upgraded(version_1: Path, clock: FixedClock) -> None:
    before = version_1.read_bytes()
    opened = open_vault(
        version_1, way="passphrase", secret="first heron", read_only=True, steps=(*schema.STEPS[:1], add_column)
    )
    assert await opened.engine.read(schema.version_of) == 1
    opened.close()
    assert version_1.read_bytes() == before


async def test_answers_that_another_familiar_had_replaced_come_back(vault: Vault, said: Callable[..., NewTurn]) -> None:
    asked, _ = await vault.turns.append(said("Who is there?"))
    turns: dict[str, TurnId] = {}
    for text, familiar in (("Mira.", "mira"), ("Mira!", "mira"), ("Nix.", "nix"), ("Nix!", "nix"), ("Pix.", "pix")):
        new = said(text, role=Role.ASSISTANT, answers=asked.id, familiar=FamiliarId(familiar), author=None)
        turns[text] = (await vault.turns.append(new))[0].id
    await vault.turns.choose(turns["Nix."])

    def upgrade_again(connection: Connection) -> None:
        # As it was: one answer of all that there are.
        connection.execute("UPDATE turns SET active = (id = ?) WHERE answers IS NOT NULL", (turns["Pix."],))
        for statement in schema_answer.ANSWER:
            connection.execute(statement)

    await vault._opened.engine.write(upgrade_again)
    assert [turn.content for turn in await vault.turns.page(asked.channel)] == [
        "Who is there?",
        "Mira!",
        "Nix.",
        "Pix.",
    ]
    assert await vault.verify() == []
