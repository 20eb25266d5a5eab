from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError, BugError, OutsideError, UserError
from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.store import profile as profile_module
from familiar_app.store.profile import Profile
from familiar_app.store.resource import resource
from familiar_app.store.toml_file import with_changes

MIRA = FamiliarId("mira")
CARD = CharacterCard(name="Mira", description="A fox.\n\n# not a heading", tags=("fox", "calm"))


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return Profile(tmp_path / "profile")


@pytest.fixture
def hosting(profile: Profile) -> Profile:
    profile.add_familiar(MIRA, CARD, {"models.prose.max_answer_tokens": 99}, "lineage-1")
    return profile


def test_an_empty_folder_has_the_shipped_settings(profile: Profile) -> None:
    assert profile.settings().local_only is True
    assert profile.familiars() == []
    assert not profile.exists()
    assert not profile.root.exists()


def test_saving_settings_keeps_comments_and_what_was_there(profile: Profile) -> None:
    profile.root.mkdir()
    path = profile.root / "settings.toml"
    path.write_text("# mine\nzoom = 1.5 # large\n", encoding="utf-8")
    settings = profile.save_settings({"theme": "dark", "familiars": ("b", "a")})
    assert (settings.zoom, settings.theme, settings.familiars) == (1.5, "dark", ("b", "a"))
    assert path.read_text(encoding="utf-8").startswith("# mine\nzoom = 1.5 # large\n")
    assert profile.save_settings({"zoom": None}).zoom == 1.0
    assert "zoom" not in path.read_text(encoding="utf-8")
    assert [entry.name for entry in profile.root.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize("changes", [{"zom": 1.0}, {"zoom": "big"}, {"zoom": 99.0}, {"theme.colour": "red"}])
def test_bad_settings_are_refused_and_nothing_is_written(profile: Profile, changes: dict[str, object]) -> None:
    profile.save_settings({"zoom": 1.25})
    before = (profile.root / "settings.toml").read_bytes()
    with pytest.raises(BadInputError) as caught:
        profile.save_settings(changes)
    assert caught.value.next_step or caught.value.field
    assert (profile.root / "settings.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"zoom = \n", "not TOML"),
        (b"ok = 1\n\xff\xfe", "line 2"),
        (b"a = " + b"[" * 100_000, "nested too deeply|not TOML"),
        (b"#" * (5 << 20), "larger than 4 MB"),
        (b"zom = 1.0", "zoom"),
    ],
)
def test_a_broken_settings_file_is_named(profile: Profile, content: bytes, expected: str) -> None:
    profile.root.mkdir()
    (profile.root / "settings.toml").write_bytes(content)
    with pytest.raises(BadInputError, match=expected) as caught:
        profile.settings()
    assert "settings.toml" in caught.value.message
    with pytest.raises(BadInputError):
        profile.save_settings({"zoom": 1.0})
    assert (profile.root / "settings.toml").read_bytes() == content


def test_a_new_familiar_has_card_lineage_and_changes(hosting: Profile) -> None:
    assert hosting.familiars() == [MIRA]
    assert hosting.card(MIRA) == CARD
    config = hosting.config(MIRA)
    assert (config.lineage, config.models.prose.max_answer_tokens) == ("lineage-1", 99)
    assert hosting.avatar(MIRA) is None


def test_a_familiar_is_made_whole_or_not_at_all(hosting: Profile) -> None:
    with pytest.raises(UserError, match="already a familiar"):
        hosting.add_familiar(MIRA, CARD, {}, "l")
    with pytest.raises(BadInputError):
        hosting.add_familiar(FamiliarId("ben"), CARD, {"models.prose.modle": "x"}, "l")
    with pytest.raises(BadInputError):
        hosting.add_familiar(FamiliarId("ben"), CharacterCard(name="\ud800"), {}, "l")
    assert hosting.familiars() == [MIRA]
    hosting.add_familiar(FamiliarId("ben"), CARD, {}, "l")
    assert hosting.familiars() == ["ben", "mira"]


@pytest.mark.parametrize("bad", ["../mira", "", "A", "con", "a/b", "."])
def test_an_id_never_leads_out_of_the_folder(profile: Profile, bad: str) -> None:
    for use in (profile.config, profile.card, profile.avatar):
        with pytest.raises(BadInputError):
            use(FamiliarId(bad))
    with pytest.raises(BadInputError):
        profile.add_familiar(FamiliarId(bad), CARD, {}, "l")


def test_familiars_follow_the_order_of_the_settings(profile: Profile) -> None:
    for name in ("c", "a", "b"):
        profile.add_familiar(FamiliarId(name), CARD, {}, "l")
    profile.save_settings({"familiars": ("b", "gone", "b")})
    assert profile.familiars() == ["b", "a", "c"]


def test_configuration_keeps_comments_and_takes_keys_with_colons(hosting: Profile) -> None:
    path = hosting.root / "familiars" / "mira" / "character.toml"
    path.write_text('# by hand\nlineage = "x" # stays\n', encoding="utf-8")
    config = hosting.save_config(MIRA, {'channels."local:main".prompt_layers': ("character_card", "recent_history")})
    assert config.prompt_layers(ChannelKey("local:main")) == ("character_card", "recent_history")
    hosting.save_config(MIRA, {"models.prose.sampling.temperature": 0.5, "models.prose.timeout_s": 9.0})
    text = path.read_text(encoding="utf-8")
    assert text.startswith('# by hand\nlineage = "x" # stays\n')
    assert tomllib.loads(text)["models"] == {"prose": {"sampling": {"temperature": 0.5}, "timeout_s": 9.0}}
    assert hosting.save_config(MIRA, {"models.prose.timeout_s": None}).models.prose.timeout_s == 120.0


def test_a_card_and_a_picture_are_replaced_as_a_whole(hosting: Profile) -> None:
    hosting.save_card(MIRA, CharacterCard(name="Mira II"))
    assert hosting.card(MIRA).name == "Mira II"
    png = b"\x89PNG\r\n\x1a\nrest"
    hosting.save_avatar(MIRA, png)
    avatar = hosting.avatar(MIRA)
    assert avatar is not None
    assert avatar.read_bytes() == png
    with pytest.raises(BadInputError, match="not a PNG"):
        hosting.save_avatar(MIRA, b"GIF89a")
    assert avatar.read_bytes() == png


def test_what_was_kept_of_a_card_is_replaced_as_a_whole(hosting: Profile) -> None:
    assert hosting.kept_card(MIRA) is None
    hosting.save_kept_card(MIRA, b"PK")
    assert hosting.kept_card(MIRA) == b"PK"
    hosting.save_kept_card(MIRA, None)
    hosting.save_kept_card(MIRA, None)
    assert hosting.kept_card(MIRA) is None


def test_a_familiar_without_a_card_says_so(profile: Profile) -> None:
    with pytest.raises(UserError, match=r"no character\.md"):
        profile.card(MIRA)


def test_changes_need_a_table_where_a_key_leads_through() -> None:
    with pytest.raises(BadInputError, match="not a table"):
        with_changes("a = 1", {"a.b": 2}, Path("x.toml"))
    assert with_changes("a = 1\n", {"b.c": None, "z": None}, Path("x.toml")) == "a = 1\n"
    assert tomllib.loads(with_changes("", {"a.b.c": 1, "a.d": 2, "a.b.e": [3]}, Path("x.toml"))) == {
        "a": {"b": {"c": 1, "e": [3]}, "d": 2}
    }


def test_shipped_files_are_found_and_missing_ones_are_a_defect() -> None:
    assert resource("defaults", "settings.toml").is_file()
    with pytest.raises(BugError, match=r"no/such\.file"):
        resource("no", "such.file")


@pytest.mark.parametrize("make", ["mkdir", "fifo"])
def test_what_is_no_file_is_named_and_not_waited_for(profile: Profile, make: str) -> None:
    path = profile.root / "settings.toml"
    profile.root.mkdir(parents=True, exist_ok=True)
    if make == "mkdir":
        path.mkdir()
    elif hasattr(os, "mkfifo"):
        os.mkfifo(path)
    else:
        pytest.skip("this system has no named pipes")
    with pytest.raises(BadInputError, match=r"settings.toml: this is not a file"):
        profile.settings()


def test_a_card_too_large_to_be_read_again_is_refused_before_anything_is_written(hosting: Profile) -> None:
    large = CharacterCard(name="Nia", description="word " * 1_000_000)
    before = hosting.card(FamiliarId("mira"))
    with pytest.raises(BadInputError, match="at most 4 MB"):
        hosting.add_familiar(FamiliarId("nia"), large, {}, "lineage")
    with pytest.raises(BadInputError, match="at most 4 MB"):
        hosting.save_card(FamiliarId("mira"), large)
    assert hosting.card(FamiliarId("mira")) == before
    assert [path.name for path in (hosting.root / "familiars").iterdir()] == ["mira"]


def test_a_familiar_that_cannot_be_written_leaves_no_part_of_itself(
    hosting: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(profile_module, "write_atomically", refuse)
    with pytest.raises(OutsideError, match="no room left"):
        hosting.add_familiar(FamiliarId("nia"), CARD, {}, "lineage")
    assert [path.name for path in (hosting.root / "familiars").iterdir()] == ["mira"]
