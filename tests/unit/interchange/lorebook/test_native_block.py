"""A change to one entry of `lorebook.toml` rewrites its own block, and comes out as if the whole had been rewritten."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.interchange.lorebook import native
from familiar_app.interchange.lorebook.native import parse_native, render_native
from familiar_app.interchange.lorebook.native_block import holds_alone, split_blocks
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
    blocks = split_blocks(TEXT, 3)
    assert blocks is not None
    assert holds_alone(blocks.entries[2], {"keys": ["fox"], "content": "Foxes run."})
    assert not holds_alone(blocks.entries[2], {"keys": ["fox"], "content": "Foxes rest."})
    assert split_blocks(TEXT, 2) is None


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
