"""A year with known beliefs, asked for at nine moments through the command line and on the timeline.

Both give what a table made by hand says; a correction by the owner and a rebuild change nothing in it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.clock import FixedClock, parse_time
from familiar_app.domain.fact import Fact, FactId, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.store.moment import to_micros
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault
from familiar_app.ui.timeline.correction import Corrections, Wish
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.prepare import prepare
from familiar_app.ui.timeline.span_index import Moment
from tests.e2e.cli.conftest import PASSPHRASE, Familiar
from tests.e2e.cli.telling import ran, script, take

pytestmark = pytest.mark.slow

YEAR = json.loads((Path(__file__).parent / "year.json").read_text(encoding="utf-8"))
ARIA = FamiliarId("aria")
LATER = ("--now", "2024-02-01T00:00:00Z")
BERGEN, ROWS, CORRECTED, MOVED = (FactId(number) for number in (10, 11, 13, 14))
NORA, EMIL = PersonKey("discord:11"), Subject(PersonKey("discord:12"), "Emil")
Told = list[tuple[int, str]]


@pytest.fixture(scope="module")
def year(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Familiar:
    """The year, told once."""
    folder = tmp_path_factory.mktemp("year")
    familiar = Familiar(folder / "root", folder / "outside")
    shutil.copytree(template, familiar.profile)
    changes = {
        "models.background.provider": "scripted",
        "models.background.model": str(script(familiar, [])),
        "providers.memory.projectors": ["rich_note", "fact_supersede"],
    }
    Profile(familiar.profile).save_config(ARIA, changes)
    for number, step in enumerate(YEAR["steps"]):
        take(familiar, YEAR["people"], step, number)
    script(familiar, [])
    return familiar


@pytest.fixture
def lived(year: Familiar, tmp_path: Path) -> Familiar:
    """A copy of the year's profile; no answer of a model is at hand."""
    familiar = Familiar(tmp_path / "root", year.outside)
    shutil.copytree(year.profile, familiar.profile)
    return familiar


@asynccontextmanager
async def opened(familiar: Familiar, clock: FixedClock) -> AsyncIterator[Vault]:
    vault = await Vault.open(familiar.vault, clock=clock, passphrase=PASSPHRASE)
    try:
        yield vault
    finally:
        await vault.close()


def expected(look: dict[str, Any]) -> Told:
    return [(number, YEAR["texts"][str(number)]) for number in look["believed"]]


def printed(familiar: Familiar, look: dict[str, Any]) -> Told:
    known_at = () if look["known_at"] is None else ("--known-at", look["known_at"])
    found = ran(familiar, "facts", "--as-of", look["as_of"], *known_at, *LATER)
    return [(fact["id"], fact["text"]) for fact in found]


async def timeline(vault: Vault, clock: FixedClock) -> TimelineModel:
    """Read the timeline as its panel does."""
    model = TimelineModel(lambda: to_micros(clock.now()))
    model.take(prepare(await vault.facts.spans(ARIA), (), model.filter, model.axis))
    model.take_wording(await vault.facts.wording(ARIA))
    return model


def shown(model: TimelineModel, look: dict[str, Any]) -> Told:
    known_at = None if look["known_at"] is None else to_micros(parse_time(look["known_at"]))
    model.go(Moment(to_micros(parse_time(look["as_of"])), known_at))
    return [(model.fact_at(row), model.text(row)) for row in model.rows().tolist()]


def check_timeline(familiar: Familiar, *, today: list[int]) -> list[Fact]:
    """Compare the timeline with the table; returns all facts as they are stored."""

    async def look_at() -> list[Fact]:
        clock = FixedClock(parse_time(LATER[1]))
        async with opened(familiar, clock) as vault:
            model = await timeline(vault, clock)
            stored = await vault.facts.many([model.fact_at(row) for row in range(model.size)])
        assert [model.fact_at(row) for row in model.rows().tolist()] == today
        for look in YEAR["looks"]:
            assert shown(model, look) == expected(look), look["what"]
        return stored

    assert len(YEAR["looks"]) == 9
    return asyncio.run(look_at())


def check_command_line(familiar: Familiar, *, today: list[int]) -> None:
    for look in YEAR["looks"]:
        assert printed(familiar, look) == expected(look), look["what"]
    assert [fact["id"] for fact in ran(familiar, "facts", *LATER)] == today


def test_the_command_line_and_the_timeline_tell_the_same_at_nine_moments(year: Familiar) -> None:
    check_command_line(year, today=YEAR["today"])
    assert len(check_timeline(year, today=YEAR["today"])) == len(YEAR["texts"])
    (turin,) = ran(year, "facts", "--as-of", "2023-02-01", "--known-at", "2023-02-01", "--search", "Turin", *LATER)
    (subject,) = turin["subjects"]
    assert (subject["display_at_write"], subject["display_now"]) == ("Nora", "Nora Vale")
    assert turin["superseded_at"] is None
    # The turns came in portions, each when its import ran.
    arrived = [turn["arrived_at"] for turn in ran(year, "turns", "--channel", "discord:10", "--limit", "50")]
    assert arrived == [step["now"] for step in YEAR["steps"] for _ in step.get("import", ())]
    assert ran(year, "verify") == {"ok": True, "problems": []}


async def correct(familiar: Familiar) -> None:
    """Correct what a fact says and whom one is about on the timeline, take both back, do both again, a day apart."""
    clock = FixedClock(parse_time("2024-01-05T12:00:00Z"))
    async with opened(familiar, clock) as vault:
        corrections = Corrections(vault.facts, ARIA)
        bergen, rows = await vault.facts.many([BERGEN, ROWS])
        wish = Wish("Nora lives on an island off Bergen.", bergen.subjects, bergen.valid.since, None, 7)
        assert (await corrections.edit(bergen, wish)).id == CORRECTED
        assert await corrections.reassign([rows], NORA, (EMIL,)) == 1
        clock.instant = parse_time("2024-01-06T12:00:00Z")
        assert [await corrections.undo() for _ in range(3)] == ["About somebody else", "Fact changed", ""]
        before = (await timeline(vault, clock)).rows_of(YEAR["today"])
        assert sorted((await timeline(vault, clock)).rows().tolist()) == sorted(before.tolist())
        clock.instant = parse_time("2024-01-07T12:00:00Z")
        assert [await corrections.redo() for _ in range(3)] == ["Fact changed", "About somebody else", ""]


def test_corrections_and_a_rebuild_leave_the_year_as_it_was(lived: Familiar) -> None:
    asyncio.run(correct(lived))
    after = [MOVED, CORRECTED, *(number for number in YEAR["today"] if number not in (BERGEN, ROWS))]
    before = check_timeline(lived, today=after)
    ran(lived, "rebuild", "all", "--now", "2024-01-10T12:00:00Z")
    assert check_timeline(lived, today=after) == before
    check_command_line(lived, today=after)
    for number, prior, text, about in (
        (CORRECTED, BERGEN, "Nora lives on an island off Bergen.", NORA),
        (MOVED, ROWS, "Nora rows every morning.", EMIL.key),
    ):
        found = ran(lived, "fact", "show", str(number), *LATER)
        assert (found["text"], found["supersedes"]) == (text, [prior])
        assert [one["key"] for one in found["subjects"]] == [about]
        assert [[one["from"], one["to"]] for one in found["beliefs"]] == [
            ["2024-01-05T12:00:00Z", "2024-01-06T12:00:00Z"],
            ["2024-01-07T12:00:00Z", None],
        ]
    assert ran(lived, "verify") == {"ok": True, "problems": []}
