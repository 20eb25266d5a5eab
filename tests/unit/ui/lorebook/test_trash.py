"""Deleted entries are kept beside their book, and come back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.ui.lorebook.trash import MOST, EntryTrash, gone, trash_file

EMPTY = LoreBook(name="b")


def entry(number: int, **values) -> LoreEntry:
    return LoreEntry(uid=number, keys=(f"key{number}",), content=f"Content {number}.", order=number, **values)


def contents(entries: list[LoreEntry]) -> list[str]:
    return [one.content for one in entries]


async def test_deleted_entries_are_there_newest_first_and_once(tmp_path: Path) -> None:
    trash = EntryTrash(tmp_path / "lorebook.toml")
    assert await trash.read(EMPTY) == []
    await trash.put([entry(1), entry(2, sticky=3)])
    await trash.put([entry(3), entry(1)])
    found = await EntryTrash(tmp_path / "lorebook.toml").read(EMPTY)
    assert contents(found) == ["Content 1.", "Content 3.", "Content 2."]
    assert found[2].sticky == 3
    assert trash_file(tmp_path / "lorebook.toml") == tmp_path / "trash" / "lorebook.entries"


async def test_what_the_book_has_again_is_not_listed_and_what_was_taken_is_gone(tmp_path: Path) -> None:
    trash = EntryTrash(tmp_path / "lorebook.toml")
    await trash.put([entry(1), entry(2)])
    again = replace(EMPTY, entries=(replace(entry(2), uid=77),))
    assert contents(await trash.read(again)) == ["Content 1."]
    await trash.take(entry(1))
    assert contents(await trash.read(EMPTY)) == ["Content 2."]


async def test_the_oldest_go_where_there_are_too_many(tmp_path: Path) -> None:
    trash = EntryTrash(tmp_path / "lorebook.toml")
    await trash.put([entry(n) for n in range(MOST + 2)])
    found = await trash.read(EMPTY)
    assert (len(found), found[-1].content) == (MOST, "Content 2.")


async def test_a_file_that_cannot_be_read_is_put_aside(tmp_path: Path) -> None:
    trash = EntryTrash(tmp_path / "lorebook.toml")
    (tmp_path / "trash").mkdir()
    trash_file(trash.book).write_text("[[entries]]\nkeys = [\n", encoding="utf-8")
    await trash.put([entry(1)])
    assert contents(await trash.read(EMPTY)) == ["Content 1."]
    assert (tmp_path / "trash" / "lorebook.unreadable").exists()


def test_empty_entries_are_not_kept() -> None:
    before = replace(EMPTY, entries=(entry(1), LoreEntry(uid=2), LoreEntry(uid=3, content="x")))
    assert [one.uid for one in gone(before, EMPTY)] == [1, 3]
