"""Properties of every JSON format: without an edit nothing changes, and one edit changes one thing."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.lorebook.entry import CharacterFilter, LoreRole, Position, SecondaryLogic
from familiar_app.domain.lorebook.fieldmap import Field, get_path, set_path
from familiar_app.domain.lorebook.kind import MISSING
from familiar_app.interchange.lorebook.kobold import KOBOLD_STORY, KOBOLD_V2
from familiar_app.interchange.lorebook.risu import RISU_MODULE
from familiar_app.interchange.lorebook.shape import Shape, entries_value, read_book
from familiar_app.interchange.lorebook.shape_write import write_book
from familiar_app.interchange.lorebook.sniff import SHAPES
from familiar_app.interchange.report import Report

ALL_SHAPES = [*SHAPES.values(), RISU_MODULE, KOBOLD_STORY, KOBOLD_V2]
WORD = st.text(alphabet="ab ,/*?é", max_size=4)
VALUE = (
    st.none() | st.booleans() | st.integers(-2, 9) | WORD | st.lists(WORD, max_size=2) | st.sampled_from(
        ["before_char", "after_char", "7", "", 0.5, {}, {"isExclude": True, "names": ["x"]}, ["/a/i"], "\ud800", 1e300]
    )
)  # fmt: skip

# What an edit may set an attribute to.
EDITS: dict[str, st.SearchStrategy[Any]] = {
    "keys": st.lists(st.sampled_from(["ka", "kb", "/k/i"]), min_size=1, max_size=2).map(tuple),
    "secondary_keys": st.just(("sa", "sb")),
    "content": st.just("edited"),
    "comment": st.just("Edited"),
    "enabled": st.booleans(),
    "constant": st.booleans(),
    "selective": st.booleans(),
    "logic": st.sampled_from(SecondaryLogic),
    "order": st.integers(1, 999),
    "position": st.sampled_from(Position),
    "depth": st.integers(0, 9),
    "role": st.sampled_from(LoreRole),
    "probability": st.integers(0, 100),
    "group": st.just("g"),
    "scan_depth": st.none() | st.integers(0, 9),
    "case_sensitive": st.none() | st.booleans(),
    "exclude_recursion": st.booleans(),
    "sticky": st.integers(0, 9),
    "sources": st.sampled_from([(), ("scenario",)]),
    "character_filter": st.just(CharacterFilter(True, ("n",), ())),
    "priority": st.integers(0, 9),
}


@st.composite
def raw_entry(draw: st.DrawFn, shape: Shape) -> dict[str, Any]:
    paths = [place.path for field in shape.fields for place in field.places]
    raw: dict[str, Any] = {"unknown": 1}
    for path, value in draw(st.dictionaries(st.sampled_from(paths), VALUE, max_size=6)).items():
        if not _blocked(raw, path):
            set_path(raw, path, value)
    if shape.uid_path:
        raw[shape.uid_path] = draw(st.none() | st.integers(0, 3) | st.just(""))
    return raw


def _blocked(raw: dict[str, Any], path: str) -> bool:
    parent = path.rpartition(".")[0]
    return bool(parent) and not isinstance(get_path(raw, parent) or {}, dict) and get_path(raw, parent) is not MISSING


@st.composite
def raw_book(draw: st.DrawFn, shape: Shape) -> Any:
    entries: Any = draw(st.lists(raw_entry(shape), min_size=1, max_size=2))
    if draw(st.integers(0, 5)) == 0:
        entries.append(draw(st.sampled_from([None, 5, "x"])))
    if shape.keyed:
        entries = {str(number): raw for number, raw in enumerate(entries)}
    if not shape.entries_path:
        return entries
    value = copy.deepcopy(shape.book_base) or {}
    set_path(value, shape.entries_path, entries)
    if draw(st.booleans()):
        value["other"] = draw(VALUE)
    for field in shape.book_fields:
        if draw(st.booleans()):
            set_path(value, field.path, draw(VALUE))
    return value


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: f"{shape.name}-{shape.entries_path}")
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_nothing_changes_without_an_edit(shape: Shape, data: st.DataObject) -> None:
    value = data.draw(raw_book(shape))
    before = copy.deepcopy(value)
    book, slots = read_book(shape, value, "Book", Report())
    assert write_book(shape, book, value, slots, Report()) == before
    assert value == before
    assert len({entry.uid for entry in book.entries}) == len(book.entries)


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=lambda shape: f"{shape.name}-{shape.entries_path}")
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_one_edit_changes_one_thing(shape: Shape, data: st.DataObject) -> None:
    value = data.draw(raw_book(shape))
    book, slots = read_book(shape, value, "Book", Report())
    if not book.entries:
        return
    target = data.draw(st.sampled_from(book.entries))
    attribute = data.draw(st.sampled_from([name for name in EDITS if _fields_of(shape, name)]))
    edited = replace(target, **{attribute: data.draw(EDITS[attribute])})
    entries = tuple(edited if entry is target else entry for entry in book.entries)
    report = Report()
    result = write_book(shape, replace(book, entries=entries), value, slots, report)
    again, _ = read_book(shape, result, "Book", Report())
    lost = {(line.entry, line.field) for line in report.lines}
    for number, (wanted, found) in enumerate(zip(entries, again.entries, strict=True)):
        for name in type(wanted).__dataclass_fields__:
            if getattr(wanted, name) != getattr(found, name):
                assert (number, name) in lost, name
                assert wanted is edited
    changed = {path for path in _differences(entries_value(shape, value), entries_value(shape, result)) if path}
    allowed = {place.path for field in _fields_of(shape, attribute) for place in field.places}
    allowed |= {"use_regex", "useRegex"} if attribute in ("keys", "secondary_keys", "constant") else set()
    # A key that becomes a pattern makes one of the secondary text too, in which a comma would then be looked for.
    allowed |= {"secondkey"} if attribute == "keys" else set()
    allowed |= {"keyanti", "keysecondary"} if attribute in ("logic", "secondary_keys") else set()
    above = {path.partition(".")[0] for path in allowed}
    inside = tuple(f"{path}." for path in allowed)
    names = {path.partition(".")[2] for path in changed}
    assert {name for name in names if not name.startswith(inside)} <= allowed | above


def _fields_of(shape: Shape, attribute: str) -> list[Field]:
    if attribute == "sources":
        return [field for field in shape.fields if field.attribute.startswith("source")]
    return [field for field in shape.fields if field.attribute == attribute]


def _differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Return the dotted paths at which two values differ; the first name is the entry's key."""
    if isinstance(before, list) and isinstance(after, list) and path == "":
        before, after = dict(enumerate(before)), dict(enumerate(after))
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [] if before == after else [path]
    found: list[str] = []
    for name in {**before, **after}:
        inner = f"{path}.{name}" if path else str(name)
        found += _differences(before.get(name, MISSING), after.get(name, MISSING), inner)
    return found
