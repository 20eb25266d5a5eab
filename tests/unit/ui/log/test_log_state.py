"""Filtering and keeping lines of the log."""

from __future__ import annotations

import logging

from familiar_app.ui.log.model import KEPT, LogModel, line_text
from tests.ui.double import DoubleLine, some_lines


def filled(count: int = 10) -> LogModel:
    model = LogModel()
    model.fill(some_lines(count))
    return model


def test_level_and_words_narrow_what_is_shown() -> None:
    model = filled()
    assert len(model.shown) == 10
    model.least_level = logging.WARNING
    model.refresh()
    assert {line.level for line in model.shown} == {30, 40}
    model.query = "OPENAI tries"
    model.refresh()
    assert [line.level for line in model.shown] == [40, 40]


def test_new_lines_are_shown_only_where_they_fit() -> None:
    model = filled(0)
    model.least_level = logging.ERROR
    for line in some_lines(5):
        model.add(line)
    assert [line.level for line in model.shown] == [40]
    assert not model.is_empty


def test_the_oldest_line_goes_when_the_ring_is_full() -> None:
    model = filled(KEPT)
    first, second = model.shown[:2]
    assert model.first_goes
    model.drop_first()
    model.add(some_lines(1)[0])
    assert first is not model.shown[0]
    assert model.shown[0] is second
    assert len(model.shown) == KEPT


def test_a_hidden_oldest_line_goes_unseen() -> None:
    model = filled(KEPT)
    model.least_level = logging.DEBUG + 1
    model.query = "endpoint"
    model.refresh()
    shown = list(model.shown)
    assert not model.first_goes
    model.add(some_lines(1)[0])
    assert model.shown == shown


def test_a_copied_line_has_time_level_part_and_text() -> None:
    line: DoubleLine = some_lines(1)[0]
    assert line_text(line) == "2024-05-01T12:00:00.000+00:00 Info     store.vault: the vault was opened in 412 ms"
