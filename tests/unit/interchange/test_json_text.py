"""JSON from outside: which numbers and how many levels are taken; and files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.interchange.json_text import MAX_JSON_DEPTH, parse_json, write_file


def test_what_is_no_number_or_too_large_for_one_becomes_null() -> None:
    text = "[1e999, -1e999, NaN, Infinity, -Infinity, 1e308, 0.5, 7]"
    assert parse_json(text, source="x") == [None, None, None, None, None, 1e308, 0.5, 7]


def test_levels_are_counted() -> None:
    parse_json("[" * MAX_JSON_DEPTH + "]" * MAX_JSON_DEPTH, source="x")
    with pytest.raises(BadInputError, match="150 levels"):
        parse_json("[" * (MAX_JSON_DEPTH + 1) + "]" * (MAX_JSON_DEPTH + 1), source="x")


def refuse_to_remove(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(Path, "replace", refuse)


def test_a_disk_that_fails_at_every_step_is_told_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_to_remove(monkeypatch)
    with pytest.raises(OutsideError, match=r"book\.toml cannot be written: Read-only file system"):
        write_file(tmp_path / "book.toml", b"new")
    assert not (tmp_path / "book.toml").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows forces names to the disk by itself")
def test_the_name_of_a_written_file_reaches_the_disk_after_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[tuple[bool, bool]] = []
    sync = os.fsync

    def watch(descriptor: int) -> None:
        forced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "book.toml").exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    write_file(tmp_path / "book.toml", b"new")
    assert forced == [(False, False), (True, True)]
