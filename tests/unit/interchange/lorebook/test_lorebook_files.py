"""Lorebooks in files of every format: what is read, kept, changed and lost."""

from __future__ import annotations

import base64
import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.lorebook.entry import (
    CharacterFilter,
    Folder,
    LoreBook,
    LoreEntry,
    LoreRole,
    Position,
    SecondaryLogic,
)
from familiar_app.interchange.cards import read_card_file
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import (
    LORE_FORMATS,
    convert_lorebook,
    lorebook_of_card,
    read_lorebook,
    write_lorebook,
)
from familiar_app.interchange.lorebook.sniff import SHAPES
from familiar_app.interchange.png import plain_png, read_png, replace_texts

SAMPLES = json.loads((Path(__file__).parent / "samples.json").read_text(encoding="utf-8"))
FILES: dict[str, tuple[Any, str]] = {name: (sample["value"], sample["format"]) for name, sample in SAMPLES.items()}
WORLD, V2_CARD, V3_CARD, RISU, NOVELAI, AGNAI, KOBOLD, CHUB = (
    FILES[name][0] for name in ("world", "v2card", "v3card", "risu", "novelai", "agnai", "kobold", "chub")
)


def read(tmp_path: Path, value: Any, name: str = "Book.json") -> LoreDocument:
    path = tmp_path / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_lorebook(path)


def written(tmp_path: Path, document: LoreDocument, format_name: str | None = None) -> Any:
    path = tmp_path / "written.json"
    write_lorebook(path, document, format_name)
    return json.loads(path.read_text(encoding="utf-8"))


def whats(document: LoreDocument) -> set[tuple[str, str, int | None]]:
    return {(line.field, line.what, line.entry) for line in document.report}


@pytest.mark.parametrize("name", FILES)
def test_the_format_is_found_and_nothing_changes_without_an_edit(tmp_path: Path, name: str) -> None:
    value, format_name = FILES[name]
    document = read(tmp_path, value)
    assert document.format == format_name
    assert document.book.entries
    assert json.dumps(written(tmp_path, document)) == json.dumps(value)


@pytest.mark.parametrize("name", FILES)
def test_one_edit_changes_that_field_only(tmp_path: Path, name: str) -> None:
    value, _ = FILES[name]
    document = read(tmp_path, value)
    *others, last = document.book.entries
    edited = document.with_book(replace(document.book, entries=(*others, replace(last, content="Edited"))))
    result = written(tmp_path, edited)
    assert result != value
    assert json.loads(json.dumps(result).replace('"Edited"', json.dumps(last.content))) == value


@pytest.mark.parametrize("name", FILES)
def test_entries_can_be_removed_added_and_moved(tmp_path: Path, name: str) -> None:
    value, _ = FILES[name]
    document = read(tmp_path, value)
    new = LoreEntry(uid=77, keys=("new",), content="New", comment="fresh")
    entries = (new, *document.book.entries[1:])
    again = read(tmp_path, written(tmp_path, document.with_book(replace(document.book, entries=entries))))
    assert sorted(one.content for one in again.book.entries) == sorted(one.content for one in entries)
    assert next(one.keys for one in again.book.entries if one.content == "New") == ("new",)


@pytest.mark.parametrize("name", FILES)
def test_an_added_entry_goes_into_a_file_of_ours(tmp_path: Path, name: str) -> None:
    document = read(tmp_path, FILES[name][0])
    grown = replace(document.book, entries=(*document.book.entries, LoreEntry(uid=77, keys=("new",), content="New")))
    write_lorebook(tmp_path / "ours.toml", document.with_book(grown))
    again = read_lorebook(tmp_path / "ours.toml").book.entries
    assert [one.content for one in again] == [*(one.content for one in document.book.entries), "New"]


def test_world_files(tmp_path: Path) -> None:
    book = read(tmp_path, WORLD, "Harbour.json").book
    two, five = book.entries
    assert book.name == "Harbour"
    assert (two.uid, two.probability, two.delay_until_recursion, two.enabled) == (2, 100, 1, True)
    assert (five.position, five.depth, five.role, five.enabled) == (Position.AT_DEPTH, 2, LoreRole.USER, False)
    assert (five.logic, five.sticky, five.sources) == (SecondaryLogic.NOT_ANY, 3, ("scenario",))
    assert five.character_filter == CharacterFilter(True, ("B",), ())


def test_character_books(tmp_path: Path) -> None:
    document = read(tmp_path, V3_CARD)
    first, second = document.book.entries
    assert (document.book.name, document.book.scan_depth, document.book.token_budget) == ("B", 3, 99)
    assert (first.comment, first.position, first.depth, first.exclude_recursion) == ("N", Position.AT_DEPTH, 1, True)
    assert (first.enabled, first.order, first.use_regex) == (False, 5, None)
    assert (second.uid, second.scan_depth, second.position, second.selective) == (2, 9, Position.BEFORE, False)
    assert ("extensions", "ignored", None) not in whats(document)


def test_depth_of_entry_and_book_in_the_right_order(tmp_path: Path) -> None:
    entries = [
        {
            "keys": ["a"],
            "content": "",
            "enabled": True,
            "insertion_order": 1,
            "extensions": {"scan_depth": 4},
            "scanDepth": 6,
        },
        {"keys": ["a"], "content": "", "enabled": True, "insertion_order": 1, "extensions": {"scan_depth": None}},
    ]
    document = read(tmp_path, {"entries": entries, "extensions": {}})
    assert [one.scan_depth for one in document.book.entries] == [4, None]
    assert document.book.scan_depth is None
    assert ("extensions.scan_depth", "merged", 0) in whats(document)


def test_patterns_of_version_three(tmp_path: Path) -> None:
    def uses(**entry: Any) -> bool | None:
        raw = {"content": "", "enabled": True, "insertion_order": 1, "extensions": {}, **entry}
        return (
            read(tmp_path, {"spec": "lorebook_v3", "data": {"entries": [raw], "extensions": {}}})
            .book.entries[0]
            .use_regex
        )

    assert uses(keys=["/hello/i"], use_regex=True) is None
    assert uses(keys=["hel+o"], use_regex=True) is True
    assert uses(keys=["/hello/i"], use_regex=False) is False
    assert uses(keys=["hello"], use_regex=False) is None
    assert uses(keys=["hello"], use_regex=True, constant=True, extensions={"selectiveLogic": 0}) is None


def test_risu(tmp_path: Path) -> None:
    document = read(tmp_path, RISU)
    lamp, pattern = document.book.entries
    assert (lamp.keys, lamp.secondary_keys, lamp.selective, lamp.probability) == (("sea", "lamp"), ("night",), True, 40)
    assert (pattern.keys, pattern.use_regex, pattern.constant) == (("/b,c/i",), None, True)
    assert document.book.folders == (Folder("\uf000folder:1", "Places"),)
    assert lamp.folder == "\uf000folder:1"


def test_novelai_also_in_a_picture(tmp_path: Path) -> None:
    png = replace_texts(
        read_png(plain_png(1, 1, (0, 0, 0)), source="x"), {"naidata": base64.b64encode(json.dumps(NOVELAI).encode())}
    )
    (tmp_path / "lore.png").write_bytes(png)
    for document in (read(tmp_path, NOVELAI), read_lorebook(tmp_path / "lore.png")):
        entry = document.book.entries[0]
        assert (entry.uid, entry.constant, entry.order, entry.content) == ("x-1", True, 300, "T")
        assert document.book.folders == (Folder("c1", "Cat", enabled=False),)
        assert ("searchRange", "ignored", None) in whats(document)


def test_agnai_wildcards(tmp_path: Path) -> None:
    entry = read(tmp_path, AGNAI).book.entries[0]
    assert entry.keys == ("/\\bdrag\\w*\\b/i", "/\\bc\\wt\\b/i", "plain")
    assert (entry.order, entry.priority, entry.enabled) == (4, 3, False)


def test_kobold(tmp_path: Path) -> None:
    document = read(tmp_path, KOBOLD)
    first, second = document.book.entries
    assert (first.keys, first.secondary_keys, first.enabled, first.probability) == (("a",), ("b",), False, 50)
    assert (second.secondary_keys, second.logic) == (("no", "never"), SecondaryLogic.NOT_ANY)
    assert ("key", "repaired", 0) in whats(document)
    back = replace(second, logic=SecondaryLogic.AND_ANY)
    result = written(tmp_path, document.with_book(replace(document.book, entries=(first, back))))
    assert (result[1]["keysecondary"], result[1]["keyanti"]) == ("no, never", "")


def test_chub_prefers_one_spelling_and_says_so(tmp_path: Path) -> None:
    value = copy.deepcopy(CHUB)
    value["entries"]["1"]["insertion_order"] = 99
    document = read(tmp_path, value)
    assert document.book.entries[0].order == 10
    assert ("order", "merged", 0) in whats(document)
    moved = replace(document.book, entries=(replace(document.book.entries[0], order=3),))
    raw = written(tmp_path, document.with_book(moved))["entries"]["1"]
    assert (raw["order"], raw["insertion_order"]) == (3, 3)


def test_ids_that_clash_or_are_blank_are_counted_anew(tmp_path: Path) -> None:
    raw = {"keys": ["k"], "content": "c", "extensions": {}, "enabled": True, "insertion_order": 1}
    value = {"entries": [raw | {"id": 3}, raw | {"id": 3}, raw | {"id": None}, raw | {"id": ""}, raw], "extensions": {}}
    document = read(tmp_path, value)
    assert [one.uid for one in document.book.entries] == [3, 4, 5, 6, 7]
    assert {("id", "repaired", n) for n in (1, 2, 3)} <= whats(document)
    assert written(tmp_path, document) == value


def test_odd_values_are_mended_and_named(tmp_path: Path) -> None:
    odd = {"key": "one", "content": None, "order": "7", "disable": "false", "depth": "", "sticky": -1}
    value = {"entries": {"0": odd | {"selectiveLogic": 9, "content2": "x"}, "1": 5}}
    document = read(tmp_path, value)
    entry = document.book.entries[0]
    assert (entry.keys, entry.order, entry.enabled, entry.depth, entry.sticky) == (("one",), 7, True, 4, 0)
    assert whats(document) >= {
        ("key", "repaired", 0), ("order", "repaired", 0), ("disable", "repaired", 0), ("selectiveLogic", "repaired", 0),
        ("content", "defaulted", 0), ("content2", "ignored", None), ("entries", "ignored", None),
    }  # fmt: skip
    assert written(tmp_path, document) == value


def test_keys_and_decorators_without_effect_are_named(tmp_path: Path) -> None:
    raw = {
        "uid": 0,
        "key": ["/home/us", " ", "/drag(on/i", "AC/DC", "/ok/i"],
        "content": "@@depth 4\n@@activate\n@@@scan_depth 2\n@@inject_at x\n@@role host\nText",
    }
    document = read(tmp_path, {"entries": {"0": raw}})
    details = [line.detail for line in document.report if line.entry == 0 and line.what == "ignored"]
    assert [detail.split()[0] for detail in details if "counts as text" in detail] == ["/home/us", "/drag(on/i"]
    assert "a blank key never matches" in details
    assert [detail for detail in details if "decorator" in detail] == [
        "the decorator @@inject_at is not known here, so it has no effect",
        "the decorator @@role has a value that can't be used, so it has no effect",
    ]


def test_the_lorebook_of_a_card_that_was_read(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(json.dumps(V3_CARD), encoding="utf-8")
    document = lorebook_of_card(read_card_file(tmp_path / "card.json").raw, name="Aria")
    assert (document.format, document.book.name, len(document.book.entries)) == ("card-v3", "B", 2)
    assert lorebook_of_card({"name": "A", "first_mes": "x"}, name="A").book.entries == ()


def test_keys_that_are_no_texts_do_not_stop_an_export(tmp_path: Path) -> None:
    raw = {"content": "c", "insertion_order": 1, "enabled": True, "extensions": {}}
    odd = [raw | {"keys": [None, "/k/"]}, raw | {"keys": 5}]
    value, _ = convert_lorebook(read(tmp_path, {"entries": odd}), "lorebook-v3")
    entries = value["data"]["entries"]
    assert [(one["keys"], one["use_regex"]) for one in entries] == [([None, "/k/"], True), (5, False)]


def test_a_list_that_is_no_book_is_no_book(tmp_path: Path) -> None:
    card = {"spec": "chara_card_v3", "data": {"name": "A", "character_book": [None, 1, "x", {}]}}
    document = read(tmp_path, card)
    assert (document.format, document.book.entries) == ("card-v3", ())
    assert convert_lorebook(document, "lorebook-v3")[0]["data"]["entries"] == []


def test_what_stands_in_the_place_of_entries_stays(tmp_path: Path) -> None:
    module = {"type": "risuModule", "module": {"name": "M", "lorebook": "none"}}
    assert written(tmp_path, read(tmp_path, module)) == module
    empty = {"worldinfo_v2": {"entries": []}, "x": 1}
    assert written(tmp_path, read(tmp_path, empty)) == empty
    bare = {"kind": "memory", "_id": "1", "name": "M"}
    assert written(tmp_path, read(tmp_path, bare)) == bare


def test_missing_enabled_means_enabled(tmp_path: Path) -> None:
    value = {"entries": [{"keys": ["k"], "content": "c"}]}
    document = read(tmp_path, value)
    assert document.book.entries[0].enabled
    assert ("enabled", "defaulted", 0) in whats(document)


@pytest.mark.parametrize(
    "book", [None, {"entries": {"0": {"keys": ["k"], "content": "c", "enabled": True}}, "name": "n"}]
)
def test_cards_with_no_book_or_an_object_of_entries(tmp_path: Path, book: Any) -> None:
    card = V2_CARD | {"data": {"name": "Aria", "first_mes": "", "character_book": book}}
    document = read(tmp_path, card)
    assert [one.keys for one in document.book.entries] == ([("k",)] if book else [])
    assert document.format == "card-v2"
    if book:
        assert written(tmp_path, document) == card


@pytest.mark.parametrize("value", [{}, [1], 7, {"entries": 5}, [{"foo": 1}]])
def test_what_is_no_lorebook_is_refused(tmp_path: Path, value: Any) -> None:
    with pytest.raises(BadInputError, match=r"Odd\.json"):
        read(tmp_path, value, "Odd.json")


def test_unknown_and_impossible_formats(tmp_path: Path) -> None:
    document = read(tmp_path, WORLD)
    with pytest.raises(UsageError, match="nonsense"):
        write_lorebook(tmp_path / "x.json", document, "nonsense")
    with pytest.raises(UsageError, match="version 1"):
        write_lorebook(tmp_path / "x.json", document, "card-v1")


def test_a_card_of_version_1_is_written_without_its_book_which_is_told(tmp_path: Path) -> None:
    book = {"entries": [{"keys": ["a"], "content": "A", "enabled": True, "insertion_order": 1, "extensions": {}}]}
    data = {
        "name": "Mira", "description": "D", "personality": "P", "scenario": "S", "first_mes": "F", "mes_example": "E",
        "tags": ["t"], "creator": "", "character_book": book,
    }  # fmt: skip
    document = read(tmp_path, {"spec": "chara_card_v2", "spec_version": "2.0", "data": data})
    lines = write_lorebook(tmp_path / "flat.json", document, "card-v1")
    flat = json.loads((tmp_path / "flat.json").read_text())
    assert flat == {name: data[name] for name in tuple(data)[:6]}
    assert [(line.entry, line.field, line.what) for line in lines] == [
        (None, "tags", "dropped"),
        (0, "character_book", "dropped"),
    ]


RICH = LoreBook(
    name="Rich",
    entries=(
        LoreEntry(
            uid=1, keys=("a", "b"), secondary_keys=("c",), content="one\ntwo", comment="Rich", constant=True, order=7,
            position=Position.AT_DEPTH, depth=2, role=LoreRole.ASSISTANT, probability=40, group="g", scan_depth=9,
            case_sensitive=True, match_whole_words=False, sticky=2, cooldown=3, delay=4, exclude_recursion=True,
            triggers=("quiet",), sources=("scenario",), logic=SecondaryLogic.NOT_ALL, enabled=False,
            character_filter=CharacterFilter(False, ("A",), ("t",)), display_index=4,
        ),
    ),
    description="d",
    scan_depth=5,
)  # fmt: skip


@pytest.mark.parametrize("format_name", SHAPES)
def test_conversions_say_exactly_what_they_lose(tmp_path: Path, format_name: str) -> None:
    value, lines = convert_lorebook(LoreDocument("familiar", RICH), format_name)
    again = read(tmp_path, value)
    assert again.format == format_name
    entry, wanted = again.book.entries[0], RICH.entries[0]
    lost = {line.field for line in lines if line.entry == 0}
    for name in LoreEntry.__dataclass_fields__:
        if name not in ("uid", "display_index"):
            assert (getattr(entry, name) == getattr(wanted, name)) == (name not in lost), name
    if format_name == "sillytavern":
        assert lost == set()
    if format_name in ("book-v2", "lorebook-v3"):
        assert lost == set()
        assert (again.book.description, again.book.scan_depth) == ("d", 5)
    if format_name == "kobold":
        assert {"order", "position", "sticky", "logic"} <= lost
        assert entry.secondary_keys == ("c",)


@pytest.mark.parametrize("format_name", [name for name in LORE_FORMATS if name not in ("card-v1", "familiar")])
def test_every_format_can_be_written_from_every_other(tmp_path: Path, format_name: str) -> None:
    for name, (value, _) in FILES.items():
        document = read(tmp_path, value)
        write_lorebook(
            tmp_path / "out.json" if format_name != "charx" else tmp_path / "out.charx", document, format_name
        )
        again = read_lorebook(tmp_path / ("out.charx" if format_name == "charx" else "out.json"))
        assert again.format == format_name
        assert [one.content for one in again.book.entries] == [one.content for one in document.book.entries], name


def test_a_lorebook_goes_into_an_existing_picture_card(tmp_path: Path) -> None:
    path = tmp_path / "card.png"
    card = json.dumps(V2_CARD | {"data": V2_CARD["data"] | {"character_book": None}}).encode()
    path.write_bytes(replace_texts(read_png(plain_png(3, 3, (5, 6, 7)), source="x"), {"chara": base64.b64encode(card)}))
    before = read_card_file(path)
    write_lorebook(path, read(tmp_path, WORLD), "card-v2")
    after = read_card_file(path)
    assert (after.card, after.avatar_png) == (before.card, before.avatar_png)
    assert after.raw["data"]["extra"] == 1
    assert [one.content for one in read_lorebook(path).book.entries] == ["Two", "Five"]


def test_a_lorebook_makes_a_card_of_a_plain_picture(tmp_path: Path) -> None:
    path = tmp_path / "face.png"
    path.write_bytes(plain_png(4, 4, (9, 9, 9)))
    document = read(tmp_path, WORLD, "Harbour.json")
    write_lorebook(path, document)
    assert read_card_file(path).avatar_png == plain_png(4, 4, (9, 9, 9))
    assert (read_lorebook(path).format, read_lorebook(path).book.name) == ("card-v3", "Harbour")


def test_decorators_stay_out_of_version_two(tmp_path: Path) -> None:
    value = copy.deepcopy(V3_CARD)
    value["data"]["character_book"]["entries"][0]["content"] = "@@depth 4\n@@@role user\n\nText"
    document = read(tmp_path, value)
    lines = write_lorebook(tmp_path / "two.json", document, "card-v2")
    assert ("content", "dropped") in {(line.field, line.what) for line in lines}
    assert read_lorebook(tmp_path / "two.json").book.entries[0].content == "Text"
    write_lorebook(tmp_path / "three.png", document, "card-v3")
    assert read_lorebook(tmp_path / "three.png").book.entries[0].content.startswith("@@depth")


def test_a_document_as_json(tmp_path: Path) -> None:
    shown = read(tmp_path, WORLD).to_json()
    assert (shown["format"], shown["name"]) == ("sillytavern", "Book")
    assert (
        shown["entries"][1] | {"name": "F", "position": "at-depth", "role": "user", "logic": "not-any"}
        == shown["entries"][1]
    )
    assert json.loads(json.dumps(shown)) == shown
    assert {"entry": None, "field": "vendor", "what": "ignored"}.items() <= next(
        line for line in shown["report"] if line["field"] == "vendor"
    ).items()
