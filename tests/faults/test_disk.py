"""A disk that is full, read-only or slow, and a program that is started twice: said clearly, with nothing lost."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cli.conftest import PATIENCE_S, Familiar
from tests.faults import check
from tests.faults.act import lines_of
from tests.faults.fault import from_
from tests.faults.house import House, Known, Nursery, Ran
from tests.unit.store.test_disk import mount

pytestmark = pytest.mark.slow


def well(house: House) -> Known:
    found = house.look()
    assert isinstance(found, Known), found
    assert not found.problems
    return found


def told(ran: Ran, code: int, *words: str) -> None:
    assert ran.code == code, ran.out + ran.err
    assert not list(check.ending(ran))
    for word in words:
        assert word in ran.out + ran.err


@pytest.fixture
def small(past: House, nursery: Nursery, tmp_path: Path) -> Iterator[House]:
    """A house on a disk of its own with six megabytes."""
    disk = tmp_path / "small"
    disk.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=6m", "small", str(disk)):
        pytest.skip("needs the right to mount a small file system (root on Linux)")
    house = House(Familiar(disk / "root", tmp_path / "outside"), nursery)
    house.begin_again(past)
    yield house
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_is_told_and_room_is_all_it_needs(small: House) -> None:
    number, ran = 0, small.run("say", "hello")
    while ran.code == 0:
        number += 1
        ran = small.run("import", str(lines_of(small.outside / f"{number}.jsonl", f"n{number}", 2_000)))
        assert number < 40, "the disk never became full"
    told(ran, 5, "no room left", "Free some space")
    stored = well(small).turns
    assert len(stored) >= 2_000 * (number - 1)
    assert mount("-o", "remount,size=64m", str(small.base))
    again = small.run("import", str(small.outside / f"{number}.jsonl"), "--json")
    assert again.code == 0, again.out
    assert len(well(small).turns) == len(stored) + again.json["taken"]
    assert not list(check.no_litter(small))


@pytest.mark.parametrize("act", [("backup",), ("rekey",), ("vacuum",), ("salvage",)], ids=lambda act: act[0])
def test_what_needs_as_much_room_again_says_so_and_changes_nothing(small: House, act: tuple[str, ...]) -> None:
    before = well(small).turns
    filler = small.base / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(small.base).free - 200_000))
    told(small.run(*act), 5, "room", "Free some space")
    assert well(small).turns == before
    filler.unlink()
    assert not list(check.no_litter(small))
    assert small.run("say", "still here").code == 0


def test_a_read_only_folder_says_what_it_needs(house: House) -> None:
    before = well(house).turns
    if not mount("--bind", str(house.profile), str(house.profile)):
        pytest.skip("needs the right to mount a folder read-only (root on Linux)")
    try:
        assert mount("-o", "remount,bind,ro", str(house.profile))
        for act in (("say", "hello"), ("turns",), ("fact", "add", "It rains."), ("rekey",), ("vacuum",), ("backup",)):
            told(house.run(*act), 5, "cannot be written to", "permission")
    finally:
        subprocess.run(["umount", "-l", str(house.profile)], check=True)
    assert well(house).turns == before


def test_a_slow_disk_only_takes_longer(house: House) -> None:
    ran = house.run("say", "take your time", fault=from_(1).sync.waits(0.3))
    assert ran.code == 0, ran.err
    assert "take your time" in well(house).turns.values()


def test_of_two_starts_at_once_one_waits_its_turn(house: House) -> None:
    for _ in range(3):
        both = [house.familiar.start("say", f"from {number}") for number in range(2)]
        ended = [(one.communicate(timeout=PATIENCE_S), one.returncode) for one in both]
        for number, ((_, err), code) in enumerate(ended):
            assert code in (0, 3), err
            assert code == 0 or "in use by another running Familiar" in err
            assert (f"from {number}" in well(house).turns.values()) or code == 3
        assert any(code == 0 for _, code in ended)


def test_of_two_set_ups_at_once_one_makes_the_profile(house: House) -> None:
    shutil.rmtree(house.profile)
    script = house.outside / "answers.jsonl"
    both = [house.familiar.start("init", "--name", name, "--model", f"scripted:{script}") for name in ("Aria", "Bela")]
    ended = [(one.communicate(timeout=PATIENCE_S)[1], one.returncode) for one in both]
    assert all(code in (0, 3, 4) for _, code in ended), ended
    assert any(code == 0 for _, code in ended), ended
    well(house)
    assert house.run("say", "hello", "--familiar", "aria" if ended[0][1] == 0 else "bela").code == 0
    assert not list(check.no_litter(house))
