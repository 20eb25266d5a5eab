"""The page about looking inside: its script opens a vault, its tables are those there are, what it empties returns."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import PROJECT, first_cells, tokens_of
from tests.e2e.cli.conftest import PASSPHRASE, PATIENCE_S, Familiar

PAGE = PROJECT / "docs" / "operating.md"


def look(familiar: Familiar, script: Path, sql: str) -> list[list[str]]:
    """Run the script of the page, with the passphrase typed."""
    ran = subprocess.run(
        [sys.executable, str(script), str(familiar.profile), sql],
        env=familiar.environment(),
        input=f"{PASSPHRASE}\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        start_new_session=True,  # so that there is no terminal to be asked
    )
    assert ran.returncode == 0, ran.stderr
    return [line.split("\t") for line in ran.stdout.splitlines()]


@pytest.fixture
def script(ada: Familiar) -> Path:
    path = ada.outside / "look.py"
    (block,) = [token.content for token in tokens_of(PAGE) if token.type == "fence" and token.info == "python"]
    path.write_text(block, encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_page_names_every_table_of_a_vault_and_no_other(ada: Familiar, script: Path) -> None:
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    there = {row[0] for row in look(ada, script, sql)}
    named = {name for cell in first_cells(PAGE, "table") for name in re.split(r",\s*", cell)}
    assert there - named == set(), "docs/operating.md has to say what these hold"
    assert named - there == set()


@pytest.mark.slow
def test_what_is_drawn_comes_back_after_it_was_emptied(ada: Familiar, script: Path) -> None:
    assert ada("fact", "add", "Ann lives in Rome", "--subject", "discord:123").code == 0
    assert ada("memory", "add", "{user} likes tea", "--person", "discord:123").code == 0
    before = [ada(*argv, "--json").json for argv in (("facts",), ("memory", "list"))]
    assert [len(one) for one in before] == [1, 1]
    for table in ("facts", "saved_memories"):
        look(ada, script, f"DELETE FROM {table}")
    assert look(ada, script, "SELECT count(*) FROM facts") == [["0"]]
    assert ada("project", "--until-idle").code == 0
    assert [ada(*argv, "--json").json for argv in (("facts",), ("memory", "list"))] == before
