"""Editing a `lorebook.toml`: what stays, what is refused, and what is on the disk afterwards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.interchange.lorebook.lore_file import NO_FILE, LoreConflictError, LoreFile

TEXT = """\
# All about the north.
name = "North"
mystery = 7

[[entries]]
id = 3
# Written at night.
keys = ["dragon"]
content = "Dragons sleep."

[[entries]]
keys = ["elf"]
content = "Elves sing."
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lorebook.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_change_leaves_comments_and_unknown_keys(path: Path) -> None:
    file = LoreFile(path)
    loaded = file.load()
    first, second = loaded.book.entries
    saved = file.save(loaded, replace(loaded.book, entries=(replace(first, content="Dragons wake."), second)))
    assert path.read_text(encoding="utf-8") == TEXT.replace("Dragons sleep.", "Dragons wake.")
    assert saved.revision == file.revision() != loaded.revision
    assert saved.book.entries[0].content == "Dragons wake."


def test_a_second_save_goes_on_from_the_first(path: Path) -> None:
    file = LoreFile(path)
    loaded = file.load()
    new = LoreEntry(uid=9, keys=("fox",), content="Foxes run.")
    saved = file.save(loaded, replace(loaded.book, entries=(*loaded.book.entries, new)))
    last = file.save(saved, replace(saved.book, entries=saved.book.entries[1:]))
    assert [entry.keys for entry in last.book.entries] == [("elf",), ("fox",)]
    assert "mystery = 7" in path.read_text(encoding="utf-8")


def test_a_save_without_a_change_does_not_touch_the_file(path: Path) -> None:
    file = LoreFile(path)
    before = path.stat().st_mtime_ns
    loaded = file.load()
    assert file.save(loaded, loaded.book).revision == loaded.revision
    assert path.stat().st_mtime_ns == before


def test_a_file_changed_elsewhere_is_not_written_over(path: Path) -> None:
    file = LoreFile(path)
    loaded = file.load()
    theirs = TEXT.replace("Elves sing.", "Elves hide.")
    path.write_text(theirs, encoding="utf-8")
    with pytest.raises(LoreConflictError) as caught:
        file.save(loaded, replace(loaded.book, entries=()))
    assert path.read_text(encoding="utf-8") == theirs
    assert caught.value.current is not None
    assert caught.value.current.book.entries[1].content == "Elves hide."


@pytest.mark.parametrize("harm", ["gone", "broken"])
def test_a_file_that_went_or_broke_is_a_conflict_too(path: Path, harm: str) -> None:
    file = LoreFile(path)
    loaded = file.load()
    if harm == "gone":
        path.unlink()
    else:
        path.write_text("[[entries", encoding="utf-8")
    with pytest.raises(LoreConflictError) as caught:
        file.save(loaded, loaded.book)
    assert caught.value.current is None
    assert path.exists() == (harm == "broken")


def test_the_first_save_makes_the_file(tmp_path: Path) -> None:
    file = LoreFile(tmp_path / "lorebook.toml")
    loaded = file.load()
    assert (loaded.revision, loaded.book.entries, loaded.book.name) == (NO_FILE, (), "lorebook")
    file.save(loaded, replace(loaded.book, entries=(LoreEntry(uid=0, keys=("a,b",), content="x\ny"),)))
    assert file.load().book.entries[0].keys == ("a,b",)
    with pytest.raises(LoreConflictError):
        file.save(loaded, loaded.book)


def test_a_broken_file_is_refused_with_its_line(path: Path) -> None:
    path.write_text('name = "x"\nentries = [[\n', encoding="utf-8")
    with pytest.raises(BadInputError) as caught:
        LoreFile(path).load()
    assert caught.value.line == 3


def test_a_book_that_is_called_like_its_file_can_get_a_name(path: Path) -> None:
    path.write_text('[[entries]]\nkeys = ["a"]\ncontent = "A"\n', encoding="utf-8")
    file = LoreFile(path)
    loaded = file.load()
    assert loaded.book.name == "lorebook"
    deeper = file.save(loaded, replace(loaded.book, scan_depth=3))
    assert "name" not in path.read_text(encoding="utf-8")
    named = file.save(deeper, replace(deeper.book, name="North"))
    assert named.book.name == LoreFile(path).load().book.name == "North"
