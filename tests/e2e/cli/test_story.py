"""A story with known beliefs, told and asked through the real program; every table about memory is emptied once.

What is emptied comes back with the next `project --until-idle`: the same beliefs, the same dates, no model asked.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import FamiliarId
from familiar_app.store.connection import connect
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault
from tests.e2e.cli.conftest import PASSPHRASE, Familiar
from tests.e2e.cli.telling import ran, script, take

if TYPE_CHECKING:
    from sqlite3 import Connection

pytestmark = pytest.mark.slow

STORY = json.loads((Path(__file__).parent / "story.json").read_text(encoding="utf-8"))
LATER = ("--now", "2024-06-01T00:00:00Z")
TABLES = [
    "facts",
    "fact_subjects",
    "fact_sources",
    "fact_beliefs",
    "fact_blocks",
    "retirements",
    "people_dossiers",
    "summaries",
    "reflections",
    "reflection_turns",
    "reflection_facts",
    "fact_embeddings",
    "turn_embeddings",
    "watermarks",
]
# What is drawn from the log, without numbers that nobody refers to and times at which it was drawn again.
DUMPS = (
    "SELECT * FROM facts ORDER BY id",
    "SELECT * FROM fact_subjects ORDER BY fact, key",
    "SELECT * FROM fact_sources ORDER BY fact, turn",
    "SELECT * FROM fact_beliefs ORDER BY fact, number",
    "SELECT * FROM fact_blocks ORDER BY block",
    """SELECT familiar, prior, successor, reason, proposed_by, proposed_at, state, decided_at, decided_by, never
    FROM retirements ORDER BY id""",
    "SELECT * FROM people_dossiers ORDER BY familiar, person",
    "SELECT familiar, channel, text, last_turn_id, created_at FROM summaries ORDER BY id",
    """SELECT r.familiar, r.channel, r.text, r.last_turn_id, r.last_fact_id, r.created_at,
    (SELECT group_concat(turn) FROM (SELECT turn FROM reflection_turns WHERE reflection = r.id ORDER BY turn)),
    (SELECT group_concat(fact) FROM (SELECT fact FROM reflection_facts WHERE reflection = r.id ORDER BY fact))
    FROM reflections r ORDER BY r.id""",
    # Only what is believed is given a vector.
    """SELECT e.fact_id, e.model, e.dim, e.vector FROM fact_embeddings e JOIN facts f ON f.id = e.fact_id
    WHERE f.superseded_at IS NULL ORDER BY e.fact_id, e.model""",
    "SELECT turn_id, model, dim, vector FROM turn_embeddings ORDER BY turn_id, model",
    # A dossier says itself up to which fact it was folded; its watermark repeats that.
    """SELECT projector, familiar, scope, position, speaks_of FROM watermarks WHERE projector <> 'people_dossier'
    ORDER BY projector, scope""",
)


@pytest.fixture(scope="module")
def told(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Familiar:
    """The story, told once to a familiar that keeps every projection there is."""
    folder = tmp_path_factory.mktemp("story")
    familiar = Familiar(folder / "root", folder / "outside")
    shutil.copytree(template, familiar.profile)
    projectors = ["rich_note", "fact_supersede", "people_dossier", "rolling_summary", "reflection", "fact_embedding"]
    projectors.append("turn_embedding")
    changes = {
        "models.background.provider": "scripted",
        "models.background.model": str(script(familiar, [])),
        "memory.rolling_summary.new_turns": 2,
        "memory.reflection.new_turns": 2,
        "providers.embedding.backend": "hash",
        "providers.memory.projectors": projectors,
    }
    Profile(familiar.profile).save_config(FamiliarId("aria"), changes)
    for number, step in enumerate(STORY["steps"]):
        take(familiar, STORY["people"], step, number)
    return familiar


@pytest.fixture
def lived(told: Familiar, tmp_path: Path) -> Familiar:
    """A copy of the story's profile; no answer of a model is at hand."""
    familiar = Familiar(tmp_path / "root", told.outside)
    shutil.copytree(told.profile, familiar.profile)
    script(familiar, [])
    return familiar


def vault_key(familiar: Familiar) -> bytes:
    async def read() -> bytes:
        vault = await Vault.open(familiar.vault, clock=SystemClock(), passphrase=PASSPHRASE)
        try:
            return vault.data_key()
        finally:
            await vault.close()

    return asyncio.run(read())


def rows(connection: Connection) -> list[list[tuple[Any, ...]]]:
    return [connection.execute(statement).fetchall() for statement in DUMPS]


def check_beliefs(familiar: Familiar) -> None:
    for look in STORY["looks"]:
        found = ran(familiar, "facts", "--as-of", look["as_of"], "--known-at", look["known_at"], *LATER)
        assert [fact["id"] for fact in found] == look["believed"], look["what"]


def test_at_six_points_exactly_the_right_things_are_believed(told: Familiar) -> None:
    check_beliefs(told)
    for number, expected in STORY["stamps"].items():
        shown = ran(told, "fact", "show", number, *LATER)
        beliefs = [[one["from"], one["to"], one["cause"], one["by"]] for one in shown["beliefs"]]
        found = {"text": shown["text"], "valid_from": shown["valid_from"], "valid_to": shown["valid_to"]}
        assert {**found, "beliefs": beliefs} == expected, number
    # With a time of knowing, stamps print as they stood: nothing of what came later shows.
    (oslo,) = ran(told, "facts", "--known-at", "2024-03-10", "--search", "Oslo", *LATER)
    assert (oslo["superseded_at"], oslo["superseded_by"]) == (None, None)
    assert [fact["id"] for fact in ran(told, "facts", *LATER)] == [8, 6, 4, 2]
    assert ran(told, "verify") == {"ok": True, "problems": []}


@pytest.mark.parametrize("tables", [*([table] for table in TABLES), TABLES], ids=[*TABLES, "all"])
def test_what_is_emptied_by_hand_comes_back_the_same(lived: Familiar, tables: list[str]) -> None:
    connection = connect(lived.vault, vault_key(lived))
    before = rows(connection)
    assert all(before), "the story fills every table"
    connection.execute("PRAGMA foreign_keys = OFF")
    for table in tables:
        connection.execute(f"DELETE FROM {table}")
    assert tables == ["fact_blocks"] or rows(connection) != before
    connection.close()
    ran(lived, "project", "--until-idle", *LATER)
    connection = connect(lived.vault, vault_key(lived))
    assert rows(connection) == before
    connection.close()
    assert ran(lived, "verify") == {"ok": True, "problems": []}
    if tables == TABLES:
        check_beliefs(lived)
