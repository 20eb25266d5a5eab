"""The upkeep of memory in words: being behind, waiting for more, failing, and what comes first in the status bar."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.projectors.registry import known_projectors
from familiar_app.projectors.status import ProjectorStatus
from familiar_app.store.health import Drawn, ProjectorFigures
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.ui.kit.projector_name import PROJECTORS
from familiar_app.ui.upkeep.came import came_text
from familiar_app.ui.upkeep.word import Row, cost_text, count, index_text, pulse_of, row_of

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
READY = IndexStatus("ready", 3, 3)
FIGURES = ProjectorFigures("rich_note", 12, 1, {"privacy": 2, "no text": 1}, 3400, 42_000.0, NOON)


def row(name: str = "rich_note", *, batch: int = 1, work: str = "", **changes: Any) -> Row:
    return row_of(ProjectorStatus(name, **changes), None, batch, UTC, work=work)


def test_every_projector_of_the_program_has_words() -> None:
    assert set(known_projectors()) == set(PROJECTORS)


@pytest.mark.parametrize(
    ("changes", "batch", "state", "due"),
    [
        ({"lag": 0}, 1, "Nothing to do yet", 0),
        ({"lag": 0, "watermark": 7}, 1, "Up to date", 0),
        ({"lag": 1}, 1, "1 turn behind", 1),
        ({"lag": 1200}, 1, "1,200 turns behind", 1200),
        ({"lag": 9}, 10, "Up to date; goes on after 1 more", 0),
        ({"lag": 10}, 10, "10 turns behind", 10),
        ({"lag": 24, "fullest": 7}, 10, "Up to date; the fullest channel goes on after 3 more", 0),
        ({"lag": 24, "fullest": 10}, 10, "24 turns behind", 24),
        ({"lag": 4, "paused": True}, 1, "Paused, 4 turns behind", 4),
        ({"lag": 4, "last_error": "No answer."}, 1, "Failed, 4 turns behind", 4),
        ({"lag": 0, "last_error": "No answer."}, 1, "Failed in its last run", 0),
    ],
)
def test_how_a_projector_stands(changes: dict[str, Any], batch: int, state: str, due: int) -> None:
    made = row(batch=batch, **changes)
    assert (made.state, made.due) == (state, due)


def test_what_came_in_a_wrong_form_is_not_called_up_to_date() -> None:
    broken = replace(FIGURES, last_malformed=True)
    made = row_of(ProjectorStatus("rich_note", watermark=7, lag=0), broken, 1, UTC)
    assert (made.tone, "wrong form" in made.state, "Up to date" in made.state) == ("warning", True, False)
    behind = row_of(ProjectorStatus("rich_note", watermark=7, lag=2), broken, 1, UTC)
    assert behind.state == "2 turns behind"


NOTHING = Drawn(0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("after", "text"),
    [
        (NOTHING, "Nothing new came of it."),
        (Drawn(1, 0, 2, 0, 0, 0), "This came of it: 1 new fact, 2 portraits."),
        (
            Drawn(0, 0, 0, 0, 0, 1),
            "Nothing new came of it. 1 answer of the model came in a wrong form and counts as empty.",
        ),
        (
            Drawn(1200, 2, 0, 1, 3, 0),
            "This came of it: 1,200 new facts, 2 facts that contradict others, 1 part of a story, 3 thoughts.",
        ),
    ],
)
def test_what_came_of_a_run(after: Drawn, text: str) -> None:
    assert came_text(NOTHING, after) == text


def test_one_person_is_no_people() -> None:
    assert row("people_dossier", lag=1).state == "1 person behind"
    assert count(2, "people") == "2 people"


def test_figures_name_what_guards_dropped() -> None:
    made = row_of(ProjectorStatus("rich_note", last_run_at=NOON, failures=3), FIGURES, 1, UTC)
    assert made.figures == (
        "Last run: 2024-05-01 12:00",
        "12 answers, 3,400 tokens, 42.0 s",
        "In a wrong form: 1",
        "Dropped by guards: no text 1, privacy 2",
        "Failed runs: 3",
    )


def test_a_guard_that_dropped_nothing_is_not_named() -> None:
    spared = ProjectorFigures("rich_note", 4, 0, {"own word about others": 0}, 5377, 0.0, NOON)
    assert row_of(ProjectorStatus("rich_note"), spared, 1, UTC).figures == (
        "Last run: never",
        "4 answers, 5,377 tokens, 0.0 s",
    )


def test_an_installed_projector_is_called_by_its_name() -> None:
    made = row("weather", lag=2)
    assert (made.title, made.state, made.asks) == ("weather", "2 things behind", True)


@pytest.mark.parametrize(
    ("rows", "index", "weak", "text"),
    [
        ((), READY, False, "memory: off"),
        ((row(lag=0),), READY, False, "memory: up to date"),
        ((row(lag=0),), READY, True, "memory: by hand"),
        ((row(lag=3), row("reflection", lag=19, batch=20)), READY, False, "memory: 3 behind"),
        ((row(lag=3),), READY, True, "memory: 3 behind, by hand"),
        ((row(lag=3, paused=True), row("reflection", lag=0)), READY, False, "memory: up to date"),
        ((row(lag=3, paused=True),), READY, False, "memory: paused"),
        ((row(lag=3, last_error="No."), row("reflection")), READY, False, "memory: not working"),
        ((row(lag=3, last_error="No.", work="Running…"),), READY, False, "memory: working"),
        ((row(lag=3, last_error="No.", paused=True), row("reflection", lag=0)), READY, False, "memory: up to date"),
        ((row(lag=3),), IndexStatus("failed"), False, "memory: search not working"),
        ((row(lag=3),), IndexStatus("building", 1, 3), False, "memory: indexing"),
    ],
)
def test_the_word_in_the_status_bar(rows: tuple[Row, ...], index: IndexStatus, weak: bool, text: str) -> None:
    assert pulse_of(rows, index, weak=weak).text == text


def test_how_the_index_stands() -> None:
    assert index_text(IndexStatus("building", 1200, 5000)) == "Being built: 1,200 of 5,000 messages so far."
    assert index_text(IndexStatus("ready", 1)) == "Ready: 1 message."
    assert "nothing is found" in index_text(IndexStatus("failed", error=OutsideError("The disk is full.")))


def test_what_asking_again_takes() -> None:
    assert "12 answers, 3,400 tokens and 42 seconds" in cost_text(FIGURES)
    assert "nobody knows yet" in cost_text(None)
