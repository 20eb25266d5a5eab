"""The lorebooks of a profile as prompts see them: what is edited outside while the program runs counts at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from familiar_app.bootstrap.lore_shelf import ProfileLorebooks
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.interchange.card_kept import kept_of
from familiar_app.interchange.cards import read_card_file
from familiar_app.interchange.lorebook.library import LoreLibrary
from familiar_app.store.profile import Profile

MIRA = FamiliarId("mira")
MAIN, TAVERN = ChannelKey("local:main"), ChannelKey("local:tavern")
ENTRY = '[[entries]]\nkeys = ["{key}"]\ncontent = "{text}"\n'


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    made = Profile(tmp_path / "profile")
    made.add_familiar(MIRA, CharacterCard(name="Mira"), {}, "lineage-1")
    return made


def shelf(profile: Profile, library: LoreLibrary | None = None) -> ProfileLorebooks:
    return ProfileLorebooks(profile, MIRA, profile.config(MIRA), library or LoreLibrary())


async def test_an_edit_outside_counts_at_once(profile: Profile) -> None:
    own = profile.lorebook(MIRA)
    books = shelf(profile)
    assert (await books.read(MAIN)).all_books == ()
    own.write_text(ENTRY.format(key="fox", text="Red."), encoding="utf-8")
    first = await books.read(MAIN)
    assert [entry.content for book in first.all_books for entry in book.entries] == ["Red."]
    assert (await books.read(MAIN)).revision == first.revision
    # The size and, on a coarse clock, the time of the file stay the same.
    own.write_text(ENTRY.format(key="fox", text="Big."), encoding="utf-8")
    second = await books.read(MAIN)
    assert [entry.content for book in second.all_books for entry in book.entries] == ["Big."]
    assert second.revision != first.revision
    own.write_text("[[entries]", encoding="utf-8")
    broken = await books.read(MAIN)
    assert broken.all_books == ()
    assert "not valid TOML" in broken.files[0]["error"]
    own.unlink()
    assert (await books.read(MAIN)).files == ()


async def test_the_note_that_came_with_a_card_can_be_searched(profile: Profile, tmp_path: Path) -> None:
    data = {"name": "Mira", "first_mes": "x", "extensions": {"depth_prompt": {"prompt": "She limps.", "depth": 4}}}
    (tmp_path / "card.json").write_text(json.dumps({"spec": "chara_card_v2", "data": data}), encoding="utf-8")
    assert (await shelf(profile).read(MAIN)).characters_note == ""
    profile.save_kept_card(MIRA, kept_of(read_card_file(tmp_path / "card.json")))
    assert (await shelf(profile).read(MAIN)).characters_note == "She limps."
    profile.save_kept_card(MIRA, b"damaged")
    assert (await shelf(profile).read(MAIN)).characters_note == ""


async def test_books_are_bound_by_where_they_lie(profile: Profile) -> None:
    folder = profile.lorebook(MIRA).parent
    (folder / "lorebooks").mkdir()
    (profile.root / "lorebooks").mkdir()
    profile.lorebook(MIRA).write_text('name = "World"\n' + ENTRY.format(key="a", text="own"), encoding="utf-8")
    (folder / "lorebooks" / "tavern.toml").write_text(ENTRY.format(key="a", text="tavern"), encoding="utf-8")
    (profile.root / "lorebooks" / "all.toml").write_text(
        'name = "World"\n' + ENTRY.format(key="a", text="all"), encoding="utf-8"
    )
    config = folder / "character.toml"
    config.write_text(
        config.read_text(encoding="utf-8") + '\n[channels."local:tavern"]\nlorebooks = ["tavern"]\n', encoding="utf-8"
    )
    there = (await shelf(profile).read(TAVERN)).books
    assert [book.name for book in there.chat] == ["tavern"]
    # Two of one name are told apart, since timers and counts go by names.
    assert [book.name for book in there.character] == ["World (familiar: lorebook)"]
    assert [book.name for book in there.everywhere] == ["World (everywhere: all)"]
    assert (await shelf(profile).read(MAIN)).books.chat == ()
