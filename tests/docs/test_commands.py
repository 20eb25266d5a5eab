"""The examples of the manual, run in their order by the real program; those of other pages are at least understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.cli.parser import parse
from tests.docs.pages import MANUAL, commands, documents
from tests.e2e.cli.conftest import Familiar

NOT_RUN = ("serve",)
"""Stays until it is told to end; `tests/e2e/discord` runs it."""
WITH_EXAMPLES = [page for page in sorted(MANUAL.glob("*.md")) if commands(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_do_what_they_should(page: Path, ada: Familiar) -> None:
    for argv in commands(page):
        if argv[0] in NOT_RUN:
            continue
        done = ada(*argv)
        assert done.code == 0, f"familiar {' '.join(argv)}: {done.err}"


@pytest.mark.parametrize("page", [one for one in documents() if commands(one)], ids=lambda page: page.stem)
def test_every_example_is_understood(page: Path) -> None:
    for argv in commands(page):
        assert parse(argv).handler is not None, argv
