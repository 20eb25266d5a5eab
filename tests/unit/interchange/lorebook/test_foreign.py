"""What other programs say beyond us survives in our own file: it is written back as it was, edits aside."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.entry import LoreBook
from familiar_app.domain.lorebook.kind import MISSING
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import convert_lorebook, own_book, read_lorebook, write_lorebook
from familiar_app.interchange.lorebook.foreign import Residue, residue_between, residue_from
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.interchange.lorebook.merge import merge_books
from familiar_app.interchange.lorebook.native import parse_native, render_native
from familiar_app.interchange.lorebook.shape import Shape, entries_value, read_book
from familiar_app.interchange.lorebook.shape_write import keep_foreign, write_book
from familiar_app.interchange.report import Report
from tests.unit.interchange.lorebook.test_lorebook_files import FILES
from tests.unit.interchange.lorebook.test_shapes import ALL_SHAPES, EDITS, _differences, _fields_of, raw_book


def stored(book: LoreBook) -> LoreBook:
    """Return the book as it comes back from a file of ours."""
    return parse_native(render_native(book), source="lorebook.toml", name="lorebook", report=Report())


def as_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.foreign_name)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_nothing_changes_on_the_way_through_our_file(shape: Shape, data: st.DataObject) -> None:
    value = data.draw(raw_book(shape))
    book, slots = read_book(shape, value, "Book", Report())
    if not book.entries:
        return
    back = stored(keep_foreign(shape, book, value, slots))
    assert as_json(write_book(shape, back, None, None, Report())) == as_json(value)


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: shape.foreign_name)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_one_edit_in_our_file_changes_that_field_only(shape: Shape, data: st.DataObject) -> None:
    value = data.draw(raw_book(shape))
    read, slots = read_book(shape, value, "Book", Report())
    if not read.entries:
        return
    text = render_native(keep_foreign(shape, read, value, slots))
    book = parse_native(text, source="x", name="lorebook", report=Report())
    place = data.draw(st.integers(0, len(book.entries) - 1))
    attribute = data.draw(st.sampled_from([name for name in EDITS if _fields_of(shape, name)]))
    edited = replace(book.entries[place], **{attribute: data.draw(EDITS[attribute])})
    entries = (*book.entries[:place], edited, *book.entries[place + 1 :])
    again = parse_native(
        render_native(replace(book, entries=entries), text), source="x", name="lorebook", report=Report()
    )
    result = write_book(shape, again, None, None, Report())
    changed = {path for path in _differences(entries_value(shape, value), entries_value(shape, result)) if path}
    allowed = {one.path for field in _fields_of(shape, attribute) for one in field.places}
    allowed |= {"use_regex", "useRegex"} if attribute in ("keys", "secondary_keys", "constant") else set()
    # A key that becomes a pattern makes one of the secondary text too, in which a comma would then be looked for.
    allowed |= {"secondkey"} if attribute == "keys" else set()
    allowed |= {"keyanti", "keysecondary"} if attribute in ("logic", "secondary_keys") else set()
    assert {path.partition(".")[2] for path in changed} <= allowed | {path.partition(".")[0] for path in allowed}


@pytest.mark.parametrize("name", FILES)
def test_files_of_every_program_come_back_out_of_our_file(tmp_path: Path, name: str) -> None:
    value, format_name = FILES[name]
    source, own = tmp_path / "Book.json", tmp_path / "lorebook.toml"
    source.write_text(json.dumps(value), encoding="utf-8")
    write_lorebook(own, read_lorebook(source))
    taken = read_lorebook(own)
    shape = {"card-v2": "book-v2", "card-v3": "lorebook-v3", "charx": "lorebook-v3"}.get(format_name, format_name)
    result, lost = convert_lorebook(taken, shape)
    origin = read_lorebook(source).origin
    assert origin is not None
    wanted = origin.book_value()
    assert as_json(result["data"] if shape == "lorebook-v3" else result) == as_json(wanted)
    assert lost == convert_lorebook(replace(read_lorebook(source), card=None), shape)[1]


def test_an_edit_by_hand_wins_over_what_was_kept(tmp_path: Path) -> None:
    raw = {
        "key": "k, /b,c/i",
        "insertorder": "7",
        "comment": "One",
        "content": "old",
        "mode": "multiple",
        "x": {"y": None},
    }
    (tmp_path / "risu.json").write_text(json.dumps({"type": "risu", "ver": 1, "data": [raw], "extra": 1}))
    own = LoreFile(tmp_path / "lorebook.toml")
    own.save(own.load(), own_book(read_lorebook(tmp_path / "risu.json")))
    text = own.path.read_text(encoding="utf-8")
    assert text.count("foreign = ") == 2
    own.path.write_text(text.replace('"old"', '"new"').replace("order = 7", "order = 8"), encoding="utf-8")
    value, _ = convert_lorebook(own.load().document, "risu")
    assert value == {"type": "risu", "ver": 1, "data": [raw | {"content": "new", "insertorder": 8}], "extra": 1}


@pytest.mark.parametrize("deep", ["[" * 140 + "]" * 140, '{"a":' * 140 + "1" + "}" * 140])
def test_deep_values_are_kept_and_deeper_ones_refused(tmp_path: Path, deep: str) -> None:
    path, own = tmp_path / "a.json", tmp_path / "own.toml"
    path.write_text(f'{{"entries": {{"0": {{"key": ["k"], "content": "c", "x": {deep}}}}}}}')
    write_lorebook(own, read_lorebook(path))
    assert convert_lorebook(read_lorebook(own), "sillytavern")[0]["entries"]["0"]["x"] == json.loads(deep)
    for levels in (200, 700, 990, 5000):
        path.write_text("[" * levels + "]" * levels)
        with pytest.raises(BadInputError, match="nested"):
            read_lorebook(path)


def test_entries_keep_their_own_when_books_are_merged(tmp_path: Path) -> None:
    raw = {"key": ["k"], "content": "c", "uid": 0, "vendor": [1]}
    (tmp_path / "a.json").write_text(json.dumps({"entries": {"0": raw}}))
    taken = own_book(read_lorebook(tmp_path / "a.json"))
    merged = merge_books(parse_native('[[entries]]\nkeys = ["x"]', source="x", name="n", report=Report()), taken)
    value, _ = convert_lorebook(LoreDocument("familiar", stored(merged.book)), "sillytavern")
    assert value["entries"]["1"] == raw | {"uid": 1}
    assert merge_books(merged.book, taken).added == 0


def test_what_another_format_cannot_hold_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"entries": {"0": {"key": ["k"], "content": "c", "vendor": 1}}}))
    kept = LoreDocument("familiar", stored(own_book(read_lorebook(tmp_path / "a.json"))))
    assert "foreign" not in {line.field for line in convert_lorebook(kept, "sillytavern")[1]}
    lost = [line for line in convert_lorebook(kept, "agnai")[1] if line.field == "foreign"]
    assert [(line.entry, line.what) for line in lost] == [(0, "dropped")]


def test_a_book_of_one_card_version_keeps_its_extensions_in_the_other() -> None:
    entry = {
        "keys": ["k"],
        "content": "c",
        "enabled": True,
        "insertion_order": 1,
        "extensions": {"v": {"a": 1}},
        "id": 0,
    }
    shape = next(one for one in ALL_SHAPES if one.name == "book-v2")
    book, slots = read_book(shape, {"entries": [entry], "extensions": {}}, "B", Report())
    kept = stored(keep_foreign(shape, book, {"entries": [entry], "extensions": {}}, slots))
    value, _ = convert_lorebook(LoreDocument("familiar", kept), "lorebook-v3")
    assert value["data"]["entries"][0] == entry | {"use_regex": False}


@pytest.mark.parametrize(
    "text", ["", "x", "[]", '{"risu": 5}', '{"risu": {"set": 3, "gone": [5, [], [1]]}}', '{"risu": {"set": [[["a"]]]}}']
)
def test_what_somebody_else_wrote_there_does_no_harm(text: str) -> None:
    kept = residue_from(text, "risu")
    assert kept is None or kept.apply({"a": 1}) == {"a": 1}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, "", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abc"), JSON), st.dictionaries(st.sampled_from("abc"), JSON))
def test_a_residue_leads_from_one_value_to_the_other(written: dict[str, Any], said: dict[str, Any]) -> None:
    before = copy.deepcopy(written)
    kept = residue_between(written, said)
    assert as_json(kept.apply(written)) == as_json(said)
    assert written == before
    text = kept.to_text("f")
    assert (residue_from(text, "f") or Residue()) == kept
    assert residue_from(text, "other") is None
    assert MISSING not in said.values()
