"""Cards of other programs come back out of a familiar as they went in, with what we have no place for."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.card import CharacterCard, parse_card_markdown, render_card_markdown
from familiar_app.interchange.card_kept import KeptCard, characters_note, kept_card, kept_of
from familiar_app.interchange.cards import CardImport, read_card_file, write_card
from familiar_app.interchange.png import plain_png
from tests.unit.interchange.test_cards import CARD, V1, V2, V3

ICON = plain_png(2, 2, (1, 2, 3))
ASSETS = [
    {"type": "icon", "uri": "embeded://assets/icon/image/0.png", "name": "main", "ext": "png"},
    {"type": "emotion", "uri": "embeded://assets/emotion/image/joy.png", "name": "joy", "ext": "png"},
    {"type": "x_sound", "uri": "https://example.org/a.mp3", "name": "bell", "ext": "mp3"},
]
ODD = {
    **V3,
    "x_top": [1],
    "data": {
        **V3["data"],  # type: ignore[dict-item]
        "assets": ASSETS,
        "tags": "sea",
        "creation_date": 5,
        "extensions": {"depth_prompt": {"prompt": "p", "depth": 4, "role": "system"}, "vendor": None},
    },
}


def put_charx(path: Path, value: Any) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("card.json", json.dumps(value))
        archive.writestr("assets/icon/image/0.png", ICON)
        archive.writestr("assets/emotion/image/joy.png", ICON + b"joy")
        archive.writestr("module.risum", b"o\0packed")


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def through_a_familiar(found: CardImport) -> tuple[CharacterCard, KeptCard]:
    """Return the card as a profile holds it: Markdown, and what was kept."""
    card = parse_card_markdown(render_card_markdown(found.card))
    return card, kept_card(card, kept_of(found))


@pytest.mark.parametrize(
    ("value", "format_name"), [(V1, "card-v1"), (V2, "card-v2"), (V3, "card-v3"), (ODD, "card-v3")]
)
def test_a_card_comes_back_as_it_was(tmp_path: Path, value: Any, format_name: str) -> None:
    (tmp_path / "in.json").write_text(json.dumps(value))
    card, kept = through_a_familiar(read_card_file(tmp_path / "in.json"))
    write_card(tmp_path / "out.json", card, format=format_name, raw=kept.raw)
    assert json.loads((tmp_path / "out.json").read_text()) == value
    edited = replace(card, scenario="a storm", tags=("sea", "rain"))
    write_card(tmp_path / "out.json", edited, format=format_name, raw=kept.raw)
    result = json.loads((tmp_path / "out.json").read_text())
    data, before = result.get("data", result), value.get("data", value)
    changed = {name for name in {**data, **before} if data.get(name) != before.get(name)}
    assert changed == ({"scenario"} if format_name == "card-v1" else {"scenario", "tags"})
    assert data["scenario"] == "a storm"


def test_the_files_of_an_archive_come_back_with_it(tmp_path: Path) -> None:
    put_charx(tmp_path / "in.charx", ODD)
    found = read_card_file(tmp_path / "in.charx")
    assert found.avatar_png == ICON
    card, kept = through_a_familiar(found)
    write_card(tmp_path / "out.charx", card, raw=kept.raw, avatar_png=ICON, files=kept.files)
    before, after = members(tmp_path / "in.charx"), members(tmp_path / "out.charx")
    assert json.loads(after.pop("card.json")) == json.loads(before.pop("card.json"))
    assert after == before


def test_a_new_portrait_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    put_charx(tmp_path / "in.charx", ODD)
    card, kept = through_a_familiar(read_card_file(tmp_path / "in.charx"))
    new = plain_png(3, 3, (9, 9, 9))
    write_card(tmp_path / "out.charx", card, raw=kept.raw, avatar_png=new, files=kept.files)
    found = read_card_file(tmp_path / "out.charx")
    assert found.avatar_png == new
    assert [one["name"] for one in found.raw["data"]["assets"]] == ["main", "joy", "bell"]
    assert len(found.files) == 4


def test_the_lorebook_and_the_texts_are_not_kept_twice(tmp_path: Path) -> None:
    value = {**V2, "data": {**V2["data"], "character_book": {"entries": [{"keys": ["k"], "content": "hush"}]}}}  # type: ignore[dict-item]
    (tmp_path / "in.json").write_text(json.dumps(value))
    assert kept_of(read_card_file(tmp_path / "in.json")) is None or b"hush" not in _said(tmp_path / "in.json")
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps(ODD))
    assert b"Keeper" not in _said(odd)


def _said(path: Path) -> bytes:
    kept = kept_of(read_card_file(path))
    assert kept is not None
    with zipfile.ZipFile(io.BytesIO(kept)) as archive:
        return archive.read("said.json")


@pytest.mark.parametrize("kept", [b"", b"no zip", b"PK\x05\x06" + bytes(18)])
def test_what_is_damaged_counts_as_nothing(kept: bytes) -> None:
    assert kept_card(CARD, kept) == KeptCard()


def test_what_was_not_compressed_by_us_counts_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kept.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("said.json", b"{}")
    data = path.read_bytes()
    at = data.index(b"said.json") + len("said.json") + 4
    path.write_bytes(data[:at] + b"\xff" * 5 + data[at + 5 :])
    assert kept_card(CARD, path.read_bytes()) == KeptCard()
    assert characters_note(path) == ""


def test_the_characters_own_note_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    told = [line for line in read_card_file(tmp_path / "odd.json").report if line.field == "extensions.depth_prompt"]
    assert [line.what for line in told] == ["ignored"]


def test_our_own_markdown_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text("# Aria\n\nKeeper")
    assert kept_of(read_card_file(tmp_path / "in.md")) is None
