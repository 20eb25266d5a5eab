"""Books at hand, read anew when their files change; and one book's entries brought into another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lorebook.entry import Folder, LoreBook, LoreEntry
from familiar_app.interchange.lorebook import library as library_module
from familiar_app.interchange.lorebook.library import LoreLibrary
from familiar_app.interchange.lorebook.merge import merge_books

A = LoreEntry(uid=0, keys=("a",), content="A")
B = LoreEntry(uid=1, keys=("b",), content="B")


def test_a_file_is_parsed_again_only_when_its_content_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    real = library_module.parse_native

    def counting(text: str, **more: object) -> LoreBook:
        parsed.append(text)
        return real(text, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(library_module, "parse_native", counting)
    path = tmp_path / "one.toml"
    text = '[[entries]]\nkeys = ["a"]\ncontent = "A"\n'
    path.write_text(text, encoding="utf-8")
    library = LoreLibrary()
    (first,) = library.read([path])
    assert first.book is not None
    assert first.book.entries[0].keys == ("a",)
    path.touch()
    assert library.read([path]) == [first]
    assert len(parsed) == 1
    path.write_text(text.replace('"A"', '"Z"'), encoding="utf-8")
    (second,) = library.read([path])
    assert second.book is not None
    assert (second.book.entries[0].content, len(parsed)) == ("Z", 2)
    assert second.revision != first.revision


def test_a_broken_and_a_missing_file_keep_nothing_from_the_others(tmp_path: Path) -> None:
    good, broken = tmp_path / "good.toml", tmp_path / "broken.toml"
    good.write_text('[[entries]]\nkeys = ["a"]\ncontent = "A"\n', encoding="utf-8")
    broken.write_bytes(b"\xff\xfe\xfd")
    found = LoreLibrary().read([broken, good, tmp_path / "gone.toml", tmp_path])
    assert [one.book is not None for one in found] == [False, True, False, False]
    assert [one.error is not None for one in found] == [True, False, True, True]


def test_an_empty_book_takes_the_other_as_it_is() -> None:
    new = LoreBook(name="n", entries=(A, B), scan_depth=3, folders=(Folder("f", "F"),))
    merged = merge_books(LoreBook(name="lorebook"), new)
    assert (merged.book, merged.added, merged.already_there, merged.report) == (new, 2, 0, ())


def test_what_is_there_stays_and_ids_do_not_meet() -> None:
    base = LoreBook(name="base", entries=(A,), folders=(Folder("f", "Mine"),), recursive=False)
    new = LoreBook(
        name="new",
        entries=(replace(A, uid=7), replace(B, uid=0, folder="f"), replace(B, uid=9, folder="f")),
        folders=(Folder("f", "Theirs"),),
        scan_depth=5,
        recursive=True,
    )
    merged = merge_books(base, new)
    assert (merged.added, merged.already_there) == (2, 1)
    assert [(entry.uid, entry.keys, entry.folder, entry.scan_depth) for entry in merged.book.entries] == [
        (0, ("a",), "", None),
        (7, ("a",), "", 5),
        (8, ("b",), "f-2", 5),
    ]
    assert merged.book.folders == (Folder("f", "Mine"), Folder("f-2", "Theirs"))
    assert merged.book.recursive is False
    assert {(line.field, line.what) for line in merged.report} == {
        ("id", "renamed"),
        ("scan_depth", "merged"),
        ("recursive", "dropped"),
    }


entries = st.lists(
    st.builds(
        LoreEntry,
        uid=st.integers(0, 5) | st.sampled_from(["x", "y"]),
        keys=st.just(("k",)),
        content=st.sampled_from("ab"),
    ),
    max_size=6,
    unique_by=lambda entry: entry.uid,
)


@given(entries, entries, st.none() | st.integers(0, 3))
def test_a_second_time_brings_nothing(base: list[LoreEntry], new: list[LoreEntry], depth: int | None) -> None:
    there = LoreBook(name="base", entries=tuple(base))
    other = LoreBook(name="new", entries=tuple(new), scan_depth=depth)
    first = merge_books(there, other)
    assert first.added + first.already_there == len(new)
    uids = [entry.uid for entry in first.book.entries]
    assert len(set(uids)) == len(uids)
    if base:
        again = merge_books(first.book, other)
        assert (again.added, again.book) == (0, first.book)
