"""The folder of models: what is listed, and what may be deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.domain.errors import UserError
from familiar_app.domain.model_catalogue import needed_memory
from familiar_app.models.download_part import PartFile, unfinished
from familiar_app.models.download_remote import RemoteFile
from familiar_app.models.llama_fit import built_in_memory_bytes, free_memory_bytes
from familiar_app.models.model_shelf import ModelShelf, fits_memory
from tests.doubles.model_host import model_bytes


@pytest.fixture
def shelf(tmp_path: Path) -> ModelShelf:
    made = ModelShelf(tmp_path)
    made.folder.mkdir()
    return made


def begin(shelf: ModelShelf, file: str, data: bytes) -> None:
    part = PartFile(shelf.folder, file)
    part.note(RemoteFile("https://example.com/x.gguf", 1000, "0" * 64, None))
    part.write(data)
    part.close()


def test_nothing_is_here_at_first(tmp_path: Path) -> None:
    assert ModelShelf(tmp_path).models() == []
    assert ModelShelf(tmp_path).unfinished() == []


def test_files_are_listed_with_what_they_need(shelf: ModelShelf) -> None:
    (shelf.folder / "b.gguf").write_bytes(model_bytes(1000))
    (shelf.folder / "a.gguf").write_bytes(b"no model")
    (shelf.folder / "notes.txt").write_bytes(b"")
    (shelf.folder / "c.gguf").mkdir()
    broken, whole = shelf.models()
    assert (broken.file, broken.memory_bytes) == ("a.gguf", None)
    assert broken.problem
    assert (whole.file, whole.size_bytes, whole.problem) == ("b.gguf", 1000, "")
    assert whole.memory_bytes == needed_memory(1000, 0)


def test_what_was_begun_is_listed_by_itself(shelf: ModelShelf) -> None:
    begin(shelf, "a.gguf", b"1234")
    begin(shelf, "b.gguf", b"")
    assert [(one.file, one.done_bytes, one.size_bytes) for one in shelf.unfinished()] == [("a.gguf", 4, 1000)]
    assert shelf.models() == []


def test_a_damaged_note_is_no_download(shelf: ModelShelf) -> None:
    begin(shelf, "a.gguf", b"1234")
    for text in ("", "[]", '{"url": 1, "size_bytes": 1, "sha256": null, "version": null}', '{"url": "x"}'):
        (shelf.folder / "a.gguf.part.json").write_text(text)
        assert unfinished(shelf.folder) == []


def test_a_file_and_what_was_begun_of_it_go_together(shelf: ModelShelf) -> None:
    (shelf.folder / "a.gguf").write_bytes(model_bytes(1000))
    begin(shelf, "a.gguf", b"1234")
    shelf.remove("a.gguf")
    assert list(shelf.folder.iterdir()) == []
    with pytest.raises(UserError, match="no such model"):
        shelf.remove("a.gguf")


@pytest.mark.parametrize("name", ["../vault.db", "../a.gguf", "/etc/a.gguf", "a.gguf.part"])
def test_nothing_else_can_be_deleted(shelf: ModelShelf, name: str) -> None:
    with pytest.raises(UserError):
        shelf.remove(name)


def test_this_computer_says_how_much_memory_it_has() -> None:
    built_in, free = built_in_memory_bytes(), free_memory_bytes()
    assert built_in is not None
    assert free is not None
    assert free <= built_in
    assert fits_memory(1000)
    assert fits_memory(built_in + 1) is False
