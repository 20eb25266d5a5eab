"""The lorebook while it is edited: changes, undo, the file, and what others do to it meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.ui.lorebook.merge import merge_books
from familiar_app.ui.lorebook.model import LorebookModel
from tests.unit.ui.lorebook.stage import TEXT, loaded, names


def book(*entries: LoreEntry) -> LoreBook:
    return LoreBook(name="b", entries=entries)


ONE, TWO, THREE = (LoreEntry(uid=n, comment=f"e{n}", keys=(f"k{n}",), content=f"c{n}") for n in (1, 2, 3))


# ---- merging


def test_changes_of_different_fields_come_together() -> None:
    base = book(ONE, TWO)
    mine = book(replace(ONE, content="mine"), TWO)
    theirs = book(replace(ONE, order=7), TWO, THREE)
    merged = merge_books(base, mine, theirs)
    assert merged.conflicts == ()
    assert merged.book == book(replace(ONE, content="mine", order=7), TWO, THREE)


def test_the_same_field_on_both_sides_is_a_conflict_and_shows_theirs() -> None:
    mine, theirs = replace(ONE, content="mine"), replace(ONE, content="theirs")
    merged = merge_books(book(ONE), book(mine), book(theirs))
    assert [(one.mine, one.theirs) for one in merged.conflicts] == [(mine, theirs)]
    assert merged.book.entries == (theirs,)


def test_an_entry_changed_here_and_deleted_there_is_kept_and_asked_about() -> None:
    mine = replace(ONE, content="mine")
    merged = merge_books(book(ONE, TWO), book(mine, TWO), book(TWO))
    assert [(one.mine, one.theirs) for one in merged.conflicts] == [(mine, None)]
    assert merged.book.entries == (mine, TWO)


def test_an_order_made_here_stays_and_their_new_entry_follows_its_neighbour() -> None:
    merged = merge_books(book(ONE, TWO), book(TWO, ONE), book(ONE, THREE, TWO))
    assert [one.uid for one in merged.book.entries] == [2, 1, 3]
    assert merge_books(book(ONE, TWO), book(ONE, TWO), book(TWO, ONE)).book == book(TWO, ONE)


# ---- changing and saving


async def test_a_change_goes_to_the_file_and_comments_stay(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.change(0, content="Dark since the tide.")
    assert model.unsaved
    await model.save()
    assert not model.unsaved
    old = "The lighthouse of Salt Harbour has been dark since the winter of the great tide."
    assert model.file.path.read_text(encoding="utf-8") == TEXT.replace(old, "Dark since the tide.")


async def test_entries_without_ids_keep_theirs_here_when_the_first_goes(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.select([1])
    model.delete([0])
    await model.save()
    model.change(1, content="He kept it.")
    await model.save()
    text = model.file.path.read_text(encoding="utf-8")
    assert "dark since" not in text
    assert text.count("He kept it.") == 1
    assert names(model) == ["Keeper Anselm", "The tide bell"]
    assert model.current == 1
    model.undo()
    model.undo()
    await model.save()
    assert [one.name for one in LoreFile(model.file.path).load().book.entries] == [
        "The lighthouse",
        "Keeper Anselm",
        "The tide bell",
    ]


async def test_typing_on_is_one_step_until_another_entry_is_chosen(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.select([0])
    for text in ("T", "Th", "Tho"):
        model.change(0, comment=text)
    model.select([1])
    model.select([0])
    model.change(0, comment="Thorn")
    assert len(model.history.done) == 2
    assert model.undo() == "“Name” changed"
    assert names(model)[0] == "Tho"
    model.undo()
    assert names(model)[0] == "The lighthouse"
    assert model.undo() == ""
    model.redo()
    assert names(model)[0] == "Tho"


async def test_adding_duplicating_moving_and_switching(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.select([0])
    made = model.add()
    assert [one.uid for one in model.rows()] == [0, made, 1, 2]
    assert model.selected == (made,)
    model.duplicate([2])
    assert names(model)[-2:] == ["The tide bell", "The tide bell (copy)"]
    model.move_by([1], -1)
    model.move_to([0], None)
    assert names(model) == ["Keeper Anselm", f"#{made}", "The tide bell", "The tide bell (copy)", "The lighthouse"]
    model.toggle([0, 1])
    assert [model.entry(uid).enabled for uid in (0, 1)] == [False, False]
    model.toggle([0, 1])
    assert [model.entry(uid).enabled for uid in (0, 1)] == [True, True]


async def test_a_deletion_can_be_taken_back_after_other_changes(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    step = model.delete([1])
    assert model.selected == (2,)
    model.change(2, content="Other.")
    model.revert(step)
    assert names(model) == ["The lighthouse", "Keeper Anselm", "The tide bell"]
    assert model.entry(2).content == "Other."


async def test_filter_and_sort(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.show_only("LAMP key")
    assert names(model) == ["Keeper Anselm"]
    assert not model.in_file_order
    model.show_only("")
    model.sort("order")
    assert names(model) == ["The tide bell", "Keeper Anselm", "The lighthouse"]
    model.change(0, order=1)
    assert names(model)[-1] == "The lighthouse"


# ---- the file meanwhile


async def test_a_change_from_outside_appears(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    told: list[str] = []
    model.watch(told.append)
    assert not await model.check_file()
    model.file.path.write_text(TEXT.replace("rings by itself", "is silent"), encoding="utf-8")
    assert await model.check_file()
    assert "is silent" in model.entry(2).content
    assert "book" in told
    assert not model.unsaved


async def test_what_others_wrote_before_a_save_is_merged(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.change(0, content="Mine.")
    model.file.path.write_text(TEXT.replace("rings by itself", "is silent"), encoding="utf-8")
    await model.save()
    text = model.file.path.read_text(encoding="utf-8")
    assert "Mine." in text
    assert "is silent" in text
    assert model.conflicts == {}


@pytest.mark.parametrize("mine", [True, False])
async def test_a_conflict_is_settled_by_the_person(tmp_path: Path, mine: bool) -> None:
    model = await loaded(tmp_path)
    model.change(2, content="Mine.")
    theirs = TEXT.replace("The bell under the pier rings by itself before a storm.", "Theirs.")
    model.file.path.write_text(theirs, encoding="utf-8")
    await model.save()
    assert list(model.conflicts) == [2]
    assert model.entry(2).content == "Theirs."
    model.settle(2, mine=mine)
    await model.save()
    assert model.conflicts == {}
    assert LoreFile(model.file.path).load().book.entries[2].content == ("Mine." if mine else "Theirs.")


async def test_a_broken_file_is_told_once_and_not_written_over(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.file.path.write_text("[[entries", encoding="utf-8")
    with pytest.raises(BadInputError):
        await model.check_file()
    assert not await model.check_file()
    model.change(0, content="Mine.")
    with pytest.raises(BadInputError):
        await model.save()
    assert model.file.path.read_text(encoding="utf-8") == "[[entries"
    assert model.unsaved
    model.file.path.write_text(TEXT, encoding="utf-8")
    await model.save()
    assert "Mine." in model.file.path.read_text(encoding="utf-8")


async def test_the_first_entry_makes_the_file(tmp_path: Path) -> None:
    model = LorebookModel(LoreFile(tmp_path / "lorebook.toml"))
    await model.load()
    uid = model.add()
    model.change(uid, keys=("fox",), content="Foxes run.")
    await model.save()
    assert LoreFile(model.file.path).load().book.entries[0].keys == ("fox",)


async def test_importing_leaves_out_what_is_here_and_can_replace_all(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    same = replace(model.entry(2), uid=0)
    other = book(same, ONE)
    step, count = model.bring_in(other, replace_all=False)
    assert count == 1
    assert names(model) == ["The lighthouse", "Keeper Anselm", "The tide bell", "e1"]
    model.revert(step)
    _, count = model.bring_in(other, replace_all=True)
    assert (count, names(model)) == (2, ["The tide bell", "e1"])
    assert model.book.name == "Salt Harbour"
    await model.save()
    assert len(LoreFile(model.file.path).load().book.entries) == 2


async def test_entries_are_put_into_folders_by_name(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.put_in_folder([0, 2], "Buildings")
    (folder,) = model.book.folders
    assert [one.folder for one in model.book.entries] == [folder.id, "", folder.id]
    model.put_in_folder([1], "buildings")
    assert [one.folder for one in model.book.entries] == [folder.id] * 3
    model.narrow(f"folder:{folder.id}")
    assert len(model.rows()) == 3
    model.put_in_folder([1], "")
    assert model.entry(1).folder == ""
    model.drop_folder(folder.id)
    assert (model.book.folders, [one.folder for one in model.book.entries]) == ((), ["", "", ""])
    for _ in range(4):
        model.undo()
    assert (model.book.folders, model.entry(0).folder) == ((), "")
    await model.save()


async def test_folders_and_bulk_changes_are_in_the_file(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    model.put_in_folder([0], "Buildings")
    model.raise_order([0, 1], 10)
    model.change_all([0, 1, 2], "Priority", priority=5)
    await model.save()
    again = LorebookModel(model.file)
    await again.load()
    assert [one.order for one in again.book.entries] == [210, 160, 100]
    assert [one.priority for one in again.book.entries] == [5, 5, 5]
    assert again.book.folders[0].name == "Buildings"
    assert again.entry(0).folder == again.book.folders[0].id
