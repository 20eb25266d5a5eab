"""`lorebook.toml`: what people write in it survives, and what is written reads back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.entry import (
    SOURCES,
    CharacterFilter,
    Folder,
    LoreBook,
    LoreEntry,
    LoreRole,
    Position,
    SecondaryLogic,
)
from familiar_app.interchange.lorebook.files import read_lorebook, write_lorebook
from familiar_app.interchange.lorebook.native import parse_native, render_native
from familiar_app.interchange.report import Report

WRITTEN = """\
# The harbour, by its keeper.
name = "Harbour"
mood = "calm"  # unknown here

[[entries]]
keys     = ["paris", "france"]   # places
content  = "Capital."
priority = 100

# Dragons are rare.
[[entries]]
keys = ["dragon", "Cassidy"]
selective = true
content = \"\"\"
Radiant light,
not fire.\"\"\"
colour = "blue"

[[entries]]
id = "kelp"
keys = ["kelp"]
content = "Green."
position = "at-depth"
depth = 2
role = "user"
also_search = ["scenario"]
"""


def parse(text: str) -> LoreBook:
    return parse_native(text, source="lorebook.toml", name="Book", report=Report())


def test_what_a_person_writes() -> None:
    book = parse(WRITTEN)
    first, second, third = book.entries
    assert book.name == "Harbour"
    assert (first.keys, first.order, first.uid) == (("paris", "france"), 100, 0)
    assert (second.keys, second.secondary_keys, second.logic) == (("dragon",), ("Cassidy",), SecondaryLogic.AND_ALL)
    assert second.content == "Radiant light,\nnot fire."
    assert (third.uid, third.position, third.depth, third.role) == ("kelp", Position.AT_DEPTH, 2, LoreRole.USER)
    assert third.sources == ("scenario",)


def test_writing_without_a_change_changes_nothing() -> None:
    assert render_native(parse(WRITTEN), WRITTEN) == WRITTEN
    assert render_native(parse(WRITTEN), WRITTEN.replace("\n", "\r\n")) == WRITTEN.replace("\n", "\r\n")


def test_an_edit_touches_its_line_only() -> None:
    book = parse(WRITTEN)
    first, *others = book.entries
    edited = replace(book, entries=(replace(first, order=7, content="Old capital."), *others))
    expected = WRITTEN.replace("priority = 100", "priority = 7").replace('"Capital."', '"Old capital."')
    assert render_native(edited, WRITTEN) == expected


def test_the_short_form_gives_way_when_its_keys_change() -> None:
    book = parse(WRITTEN)
    changed = replace(book.entries[1], secondary_keys=("wing",))
    text = render_native(replace(book, entries=(book.entries[0], changed, book.entries[2])), WRITTEN)
    assert parse(text).entries[1] == changed
    assert "selective" not in text
    assert 'colour = "blue"' in text


def test_settings_that_go_back_to_their_default_leave_the_file() -> None:
    book = parse('[[entries]]\nkeys = ["a"]\ncontent = ""\nscan_depth = 3\nsticky = 4\n')
    plain = replace(book.entries[0], scan_depth=None, sticky=0)
    assert render_native(
        replace(book, entries=(plain,)), '[[entries]]\nkeys = ["a"]\nscan_depth = 3\nsticky = 4\n'
    ) == ('[[entries]]\nkeys = ["a"]\n')


def test_entries_come_go_and_move_with_their_comments() -> None:
    book = parse(WRITTEN)
    first, second, third = book.entries
    new = LoreEntry(uid=9, keys=("new",), content="New\nlines")
    added = render_native(replace(book, entries=(first, second, third, new)), WRITTEN)
    assert added.startswith(WRITTEN)
    assert parse(added).entries[3] == new
    moved = render_native(replace(book, entries=(third, new, second)), WRITTEN)
    assert [one.content for one in parse(moved).entries] == [third.content, new.content, second.content]
    assert 'colour = "blue"' in moved
    assert "# The harbour, by its keeper." in moved
    assert parse(render_native(replace(book, entries=()), WRITTEN)).entries == ()


def test_an_entry_without_id_takes_nobody_elses() -> None:
    text = '[[entries]]\nid = 0\nkeys = ["a"]\n[[entries]]\nkeys = ["new"]\n[[entries]]\nid = 1\nkeys = ["b"]\n'
    assert [(one.uid, one.keys) for one in parse(text).entries] == [(0, ("a",)), (2, ("new",)), (1, ("b",))]


def test_inline_entries_are_understood_and_grow() -> None:
    text = 'entries = [{keys = ["a"], content = "A", odd = 1}]\n'
    book = parse(text)
    grown = replace(book, entries=(*book.entries, LoreEntry(uid=5, keys=("b",), content="B")))
    written = render_native(grown, text)
    assert [one.content for one in parse(written).entries] == ["A", "B"]
    assert "odd = 1" in written


@pytest.mark.parametrize("text", ['name = "A"\n', WRITTEN, 'entries = [{keys = ["a"], content = "A"}]\n'])
def test_a_byte_order_mark_that_is_left_hinders_no_change(text: str) -> None:
    marked = f"\ufeff{text}"
    book = replace(parse(marked), description="All about it.")
    assert render_native(parse(marked), marked).removeprefix("\ufeff") == text
    assert parse(render_native(book, marked)) == book


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('a = 1\nb = "', "not valid TOML", 2),
        ("entries = 3", "entries have to be tables", None),
        ("a = 1\na = 2", "TOML", 2),
        ("name = 'a'\r\r\n", "not valid TOML", 1),
        (f"x = {'[' * 101}{']' * 101}", "nested more than 100 levels", None),
        (f"[[entries]]\nx = {'[' * 120}{']' * 120}", "nested more than 100 levels", None),
    ],
)
def test_what_is_no_book_is_refused(text: str, reason: str, line: int | None) -> None:
    with pytest.raises(BadInputError, match=reason) as caught:
        parse(text)
    assert caught.value.line == line or line is None


def test_odd_values_are_reported() -> None:
    report = Report()
    text = '[[entries]]\nkeys = "one"\norder = "7"\nposition = "nowhere"\nwhat = 1\n'
    book = parse_native(text, source="x", name="B", report=report)
    assert (book.entries[0].keys, book.entries[0].order, book.entries[0].position) == (("one",), 7, Position.BEFORE)
    assert {(line.field, line.what) for line in report.lines} == {
        ("keys", "repaired"), ("order", "repaired"), ("position", "repaired"), ("what", "ignored"),
    }  # fmt: skip


def test_characters_that_are_no_list_are_reported() -> None:
    report = Report()
    text = '[[entries]]\ncharacters = {names = 5, tags = "sea"}\n[[entries]]\ncharacters = {names = ["Ann", 7]}\n'
    book = parse_native(text, source="x", name="B", report=report)
    assert [one.character_filter for one in book.entries] == [
        CharacterFilter(tags=("sea",)), CharacterFilter(names=("Ann", "7"))
    ]  # fmt: skip
    assert [(line.entry, line.field, line.what) for line in report.lines] == [
        (0, "characters", "repaired"), (1, "characters", "repaired")
    ]  # fmt: skip


def test_numbers_too_long_to_be_written_out_are_no_texts() -> None:
    report, long = Report(), "0x" + "f" * 4000
    text = f'name = {long}\n[[folders]]\nid = {long}\n[[folders]]\nid = 7\nname = ["x"]\n'
    text += f"[[entries]]\nname = {long}\nkeys = [0xff, {long}]\ncharacters = {{names = [{long}]}}\norder = {long}\n"
    book = parse_native(text, source="x", name="B", report=report)
    entry = book.entries[0]
    assert (book.name, book.folders) == ("B", (Folder("7", ""),))
    assert (entry.comment, entry.keys, entry.character_filter, entry.order) == ("", ("255",), None, 100)
    assert {(line.entry, line.field) for line in report.lines} == {
        (None, "name"), (0, "name"), (0, "keys"), (0, "characters"), (0, "order")
    }  # fmt: skip
    assert parse(render_native(replace(book, description="d"), text)).description == "d"


def test_through_files(tmp_path: Path) -> None:
    path = tmp_path / "lorebook.toml"
    path.write_text(WRITTEN, encoding="utf-8")
    document = read_lorebook(path)
    assert document.format == "familiar"
    assert write_lorebook(tmp_path / "copy.toml", document) == ()
    assert (tmp_path / "copy.toml").read_text(encoding="utf-8") == WRITTEN


TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"""', "\\", "a\nb", "a\r\nb", "\n", "'''", "#", "\x00", "\x7f", "\u2028", 'x"\n""']
)
KEYS = st.lists(TEXT, max_size=3).map(tuple)
MAYBE = st.none() | st.booleans()
ENTRY = st.builds(
    LoreEntry,
    uid=st.integers(0, 99) | st.text(alphabet="abc", min_size=1, max_size=3),
    keys=KEYS,
    secondary_keys=KEYS,
    content=TEXT,
    comment=TEXT,
    enabled=st.booleans(),
    constant=st.booleans(),
    selective=st.booleans(),
    logic=st.sampled_from(SecondaryLogic),
    order=st.integers(-5, 500) | st.floats(0, 9).map(lambda number: round(number, 2)),
    position=st.sampled_from(Position),
    depth=st.integers(0, 9),
    role=st.sampled_from(LoreRole),
    outlet_name=TEXT,
    probability=st.integers(0, 100),
    group=TEXT,
    group_weight=st.integers(0, 300),
    use_group_scoring=MAYBE,
    scan_depth=st.none() | st.integers(0, 9),
    case_sensitive=MAYBE,
    match_whole_words=MAYBE,
    use_regex=MAYBE,
    exclude_recursion=st.booleans(),
    delay_until_recursion=st.integers(0, 3),
    sticky=st.integers(0, 3),
    triggers=st.lists(TEXT, max_size=2).map(tuple),
    sources=st.sets(st.sampled_from(SOURCES)).map(lambda chosen: tuple(name for name in SOURCES if name in chosen)),
    character_filter=st.none() | st.builds(CharacterFilter, exclude=st.booleans(), names=KEYS.filter(bool), tags=KEYS),
    priority=st.none() | st.integers(0, 9),
    folder=TEXT,
)
BOOK = st.builds(
    LoreBook,
    name=TEXT.filter(bool),
    entries=st.lists(ENTRY, max_size=4, unique_by=lambda entry: entry.uid).map(tuple),
    folders=st.lists(st.builds(Folder, id=TEXT, name=TEXT, enabled=st.booleans()), max_size=2).map(tuple),
    description=TEXT,
    scan_depth=st.none() | st.integers(0, 9),
    recursive=MAYBE,
)


@settings(deadline=None, max_examples=30)
@given(BOOK)
@example(LoreBook(name="n", entries=(LoreEntry(uid=0, content='\n"""\\\r', keys=("a\nb",)),)))
def test_every_book_comes_back(book: LoreBook) -> None:
    text = render_native(book)
    assert parse(text) == book
    assert render_native(book, text) == text


@settings(deadline=None, max_examples=20)
@given(BOOK, BOOK)
def test_every_book_can_become_every_other(before: LoreBook, after: LoreBook) -> None:
    text = render_native(before)
    assert parse(render_native(after, text)) == after
