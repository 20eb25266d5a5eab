"""Links and pictures of the pages lead somewhere, and what the manual quotes is what the program says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from familiar_app.ui.help.page import anchor_of
from tests.docs.pages import MANUAL, PROJECT, documents, first_cells, headings, targets

PAGES = documents()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_no_link_is_dead(page: Path) -> None:
    dead = []
    for target in targets(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / unquote(path)).resolve() if path else page
        if not file.exists() or (anchor and anchor not in map(anchor_of, headings(file))):
            dead.append(target)
    assert dead == []


def test_every_page_of_the_manual_can_be_reached_from_its_first() -> None:
    linked = {target.partition("#")[0] for target in targets(MANUAL / "index.md")}
    assert {page.name for page in MANUAL.glob("*.md")} - linked == {"index.md"}


def test_every_picture_has_a_light_and_a_dark_form_and_is_shown_somewhere() -> None:
    pictures = {file.name for file in (PROJECT / "docs" / "pictures").iterdir()}
    shown = {target.rpartition("/")[2] for page in PAGES for target in targets(page) if target.endswith(".png")}
    assert {name.replace("-light", "-dark") for name in pictures if "-light" in name} <= pictures
    assert {name for name in pictures if "-light" in name} == shown


def sentences() -> str:
    """Return every text that the program is made of, with `…` for what is filled in."""
    found = []
    for file in (PROJECT / "familiar_app").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                found.append("".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"\{[^{}]*\}", "…", node.value))
    return "\n".join(found)


def test_each_sentence_in_troubleshooting_is_one_that_the_program_says() -> None:
    said = sentences()
    quoted = list(first_cells(MANUAL / "troubleshooting.md", "it says"))
    assert len(quoted) > 35
    assert [one for one in quoted if one not in said] == []
