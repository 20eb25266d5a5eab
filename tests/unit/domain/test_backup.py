"""Which backups fall due, and which may go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.backup import BackupMark, KeepRule, backup_name, is_due, mark_of, outdated, spared_until

NOW = datetime(2025, 12, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
RULE = KeepRule(daily=7, weekly=4, monthly=6)
ALL = KeepRule(daily=366, weekly=520, monthly=1200)

marks = st.builds(
    BackupMark,
    st.integers(0, 60_000_000).map(lambda seconds: NOW - timedelta(seconds=seconds)),
    st.sampled_from(["asked", "scheduled", "upgrade"]),
)


@given(marks, st.integers(1, 9))
def test_a_name_says_when_and_why(mark: BackupMark, number: int) -> None:
    assert mark_of(backup_name(mark, number)) == mark


def test_other_names_are_nobodys_backup() -> None:
    assert mark_of("familiar-20251399T000000Z-asked.backup") is None
    assert mark_of("familiar-20251201T000000Z-because.backup") is None
    assert mark_of(".familiar-20251201T000000Z-asked.backup.writing") is None


def test_the_next_falls_due_after_its_time() -> None:
    assert is_due(None, NOW, DAY)
    assert not is_due(NOW - DAY + timedelta(seconds=1), NOW, DAY)
    assert is_due(NOW - DAY, NOW, DAY)
    assert not is_due(None, NOW, timedelta(0))
    assert is_due(NOW + DAY, NOW, DAY), "a clock that ran ahead must not put off backups for ever"


def test_daily_ones_thin_out_to_weeks_and_months() -> None:
    daily = [BackupMark(NOW - DAY * back, "scheduled") for back in range(200)]
    kept = sorted(set(daily) - outdated(daily, NOW, RULE), key=lambda mark: mark.made_at, reverse=True)
    days = [mark.made_at.strftime("%m-%d") for mark in kept]
    assert days == [
        *("12-01", "11-30", "11-29", "11-28", "11-27", "11-26", "11-25"),  # days, and the ends of two weeks
        *("11-23", "11-16"),  # ends of weeks
        *("10-31", "09-30", "08-31", "07-31"),  # ends of months
    ]


def test_one_that_was_asked_for_stays_thirty_days() -> None:
    young, old = BackupMark(NOW - DAY * 29, "asked"), BackupMark(NOW - DAY * 31, "asked")
    newer = [BackupMark(NOW - DAY * back, "scheduled") for back in range(3)]
    assert outdated([young, old, *newer], NOW, KeepRule(2, 0, 0)) == {old, newer[2]}
    assert spared_until(young) == NOW + DAY
    assert spared_until(newer[0]) is None


def test_of_one_day_those_made_by_themselves_go_before_one_that_was_asked_for() -> None:
    day = NOW - DAY * 5
    asked = BackupMark(day, "asked")
    others = [BackupMark(day + timedelta(hours=hours), "scheduled") for hours in (-2, 3)]
    newest = BackupMark(NOW, "scheduled")
    assert outdated([asked, *others, newest], NOW, KeepRule(7, 0, 0)) == set(others)
    assert outdated([*others, newest], NOW, KeepRule(7, 0, 0)) == {others[0]}
    later = NOW + DAY * 200
    assert outdated([asked, *others, newest], later, KeepRule(7, 0, 0)) == set(others), "also when thirty days are over"


def test_what_was_erased_is_gone_from_backups_after_thirty_days() -> None:
    erased_at = NOW - DAY * 30
    before, after = BackupMark(erased_at - DAY, "asked"), BackupMark(erased_at + DAY, "scheduled")
    assert outdated([before, after], NOW, ALL, [erased_at]) == {before}
    assert outdated([before, after], NOW - timedelta(seconds=1), ALL, [erased_at]) == set()
    assert outdated([before], NOW, ALL, [erased_at]) == {before}, "also where it is the only one"
    assert outdated([before, after], NOW, ALL, [erased_at, NOW]) == {before}, "a later erasure puts nothing off"


@given(st.lists(marks, max_size=30), st.integers(0, 8), st.integers(0, 5), st.integers(0, 7))
def test_thinning_keeps_the_newest_and_settles(made: list[BackupMark], daily: int, weekly: int, monthly: int) -> None:
    rule = KeepRule(daily, weekly, monthly)
    kept = set(made) - outdated(made, NOW, rule)
    if made:
        assert max(made, key=lambda mark: mark.made_at).made_at in {mark.made_at for mark in kept}
    assert outdated(kept, NOW, rule) == set()
