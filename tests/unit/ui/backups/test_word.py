"""Backups in words: the nearer, the shorter; what failed comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from familiar_app.domain.backup import BackupMark
from familiar_app.domain.errors import OutsideError
from familiar_app.store.backup_keeper import BackupState
from familiar_app.store.backup_shelf import KeptBackup
from familiar_app.ui.backups.word import row_text, state_text, status_text, when_text

NOW = datetime(2025, 12, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def kept(age: timedelta) -> KeptBackup:
    return KeptBackup(Path("x.backup"), BackupMark(NOW - age, "scheduled"), 12_400_000)


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (HOUR, "today at 11:00"),
        (13 * HOUR, "yesterday at 23:00"),
        (50 * HOUR, "29 November 2025 at 10:00"),
    ],
)
def test_when(age: timedelta, words: str) -> None:
    assert when_text(NOW - age, NOW, UTC) == words


def test_a_row_says_when_why_and_how_large() -> None:
    assert row_text(kept(HOUR), NOW, UTC) == ("Today at 11:00", "made by itself · 12 MB")


@pytest.mark.parametrize(
    ("age", "word", "tone"),
    [
        (timedelta(seconds=5), "Backup just now", "text_2"),
        (timedelta(minutes=40), "Backup 40 min ago", "text_2"),
        (5 * HOUR, "Backup 5 h ago", "text_2"),
        (30 * HOUR, "Backup 1 day ago", "text_2"),
        (timedelta(days=8), "Backup 8 days ago", "text_2"),
        (timedelta(days=9), "Backup 9 days ago", "warning"),
    ],
)
def test_the_status_bar_warns_of_an_old_one(age: timedelta, word: str, tone: str) -> None:
    assert status_text(BackupState(kept(age)), NOW, UTC)[::2] == (word, tone)


def test_a_failure_comes_first_and_names_the_last_good_one() -> None:
    state = BackupState(kept(30 * HOUR), failure=OutsideError("The disk is full.", "Free some space."))
    word, tip, tone = status_text(state, NOW, UTC)
    assert (word, tone) == ("Backup failed", "danger")
    assert tip == "The disk is full. Free some space. The last good backup is from yesterday at 06:00."


def test_one_under_way_tells_how_far_it_is() -> None:
    state = BackupState(kept(HOUR), part=0.4)
    assert status_text(state, NOW, UTC)[0] == "Backup 40%"
    assert state_text(state, NOW, UTC) == "A backup is being made: 40%"


def test_before_the_first() -> None:
    word, _tip, tone = status_text(BackupState(), NOW, UTC)
    assert (word, tone) == ("No backup yet", "text_3")
    assert state_text(BackupState(), NOW, UTC) == "There is no backup yet."
