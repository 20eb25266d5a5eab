"""A clock that is wrong, jumps, or changes its zone: nothing is lost, and no order depends on it."""

from __future__ import annotations

import pytest

from tests.faults.act import LINES, lines_of
from tests.faults.fault import YEAR_S, at
from tests.faults.house import House, Known

pytestmark = pytest.mark.slow
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu")


def well(house: House) -> Known:
    found = house.look()
    assert isinstance(found, Known), found
    assert not found.problems, found.problems
    return found


def done(house: House, *argv: str, **more: str | None) -> object:
    ran = house.run(*argv, "--json", **more)
    assert ran.code == 0, ran.out + ran.err
    return ran.json


def test_a_clock_that_goes_back_a_year_loses_and_mixes_nothing(house: House) -> None:
    done(house, "--now", "2027-06-01T10:00:00Z", "say", "in the year to come")
    late = done(house, "--now", "2027-06-01T10:01:00Z", "fact", "add", "The mill burns.", "--subject", "discord:1")
    done(house, "--now", "2026-06-01T10:00:00Z", "say", "a year before")
    done(house, "--now", "2026-06-01T10:01:00Z", "fact", "add", "The mill is wet.", "--subject", "discord:1")
    done(house, "--now", "2026-06-01T10:02:00Z", "fact", "retire", str(late["id"]))  # type: ignore[index]
    texts = list(well(house).turns.values())
    assert texts.index("in the year to come") < texts.index("a year before")
    restored = done(house, "--now", "2026-06-01T10:03:00Z", "fact", "restore", str(late["id"]))  # type: ignore[index]
    assert restored
    believed = done(house, "--now", "2028-01-01", "facts")
    assert {"The mill burns.", "The mill is wet."} <= {fact["text"] for fact in believed}  # type: ignore[attr-defined]
    done(house, "rebuild", "all")
    well(house)
    again = done(house, "--now", "2028-01-01", "facts")
    assert sorted(str(fact) for fact in again) == sorted(str(fact) for fact in believed)  # type: ignore[attr-defined]


@pytest.mark.parametrize("seconds", [-YEAR_S, YEAR_S], ids=["back", "forward"])
@pytest.mark.parametrize("nth", [1, 3, 5])
def test_a_clock_that_jumps_while_the_program_runs_harms_nothing(house: House, nth: int, seconds: int) -> None:
    jump = at(nth).sync.jumps(seconds)
    for argv in (("say", "tick"), ("import", str(lines_of(house.outside / "new.jsonl", "new", LINES)))):
        ran = house.run(*argv, fault=jump)
        assert ran.code == 0, ran.err
    texts = list(well(house).turns.values())
    assert texts.index("tick") < next(place for place, text in enumerate(texts) if text.startswith("new 0 "))
    assert sum(text.startswith("new ") for text in texts) == LINES
    assert done(house, "turns", "--limit", "1")[0]["content"].startswith(f"new {LINES - 1} ")  # type: ignore[index]


def test_a_backup_from_a_clock_that_was_wrong_does_not_push_out_the_right_ones(house: House) -> None:
    for now in ("2026-06-01", "2031-01-01", "2026-06-02"):
        done(house, "--now", now, "backup")
    listed = str(done(house, "backup", "--list"))
    assert listed.count(".backup") >= 3


def test_zones_and_the_hour_that_comes_twice_change_nothing_that_is_stored(house: House) -> None:
    # The clocks of Berlin go back from three to two at 01:00 UTC of this night.
    for minute, zone in enumerate(ZONES):
        done(house, "--now", f"2026-10-25T00:3{minute}:00Z", "say", f"first {minute}", TZ=zone)
        done(house, "--now", f"2026-10-25T01:3{minute}:00Z", "say", f"second {minute}", TZ=zone)
    done(house, "--now", "2026-10-25T01:40:00Z", "fact", "add", "It is late.", "--from", "2026-10-25T02:30:00+02:00")
    well(house)
    looks = (
        ("turns", "--limit", "40"),
        ("facts", "--as-of", "2026-10-25T00:45:00"),
        ("facts", "--known-at", "2026-10-25T01:45"),
    )
    for look in looks:
        seen = [done(house, *look, TZ=zone) for zone in ZONES]
        assert all(one == seen[0] for one in seen[1:]), look
        assert seen[0], look
    at_s = [turn["at"] for turn in done(house, "turns", "--limit", "20") if turn["role"] == "user"]  # type: ignore
    assert at_s[0].startswith("2026-10-25T00:30:00")
    assert at_s[1].startswith("2026-10-25T01:30:00")
