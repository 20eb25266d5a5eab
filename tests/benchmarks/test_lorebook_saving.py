"""How much saving a lorebook of 5,000 entries costs beside reading it. Processor time counts.

Run with `-s` to see the figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.interchange.lorebook.lore_file import LoadedLore, LoreFile
from tests.benchmarks.test_lorebook_editor import ENTRIES, book

pytestmark = pytest.mark.slow


def timed(act: Callable[[], LoadedLore]) -> tuple[float, LoadedLore]:
    began = time.process_time()
    found = act()
    return time.process_time() - began, found


def changed(old: LoreBook, change: Callable[[LoreEntry], LoreEntry], *places: int) -> LoreBook:
    chosen = set(places or range(len(old.entries)))
    return replace(old, entries=tuple(change(one) if n in chosen else one for n, one in enumerate(old.entries)))


def test_a_save_costs_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "lorebook.toml"
    path.write_text(book(ENTRIES) + "# the end\n", encoding="utf-8")
    file = LoreFile(path)
    reading, loaded = timed(file.load)
    one, loaded = timed(lambda: file.save(loaded, changed(loaded.book, lambda e: replace(e, content="New."), 2500)))
    fewer, loaded = timed(lambda: file.save(loaded, replace(loaded.book, entries=loaded.book.entries[1:])))
    every, loaded = timed(lambda: file.save(loaded, changed(loaded.book, lambda e: replace(e, order=7, enabled=False))))
    print(f"\nread {reading:.2f} s; saved: one {one:.2f} s, one less {fewer:.2f} s, all {every:.2f} s")  # noqa: T201
    assert loaded.book == file.load().book
    assert path.read_text(encoding="utf-8").endswith("# the end\n")
    assert one <= reading / 3
    assert fewer <= reading / 2
    assert every <= reading * 3
