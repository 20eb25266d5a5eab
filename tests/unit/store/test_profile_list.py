"""The list of profiles: paths alone, the usual one first, and nothing it does touches a profile's folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.store.profile_list import ProfileList

NAMES = st.text(
    st.characters(blacklist_characters="/\\\0:", blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=20
)


@pytest.fixture
def profiles(tmp_path: Path) -> ProfileList:
    return ProfileList(tmp_path / "share" / "familiar")


def test_the_usual_profile_is_there_without_a_file(profiles: ProfileList) -> None:
    assert profiles.known() == [profiles.usual]
    assert not profiles.file.exists()


def test_what_is_kept_is_there_for_the_next_program(profiles: ProfileList, tmp_path: Path) -> None:
    profiles.keep(tmp_path / "work")
    profiles.keep(tmp_path / "play")
    again = ProfileList(profiles.usual)
    assert again.known() == [profiles.usual, tmp_path / "work", tmp_path / "play"]


def test_a_profile_is_listed_once_however_it_is_written(profiles: ProfileList, tmp_path: Path) -> None:
    profiles.keep(tmp_path / "work")
    profiles.keep(tmp_path / "play" / ".." / "work")
    profiles.keep(profiles.usual)
    assert profiles.known() == [profiles.usual, tmp_path / "work"]


def test_forgetting_deletes_nothing(profiles: ProfileList, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "vault.db").write_bytes(b"sealed")
    profiles.keep(folder)
    profiles.forget(folder)
    profiles.forget(profiles.usual)
    assert profiles.known() == [profiles.usual]
    assert (folder / "vault.db").read_bytes() == b"sealed"


def test_the_file_holds_paths_and_no_more(profiles: ProfileList, tmp_path: Path) -> None:
    profiles.keep(tmp_path / "work")
    assert json.loads(profiles.file.read_text(encoding="utf-8")) == {"profiles": [str(tmp_path / "work")]}


def test_a_stick_can_be_carried_to_another_place(tmp_path: Path) -> None:
    stick = tmp_path / "one"
    ProfileList(stick / "data").keep(stick / "second")
    shutil.move(stick, tmp_path / "two")
    assert ProfileList(tmp_path / "two" / "data").known()[1] == tmp_path / "two" / "second"


@pytest.mark.parametrize("text", ["", "[]", '{"profiles": [3]}', '{"profiles": "x"}', '{"profiles": [""]}', "{" * 9])
def test_a_file_that_is_no_list_is_left_as_it_is(profiles: ProfileList, tmp_path: Path, text: str) -> None:
    profiles.file.parent.mkdir(parents=True)
    profiles.file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match="no list of profiles"):
        profiles.known()
    with pytest.raises(BadInputError):
        profiles.keep(tmp_path / "work")
    assert profiles.file.read_text(encoding="utf-8") == text


@given(names=st.lists(NAMES, max_size=6))
def test_any_names_come_back_in_their_order(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    root = tmp_path_factory.mktemp("list")
    profiles = ProfileList(root / "usual")
    wanted = [one for one in dict.fromkeys(names) if one not in (".", "..", "usual", "~") and not one.startswith("~")]
    for name in wanted:
        profiles.keep(root / name)
    assert [one.name for one in profiles.known()[1:]] == wanted


def test_a_profile_is_called_by_its_folder(profiles: ProfileList, tmp_path: Path) -> None:
    assert profiles.name(profiles.usual) == ""
    assert profiles.name(tmp_path / "elsewhere" / "work") == "work"
    assert profiles.name(profiles.place(" On stage ")) == "On stage"
    assert profiles.place("work").parent == profiles.usual.parent


@pytest.mark.parametrize("name", ["", "  ", "..", "../up", "a/b", "a\\b", "-x", "x" * 41, "con:", "profiles"])
def test_what_makes_no_good_folder_is_no_name(profiles: ProfileList, name: str) -> None:
    with pytest.raises(BadInputError, match="no name for a profile"):
        profiles.place(name)
