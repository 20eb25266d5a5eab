"""A bit flips in each region of a profile: it is told, nothing is written over it, and the way back works."""

from __future__ import annotations

import random
import shutil

import pytest

from tests.faults import check, damage
from tests.faults.act import PAST_LINES
from tests.faults.damage import DATABASE, KEYS, LOG, TEXTS
from tests.faults.house import House, Known, Ran

pytestmark = pytest.mark.slow
FLIPS = 4


def told(ran: Ran) -> str:
    """What was said, once it is clear that it was said properly."""
    assert not list(check.ending(ran)), list(check.ending(ran))
    return ran.out + ran.err


@pytest.mark.parametrize("region", [*DATABASE, *KEYS])
def test_damage_of_the_vault_is_told_never_written_over_and_a_backup_brings_it_back(
    house: House, past: House, region: str
) -> None:
    chance = random.Random(region)
    for _ in range(FLIPS):
        house.begin_again(past)
        flip = (DATABASE | KEYS)[region](house, chance)
        flip.do()
        hit = flip.path.read_bytes()
        verified = house.run("verify", "--json")
        assert verified.code in (3, 5), f"{flip}: {told(verified)}"
        if verified.code == 5 and "problems" in verified.json:
            assert all("restore" in one["how_to_mend"] for one in verified.json["problems"]), str(flip)
        else:
            told(verified)
        assert flip.path.read_bytes() == hit, f"{flip} was written over by a check"
        kept = str(house.outside / "kept.backup")
        restored = house.run("restore", kept)
        assert restored.code == 0, f"{flip}: {told(restored)}"
        found = house.look()
        assert isinstance(found, Known), f"{flip}: {found}"
        assert not found.problems
        assert len(found.turns) > PAST_LINES


def test_a_journal_of_the_vault_that_was_is_not_played_into_a_restored_one(house: House) -> None:
    (house.profile / "vault.db-journal").write_bytes(b"left of a change of the vault that was")
    restored = house.run("restore", str(house.outside / "kept.backup"), "--json")
    assert restored.code == 0, told(restored)
    assert not (house.profile / "vault.db-journal").exists()
    found = house.look()
    assert isinstance(found, Known)
    assert not found.problems


def test_a_damaged_page_costs_no_text_that_can_be_read_and_gives_no_wrong_one(house: House, past: House) -> None:
    chance = random.Random(11)
    whole = past.look()
    assert isinstance(whole, Known)
    for _ in range(FLIPS):
        house.begin_again(past)
        DATABASE["a page"](house, chance).do()
        said = house.run("say", "is anybody there?")
        told(said)
        saved = house.run("salvage", "--json")
        assert saved.code == 0, told(saved)
        found = house.look()
        assert isinstance(found, Known), found
        assert not found.problems
        wrong = [key for key, text in found.turns.items() if key in whole.turns and text not in ("", whole.turns[key])]
        assert not wrong
        assert not list(check.no_litter(house))


@pytest.mark.parametrize("region", LOG)
def test_damage_of_the_log_of_changes_is_told(house: House, past: House, region: str) -> None:
    chance = random.Random(region)
    damage.leave_log(house, past)
    kept = house.base.with_name("kept")
    shutil.copytree(house.profile, kept)
    whole = house.look()
    assert isinstance(whole, Known)
    told_of = 0
    for _ in range(2 * FLIPS):
        shutil.rmtree(house.profile)
        shutil.copytree(kept, house.profile)
        flip = LOG[region](house, chance)
        at_the_end = flip.in_last_commit
        flip.do()
        hit = flip.path.read_bytes()
        ran = house.run("verify", "--json")
        if ran.code == 5:
            told_of += 1
            assert "log of changes" in ran.json["problems"][0]["what"]
            assert "salvage" in ran.json["problems"][0]["how_to_mend"]
            assert flip.path.read_bytes() == hit, f"{flip} was written over"
            saved = house.run("salvage", "--json")
            assert (saved.code, saved.json["whole"]) == (0, False), told(saved)
        found = house.look()
        assert isinstance(found, Known), found
        assert not found.problems
        lost = {key: text for key, text in whole.turns.items() if found.turns.get(key) != text}
        assert not lost or ran.code == 5 or at_the_end, (
            f"{flip}: {len(lost)} acknowledged turns are gone without a word"
        )
    assert told_of >= FLIPS, "too few flips hit what had been stored"


@pytest.mark.parametrize("region", TEXTS)
def test_a_damaged_text_is_named_or_does_no_harm(house: House, past: House, region: str) -> None:
    chance = random.Random(region)
    for _ in range(2 * FLIPS):
        house.begin_again(past)
        if not (house.profile / "familiars/aria/lorebook.toml").exists():
            (house.profile / "familiars/aria/lorebook.toml").write_text(BOOK, encoding="utf-8")
        flip = TEXTS[region](house, chance)
        flip.do()
        hit = flip.path.read_bytes()
        ran = house.run("say", "hello there")
        words = told(ran)
        if ran.code != 0:
            assert len(words) > 40, f"{flip}: {words}"
            assert flip.path.read_bytes() == hit, f"{flip} was written over"
        found = house.look()
        assert isinstance(found, Known)
        assert not found.problems


BOOK = """\
[[entries]]
name = "Mill"
keys = ["mill", "wheel"]
content = "The mill stands by the river."
"""
