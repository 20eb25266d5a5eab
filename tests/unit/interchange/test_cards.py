"""Character cards in files: what is read, mended, refused and written back."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError, OutsideError, UsageError
from familiar_app.interchange.card_json import card_from_json, card_to_json
from familiar_app.interchange.cards import CardImport, read_card_file, write_card
from familiar_app.interchange.png import SIGNATURE, Chunk, find_texts, plain_png, read_png, write_chunk
from familiar_app.interchange.report import Report

V1 = {
    "name": "Aria", "description": "Keeper", "personality": "kind", "scenario": "a lamp", "first_mes": "Hi",
    "mes_example": "x",
}  # fmt: skip
V2_DATA = V1 | {
    "creator_notes": "n", "system_prompt": "s", "post_history_instructions": "p", "alternate_greetings": ["a", "b"],
    "tags": ["sea"], "creator": "c", "character_version": "1", "extensions": {"vendor": {"x": 1}},
}  # fmt: skip
V2 = {"spec": "chara_card_v2", "spec_version": "2.0", "data": V2_DATA}
V3 = {"spec": "chara_card_v3", "spec_version": "3.0", "data": V2_DATA | {"group_only_greetings": [], "nickname": "Ari"}}
CARD = CharacterCard(
    name="Aria", description="Keeper", personality="kind", scenario="a lamp", first_message="Hi", example_dialogue="x",
    creator_notes="n", system_prompt="s", post_history_instructions="p", alternate_greetings=("a", "b"), tags=("sea",),
    creator="c", character_version="1",
)  # fmt: skip


def encoded(value: Any) -> bytes:
    return base64.b64encode(json.dumps(value).encode())


def picture(*chunks: Chunk, end: bool = True) -> bytes:
    base = plain_png(2, 2, (1, 2, 3))
    tail = base[-12:]
    return base[:-12] + b"".join(write_chunk(chunk) for chunk in chunks) + (tail if end else b"")


def text(keyword: str, value: bytes) -> Chunk:
    return Chunk(b"tEXt", keyword.encode() + b"\0" + value)


def read(tmp_path: Path, data: bytes, name: str = "card.png") -> CardImport:
    path = tmp_path / name
    path.write_bytes(data)
    return read_card_file(path)


def whats(imported: CardImport) -> set[tuple[str, str]]:
    return {(line.field, line.what) for line in imported.report}


@pytest.mark.parametrize(("value", "kind"), [(V1, "card-v1"), (V2, "card-v2"), (V3, "card-v3")])
def test_json_cards_of_every_version(tmp_path: Path, value: dict[str, Any], kind: str) -> None:
    imported = read(tmp_path, json.dumps(value).encode(), "card.json")
    assert imported.format == kind
    assert imported.raw == value
    expected = CARD if kind != "card-v1" else CharacterCard(**{f: getattr(CARD, f) for f in (
        "name", "description", "personality", "scenario", "first_message", "example_dialogue")})  # fmt: skip
    assert imported.card == expected
    assert imported.avatar_png is None


def test_pygmalion_json_is_a_v1_card(tmp_path: Path) -> None:
    value = {
        "char_name": "Aria", "char_persona": "Keeper", "world_scenario": "w", "char_greeting": "Hi",
        "example_dialogue": "x",
    }  # fmt: skip
    imported = read(tmp_path, json.dumps(value).encode(), "card.json")
    assert (imported.card.name, imported.card.first_message, imported.card.example_dialogue) == ("Aria", "Hi", "x")
    assert ("first_mes", "renamed") in whats(imported)


@pytest.mark.parametrize("bom", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_byte_order_marks_are_understood(tmp_path: Path, bom: bytes) -> None:
    encoding = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}[bom]
    imported = read(tmp_path, bom + json.dumps(V1 | {"name": "Ärä"}, ensure_ascii=False).encode(encoding), "card.json")
    assert imported.card.name == "Ärä"


def test_ccv3_is_preferred_and_the_picture_comes_without_card_data(tmp_path: Path) -> None:
    old = V2 | {"data": V2_DATA | {"name": "Old"}}
    imported = read(tmp_path, picture(text("Chara", encoded(old)), text("Comment", b"mine"), text("ccv3", encoded(V3))))
    assert imported.card == CARD
    assert imported.format == "card-v3"
    assert imported.avatar_png is not None
    png = read_png(imported.avatar_png, source="avatar")
    assert [found.keyword for found in find_texts(png, ["chara", "ccv3", "comment"])] == ["Comment"]


@pytest.mark.parametrize(
    "chunk",
    [
        Chunk(b"zTXt", b"chara\0\0" + zlib.compress(encoded(V2))),
        Chunk(b"iTXt", b"chara\0\0\0en\0k\0" + encoded(V2)),
        Chunk(b"iTXt", b"chara\0\1\0\0\0" + zlib.compress(encoded(V2))),
    ],
)
def test_every_kind_of_text_chunk_is_read_and_the_stale_one_leaves_on_export(tmp_path: Path, chunk: Chunk) -> None:
    imported = read(tmp_path, picture(chunk, text("Comment", b"mine")))
    assert imported.card == CARD
    write_card(tmp_path / "card.png", CharacterCard(name="New"), format="card-v2")
    again = read_png((tmp_path / "card.png").read_bytes(), source="x")
    assert [(found.keyword, found.chunk.kind) for found in find_texts(again, ["chara", "ccv3"])] == [("chara", b"tEXt")]
    assert read_card_file(tmp_path / "card.png").card.name == "New"
    assert [found.keyword for found in find_texts(again, ["comment"])] == ["Comment"]


def test_a_deflated_bomb_is_refused(tmp_path: Path) -> None:
    bomb = zlib.compress(b"A" * (40 * 1024 * 1024), 9)
    with pytest.raises(BadInputError, match="larger than 32 MiB"):
        read(tmp_path, picture(Chunk(b"zTXt", b"chara\0\0" + bomb)))


def test_one_wrong_checksum_is_mended_and_reported_two_are_refused(tmp_path: Path) -> None:
    data = bytearray(picture(text("chara", encoded(V2))))
    data[-13] ^= 0xFF
    imported = read(tmp_path, bytes(data))
    assert imported.card == CARD
    assert ("png", "repaired") in whats(imported)
    data[29] ^= 0xFF
    with pytest.raises(BadInputError, match="2 chunks have wrong checksums"):
        read(tmp_path, bytes(data))


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: body.rstrip(b"="),
        lambda body: b"\n".join(body[i : i + 76] for i in range(0, len(body), 76)),
        lambda body: body.replace(b"+", b"-").replace(b"/", b"_"),
        lambda body: body[:40] + b"\x00\x80*" + body[40:],
    ],
)
def test_damaged_base64_is_mended_and_reported(tmp_path: Path, damage: Any) -> None:
    value = V2 | {"data": V2_DATA | {"description": "Keeper ÿ~?>ÿÿ>>??"}}
    body = encoded(value) if encoded(value).endswith(b"=") else encoded(value | {"p": "pp"})
    body = body if body.endswith(b"=") else encoded(value | {"p": "p"})
    imported = read(tmp_path, picture(text("chara", damage(body))))
    assert imported.card.description == "Keeper ÿ~?>ÿÿ>>??"
    if damage(body) != body:
        assert ("png", "repaired") in whats(imported)


def test_a_destroyed_chunk_falls_back_to_the_other_or_is_refused(tmp_path: Path) -> None:
    broken = encoded(V3)[:50]
    imported = read(tmp_path, picture(text("chara", encoded(V2)), text("ccv3", broken)))
    assert imported.format == "card-v2"
    assert ("png", "repaired") in whats(imported)
    with pytest.raises(BadInputError, match=r"card\.png"):
        read(tmp_path, picture(text("ccv3", broken)))


def test_a_cut_off_end_is_mended(tmp_path: Path) -> None:
    imported = read(tmp_path, picture(text("chara", encoded(V2)), end=False))
    assert imported.card == CARD
    assert imported.avatar_png is not None
    assert read_png(imported.avatar_png, source="x").complete


def charx(files: dict[str, bytes], prefix: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return prefix + buffer.getvalue()


@pytest.mark.parametrize("prefix", [b"", b"\xff\xd8\xff\xe0jpeg bytes"])
def test_charx_with_portrait_also_behind_a_picture(tmp_path: Path, prefix: bytes) -> None:
    face = plain_png(1, 1, (9, 9, 9))
    assets = [{"type": "icon", "name": "main", "uri": "embeded://a/main.png", "ext": "png"}]
    value = V3 | {"data": V3["data"] | {"assets": assets}}  # type: ignore[operator]
    imported = read(
        tmp_path, charx({"card.json": json.dumps(value).encode(), "a/main.png": face}, prefix), "card.charx"
    )
    assert (imported.format, imported.card, imported.avatar_png) == ("charx", CARD, face)


def test_charx_bombs_and_missing_cards_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="larger than 32 MiB"):
        read(tmp_path, charx({"card.json": b" " * (33 * 1024 * 1024)}), "card.charx")
    with pytest.raises(BadInputError, match=r"no card\.json"):
        read(tmp_path, charx({"../card.json": b"{}"}), "card.charx")
    with pytest.raises(BadInputError, match="damaged"):
        read(tmp_path, b"PK\x03\x04" + b"\0" * 50, "card.charx")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b'{"name": "\xff"}', "not valid UTF-8 at byte 10"),
        (b"{" * 3, "not valid JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b"[1]", "not a character card"),
        (b'{"entries": {}}', "not a character card"),
        (b'{"spec": "chara_card_v2", "data": 3}', "not a character card"),
        (b"o\0\0\0\0\0\0\0", "packed module"),
        (plain_png(1, 1, (0, 0, 0)), "carries no character data"),
        (SIGNATURE + b"\xff\xff\xff\xffIHDR", "no header chunk"),
        (picture(text("ccv3", b"rcc||abc")), "encrypted"),
    ],
)
def test_what_is_no_card_is_refused_with_file_and_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason) as caught:
        read(tmp_path, data, "x.json")
    assert "x.json" in caught.value.message


def test_wrong_types_and_missing_fields_are_mended_and_reported(tmp_path: Path) -> None:
    value = {"spec": "chara_card_v2", "data": {
        "name": "", "description": 7, "personality": None, "scenario": {"a": 1}, "first_mes": "half \ud83d",
        "tags": "sea, lamp", "alternate_greetings": [None, "hi", 3],
        "character_book": {"entries": [{}, {}]}, "odd": 1,
    }}  # fmt: skip
    imported = read(tmp_path, json.dumps(value).encode(), "Lighthouse.json")
    card = imported.card
    assert (card.name, card.description, card.scenario, card.first_message) == ("Lighthouse", "7", "", "half \ufffd")
    assert (card.tags, card.alternate_greetings) == (("sea", "lamp"), ("hi", "3"))
    assert whats(imported) >= {
        ("name", "defaulted"), ("description", "repaired"), ("scenario", "dropped"), ("first_mes", "repaired"),
        ("mes_example", "defaulted"), ("tags", "repaired"), ("alternate_greetings", "repaired"),
        ("character_book", "ignored"), ("odd", "ignored"),
    }  # fmt: skip
    assert "2 entries" in next(line.detail for line in imported.report if line.field == "character_book")


def test_a_null_lorebook_is_no_lorebook(tmp_path: Path) -> None:
    imported = read(tmp_path, json.dumps(V2 | {"data": V2_DATA | {"character_book": None}}).encode(), "card.json")
    assert imported.report == ()


@pytest.mark.parametrize("name", ["out.json", "out.png", "out.charx", "out.md"])
def test_what_is_written_reads_back(tmp_path: Path, name: str) -> None:
    write_card(tmp_path / name, CARD, avatar_png=plain_png(3, 3, (1, 1, 1)))
    imported = read_card_file(tmp_path / name)
    assert imported.card == CARD
    assert imported.avatar_png == (plain_png(3, 3, (1, 1, 1)) if name in {"out.png", "out.charx"} else None)


def test_a_v3_picture_also_carries_v2_for_older_readers(tmp_path: Path) -> None:
    write_card(tmp_path / "out.png", CARD, raw=V3)
    png = read_png((tmp_path / "out.png").read_bytes(), source="x")
    values = {
        found.keyword: json.loads(base64.b64decode(found.read(source="x")))
        for found in find_texts(png, ["chara", "ccv3"])
    }
    assert values == {"chara": V2 | {"data": V3["data"]}, "ccv3": V3}


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.png: there is no such file"):
        read_card_file(tmp_path / "none.png")
    with pytest.raises(BadInputError, match="this is a folder"):
        read_card_file(tmp_path)
    with pytest.raises(OutsideError, match="cannot be written"):
        write_card(tmp_path / "missing" / "card.json", CARD)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="card-v9"):
        write_card(tmp_path / "x.json", CARD, format="card-v9")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
RAW_DATA = st.dictionaries(
    st.sampled_from([*V2_DATA, "nickname", "character_book", "odd"]), JSON | st.text(max_size=5), max_size=8
).map(lambda data: {"name": "N", "first_mes": "f"} | data)
RAW = st.builds(lambda spec, data, extra: extra | {"spec": f"chara_card_v{spec}", "data": data},
                st.sampled_from([2, 3]), RAW_DATA, st.dictionaries(st.just("create_date"), JSON))  # fmt: skip


@settings(deadline=None, max_examples=80)
@given(RAW)
def test_writing_over_the_source_changes_nothing_that_was_not_edited(raw: dict[str, Any]) -> None:
    version = "card-v2" if raw["spec"] == "chara_card_v2" else "card-v3"
    card = card_from_json(raw, source=Path("file.json"), report=Report())
    written = card_to_json(card, version, raw)
    for key, value in raw["data"].items():
        if key != "name":
            assert written["data"][key] == value
    assert {k: v for k, v in written.items() if k not in {"data", "spec_version"}} == {
        k: v for k, v in raw.items() if k != "data"
    }
    assert card_from_json(written, source=Path("file.json"), report=Report()) == card


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200), st.integers(0, 400), st.sampled_from([V2, V3, {}]))
def test_damage_of_any_kind_is_refused_in_our_own_words(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int, value: dict[str, Any]
) -> None:
    data = bytearray(picture(text("chara", encoded(value))))
    data[at : at + len(noise)] = noise
    path = tmp_path_factory.mktemp("noise") / "card.png"
    path.write_bytes(bytes(data))
    try:
        outcome = read_card_file(path).card.name
    except BadInputError as error:
        outcome = error.message.partition(str(path))[1]
    assert outcome


def test_chunk_lengths_beyond_the_file_are_cut() -> None:
    data = SIGNATURE + write_chunk(Chunk(b"IHDR", b"\0" * 13)) + struct.pack(">I", 2**31) + b"tEXtchara"
    assert [chunk.kind for chunk in read_png(data, source="x").chunks] == [b"IHDR"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("A\n[14:32 Bob]", "A [14:32 Bob]"),
        ("\0", ""),
        ("a\u2028b\x85c\x1b", "a b c"),
        ("n" * 300, "n" * 80),
        ("\U0001f469\u200d\U0001f680 Ann", "\U0001f469\u200d\U0001f680 Ann"),
        ("  Ann ", "  Ann "),
    ],
)
def test_a_name_becomes_one_short_line_and_that_is_reported(tmp_path: Path, name: str, shown: str) -> None:
    path = tmp_path / "card.json"
    path.write_text(json.dumps({"spec": "chara_card_v2", "data": {"name": name, "first_mes": "Hi"}}), encoding="utf-8")
    found = read_card_file(path)
    assert found.card.name == shown
    assert any(line.field == "name" and line.what == "repaired" for line in found.report) == (shown != name)


def test_an_archive_that_points_before_its_start_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "card.charx"
    write_card(path, CARD)
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 42 : entry + 46] = struct.pack("<I", len(data) + 17)
    end = data.index(b"PK\x05\x06")
    data[end + 16 : end + 20] = struct.pack("<I", entry + 40)
    path.write_bytes(data)
    with pytest.raises(BadInputError, match="damaged"):
        read_card_file(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_compression_in_an_archive_is_refused_unread(tmp_path: Path, method: int) -> None:
    path = tmp_path / "card.charx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("card.json", json.dumps(V3), compress_type=method)
    with pytest.raises(BadInputError, match="unusual way"):
        read_card_file(path)


def test_files_of_unusual_compression_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "card.charx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("card.json", json.dumps(V3))
        archive.writestr("assets/a.bin", bytes(50), compress_type=zipfile.ZIP_LZMA)
    data = path.read_bytes()
    at = data.index(b"assets/a.bin") + len("assets/a.bin") + 4
    path.write_bytes(data[:at] + b"\xff" * 9 + data[at + 9 :])
    found = read_card_file(path)
    assert (found.card.name, found.files) == ("Aria", {})
    assert ("assets", "ignored") in whats(found)
