"""The lorebook files of a familiar: where they lie, and what lets a channel have one."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.store.book_shelf import BookShelf
from familiar_app.store.profile import Profile

MIRA = FamiliarId("mira")


@pytest.fixture
def profile(profile_dir: Path) -> Profile:
    made = Profile(profile_dir)
    made.add_familiar(MIRA, CharacterCard(name="Mira"), {}, "00000000-0000-4000-8000-000000000000")
    return made


def told(shelf: BookShelf) -> list[tuple[str, str, tuple[str, ...], int]]:
    return [(one.name, one.binding, one.channels, one.entries) for one in shelf.books()]


def test_books_are_listed_with_what_binds_them(profile: Profile) -> None:
    shelf = BookShelf(profile, MIRA)
    assert told(shelf) == [("lorebook", "familiar", (), 0)]
    shelf.own.write_text('name = "The town"\n[[entries]]\nkeys = ["a"]\n[[entries]]\nkeys = ["b"]\n', encoding="utf-8")
    world = shelf.make('The "World"/Atlas', "everywhere")
    assert world.name == "The -World-Atlas.toml"
    inn = shelf.make("The inn", "channel")
    assert told(shelf) == [
        ("The town", "familiar", (), 2),
        ('The "World"/Atlas', "everywhere", (), 0),
        ("The inn", "nowhere", (), 0),
    ]
    changes = shelf.naming(inn, ("local:main", "discord:7"), profile.config(MIRA))
    profile.save_config(MIRA, changes)
    assert told(shelf)[1] == ("The inn", "channel", ("discord:7", "local:main"), 0)


def test_a_channel_that_no_longer_has_a_book_keeps_its_others(profile: Profile) -> None:
    shelf = BookShelf(profile, MIRA)
    inn, mill = shelf.make("inn", "channel"), shelf.make("mill", "channel")
    for path in (inn, mill):
        profile.save_config(MIRA, shelf.naming(path, ("local:main",), profile.config(MIRA)))
    profile.save_config(MIRA, shelf.naming(inn, (), profile.config(MIRA)))
    assert profile.config(MIRA).channels["local:main"].lorebooks == ("mill",)
    assert shelf.naming(inn, (), profile.config(MIRA)) == {}


def test_a_name_that_is_taken_gets_a_number(profile: Profile) -> None:
    shelf = BookShelf(profile, MIRA)
    assert [shelf.make(name, "everywhere").name for name in ("Inn", "inn", "..")] == [
        "Inn.toml",
        "inn-2.toml",
        "lorebook.toml",
    ]


def test_books_move_between_their_places_and_the_own_one_stays(profile: Profile) -> None:
    shelf = BookShelf(profile, MIRA)
    inn = shelf.make("inn", "channel")
    moved = shelf.move(inn, "everywhere")
    assert (moved, inn.exists()) == (profile.root / "lorebooks" / "inn.toml", False)
    assert shelf.move(moved, "everywhere") == moved
    with pytest.raises(UserError, match="stays with it"):
        shelf.move(shelf.own, "everywhere")


def test_what_is_discarded_counts_nowhere_and_comes_back(profile: Profile) -> None:
    shelf = BookShelf(profile, MIRA)
    shelf.own.write_text('name = "The town"\n', encoding="utf-8")
    trashed = [shelf.discard(shelf.own), shelf.discard(shelf.make("inn", "everywhere"))]
    assert told(shelf) == [("lorebook", "familiar", (), 0)]
    assert shelf.trashed() == trashed
    assert [shelf.restore(path) for path in trashed] == [shelf.own, profile.root / "lorebooks" / "inn.toml"]
    assert [name for name, *_ in told(shelf)] == ["The town", "inn"]
    assert shelf.trashed() == []


def test_a_file_that_cannot_be_read_is_listed_by_its_file(profile: Profile) -> None:
    shelf = BookShelf(profile, MIRA)
    (profile.root / "lorebooks").mkdir()
    (profile.root / "lorebooks" / "odd.toml").write_bytes(b"\xff\xfe[")
    (profile.root / "lorebooks" / "torn.toml").write_text("name = \n", encoding="utf-8")
    assert [name for name, *_ in told(shelf)] == ["lorebook", "odd", "torn"]
