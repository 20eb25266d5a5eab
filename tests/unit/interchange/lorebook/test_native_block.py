"""A change to one entry of `lorebook.toml` rewrites its own block, and comes out as if the whole had been rewritten."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.interchange.lorebook import native
from familiar_app.interchange.lorebook.native import parse_native, render_native
from familiar_app.interchange.lorebook.native_block import read_alone, split_blocks
from familiar_app.interchange.lorebook.native_edit import edit_block
from familiar_app.interchange.lorebook.native_text import read_text
from familiar_app.interchange.lorebook.shape import Shape
from familiar_app.interchange.report import Report

TEXT = """\
name = "North" # a comment

[[entries]] # first
id = 3
keys = ["dragon"]
content = \"\"\"
Dragons sleep.
\"\"\"
[entries.characters]
names = ["mira"]

# before the elf
[[entries]]
keys = ["elf"]
content = "Elves sing."
mystery = 7
[[entries]]
keys = ["fox"]
content = 'Foxes run.'"""


def parsed(text: str) -> LoreBook:
    return parse_native(text, source="x", name="x", report=Report())


def test_only_the_changed_block_differs() -> None:
    book = parsed(TEXT)
    first, second, third = book.entries
    changed = render_native(replace(book, entries=(first, replace(second, content="Elves hide."), third)), TEXT)
    assert changed == TEXT.replace("Elves sing.", "Elves hide.")


def test_blocks_are_dropped_moved_and_added_with_their_comments() -> None:
    book = parsed(TEXT)
    first, second, third = book.entries
    new = LoreEntry(uid=9, keys=("owl",), content="Owls\nsee.")
    text = render_native(replace(book, entries=(third, new, first)), TEXT)
    assert [one.keys for one in parsed(text).entries] == [("fox",), ("owl",), ("dragon",)]
    assert "mystery" not in text
    assert "# before the elf" in text
    assert text.startswith('name = "North" # a comment\n\n[[entries]]\nkeys = ["fox"]\n')
    assert parsed(text).entries[2].character_filter == first.character_filter
    assert second.content not in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        'entries = [{keys = ["a"], content = "x"}]',
        '[[entries]]\nkeys = ["a"]\ncontent = """\n[[entries]]\n"""\n',
        '[[entries]]\nkeys = ["a"]\ncontent = "x"\n[[folders]]\nid = "f"\nname = "F"\n',
    ],
)
def test_what_is_written_otherwise_is_rewritten_as_a_whole(text: str) -> None:
    book = parsed(text)
    wanted = replace(book, entries=tuple(replace(one, content="new") for one in book.entries))
    assert parsed(render_native(wanted, text)) == wanted


def test_a_block_is_taken_only_if_it_holds_its_entry_alone() -> None:
    blocks = split_blocks(TEXT, {})
    assert blocks is not None
    assert blocks.raws[2] == {"keys": ["fox"], "content": "Foxes run."}
    assert blocks.around == {"name": "North"}
    assert read_alone("[[entries]]\na = 1\n[folders]\n", {}) is None
    assert read_alone("[[entries]]\na = 1\n[[entries]]\n", {}) is None
    assert read_alone('[[entries]]\na = "', {}) is None


@pytest.mark.parametrize(
    "text",
    [
        'entries = []\n[[entries]]\nkeys = ["a"]\n',
        '[["entries"]]\nkeys = ["a"]\ncontent = """\n[[entries]]\n"""\n',
        '[[entries]]\nkeys = ["a"]\n[x]\n[[entries]]\nkeys = ["b"]\n',
        'x = 1\n[[entries]]\nkeys = ["a"]\n[x]\n',
        "[[entries]]\nkeys = [\n",
    ],
)
def test_a_text_with_other_things_between_is_not_split(text: str) -> None:
    assert split_blocks(text, {}) is None


def test_what_stands_behind_the_entries_does_not_make_them_slow() -> None:
    text = TEXT + '\n[[folders]]\nid = "f"\nname = "Far"\n'
    blocks = split_blocks(text, {})
    assert blocks is not None
    assert blocks.tail == '[[folders]]\nid = "f"\nname = "Far"\n'
    book = parsed(text)
    assert [folder.name for folder in book.folders] == ["Far"]
    third = replace(book.entries[2], content="Foxes rest.", folder="f")
    changed = render_native(replace(book, entries=(*book.entries[:2], third)), text)
    assert changed == text.replace("'Foxes run.'", '"Foxes rest."\nfolder = "f"')


BLOCK = """\
[[entries]] # one
keys = ["a", 'b#'] # these
  order = 7# often
content = \"\"\"
order = 3 # not this
said \\" so\"\"\"\"  # long

# before the next
"""


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"keys": ["c", '"']}, """["a", 'b#'] #""", """["c", "\\""] #"""),
        ({"keys": None}, """keys = ["a", 'b#'] # these\n""", ""),
        ({"sticky": 3}, "# long\n", "# long\nsticky = 3\n"),
        ({"content": "x"}, BLOCK[BLOCK.index('"""') : BLOCK.index("  # long")], '"x"'),
        ({"scan_depth": None}, "", ""),
    ],
)
def test_a_value_changes_and_the_rest_stays(changes: dict[str, object], old: str, new: str) -> None:
    raw = read_alone(BLOCK, {})
    assert raw is not None
    edited = edit_block(BLOCK, raw, changes)
    assert edited is not None
    wanted = {name: value for name, value in (raw | changes).items() if value is not None}
    assert edited[1] == wanted == read_alone(edited[0], {})
    assert edited[0] == (BLOCK.replace(old, new) if old else BLOCK)


def test_a_number_changes_with_the_comment_right_behind_it() -> None:
    raw = read_alone(BLOCK, {})
    assert raw is not None
    edited = edit_block(BLOCK, raw, {"order": 8.5, "enabled": False})
    assert edited is not None
    assert edited[0] == BLOCK.replace("order = 7#", "order = 8.5#").replace("# long\n", "# long\nenabled = false\n")


def test_a_value_that_cannot_be_changed_in_its_place_is_left_to_others() -> None:
    def changed(block: str, **changes: object) -> object:
        raw = read_alone(block, {})
        assert raw is not None
        return edit_block(block, raw, changes)

    assert changed('[[entries]]\n"order" = 7\n', order=8) is None
    assert changed('[[entries]]\nkeys = [\n"a", # first\n]\n', keys=["b"]) is None
    assert changed("[[entries]]\ncontent = '''\norder = 7\n'''\norder = 7\n", order=8) is None
    assert changed('[[entries]]\nkeys = ["a"]\n', characters={"names": ["x"]}) is None
    assert changed('[[entries]]\nkeys = ["a"]\n', order=8) == (
        '[[entries]]\nkeys = ["a"]\norder = 8\n',
        {"keys": ["a"], "order": 8},
    )


def test_an_entry_with_a_table_of_its_own_gets_new_values_above_it() -> None:
    book = parsed(TEXT)
    text = render_native(replace(book, entries=(replace(book.entries[0], order=5), *book.entries[1:])), TEXT)
    assert text == TEXT.replace("[entries.characters]", "order = 5\n[entries.characters]")


def test_what_was_read_before_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, report, again = read_text(TEXT, "x"), Report(), Report()
    book = native.read_native(first, "x", report)
    written = native.write_native(replace(book, entries=book.entries[1:]), first)
    after = parsed(written)
    read = Shape.read_entry
    seen: list[Any] = []
    monkeypatch.setattr(Shape, "read_entry", lambda *given: seen.append(given) or read(*given))
    assert native.read_native(read_text(written, "x", first), "x", again) == after
    assert seen == []
    assert [line.field for line in again.lines] == [line.field for line in report.lines] == ["mystery"]


@given(data=st.data())
def test_block_by_block_says_the_same_as_the_whole(data: st.DataObject) -> None:
    texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r"), max_size=12)
    entries = st.builds(LoreEntry, uid=st.integers(0, 9), keys=st.tuples(texts), content=texts, order=st.integers(0, 9))
    several = st.lists(entries, min_size=1, max_size=5, unique_by=lambda one: one.uid)
    text = render_native(LoreBook(name="b", entries=tuple(data.draw(several))))
    wanted = LoreBook(name="b", entries=tuple(data.draw(several)))
    whole = pytest.MonkeyPatch()
    quick = render_native(wanted, text)
    with whole.context() as patch:
        patch.setattr(native, "_rewrite_blocks", lambda *_: None)
        slow = render_native(wanted, text)
    assert parsed(quick) == parsed(slow)


def written(number: int, content: str, style: str) -> str:
    """Return an entry as a person might write it, with comments and a key that is unknown here."""
    text = {
        "basic": '"' + content.replace("\n", "\\n") + '"',
        "literal": f"'{content}'" if "\n" not in content else f"'''\n{content}'''",
        "long": f'"""\n{content}"""',
    }[style]
    return (
        f"\n# before {number}\n[[entries]] # head {number}\nid = {number}\nkeys = [ 'a', \"b\" ] # keys {number}\n"
        f"content = {text} # said {number}\nodd = {{ x = {number} }}\n  order=5  # order {number}\n"
    )


@given(data=st.data())
def test_comments_and_unknown_keys_survive_every_change(data: st.DataObject) -> None:
    lines = st.lists(st.sampled_from(["x", "order = 7", "[Dragons: old]", "[[entries]]", "# no", ""]), max_size=4)
    styles = st.sampled_from(["basic", "literal", "long"])
    texts = data.draw(st.lists(st.tuples(lines.map("\n".join), styles), min_size=1, max_size=4))
    text = "".join(written(number, *one) for number, one in enumerate(texts))
    book = parsed(text)
    change = st.fixed_dictionaries(
        {},
        optional={
            "order": st.integers(0, 9) | st.just(2.5),
            "content": lines.map("\n".join),
            "keys": st.lists(st.sampled_from(["c", '"', "d, e", "#", "]"]), min_size=1, max_size=2).map(tuple),
            "enabled": st.booleans(),
            "scan_depth": st.sampled_from([None, 3]),
            "comment": st.sampled_from(["", "A name"]),
        },
    )
    wanted = replace(book, entries=tuple(replace(one, **data.draw(change)) for one in book.entries))
    out = render_native(wanted, text)
    assert parsed(out) == wanted
    comments = [f"# {what} {n}" for n in range(len(texts)) for what in ("before", "head", "keys", "said", "order")]
    assert [one for one in comments if one not in out] == []
    assert all(f"odd = {{ x = {n} }}" in out for n in range(len(texts)))
