"""No export takes the place of a folder, a device, or a file of a vault."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import UserError
from familiar_app.domain.turn import Turn
from familiar_app.interchange.cards import write_card
from familiar_app.interchange.turn_export import export_turns


async def no_turns() -> AsyncIterator[list[Turn]]:
    yield []


async def as_turns(path: Path) -> None:
    await export_turns(no_turns(), path, overwrite=True, progress=lambda _done: None)


async def as_card(path: Path) -> None:
    write_card(path, CharacterCard(name="Mira"))


@pytest.mark.parametrize("write", [as_turns, as_card])
@pytest.mark.parametrize(
    "name", ["vault.db", "vault.keys", "Vault.DB", "vault.db-wal", "vault.lock", "vault.db.new", "vault.keys.old-1"]
)
@pytest.mark.parametrize("there", [True, False])
async def test_files_of_a_vault_are_never_written(
    tmp_path: Path, write: Callable[[Path], object], name: str, there: bool
) -> None:
    path = tmp_path / name
    if there:
        path.write_bytes(b"precious")
    with pytest.raises(UserError, match="name of a vault's file"):
        await write(path)  # type: ignore[misc]
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == ([(name, b"precious")] if there else [])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("write", [as_turns, as_card])
async def test_folders_pipes_and_links_to_a_vault_are_refused(tmp_path: Path, write: Callable[[Path], object]) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "vault.db").write_bytes(b"precious")
    (tmp_path / "link").symlink_to(tmp_path / "vault.db")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for name, words in (
        ("folder", "is a folder"),
        ("pipe", "not an ordinary file"),
        ("link", "name of a vault's file"),
        ("circle", "cannot be looked up"),
    ):
        with pytest.raises(UserError, match=words):
            await write(tmp_path / name)  # type: ignore[misc]
    assert (tmp_path / "vault.db").read_bytes() == b"precious"
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["circle", "folder", "link", "pipe", "vault.db"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="making links needs a right of its own on Windows")
async def test_a_link_that_leads_nowhere_counts_as_existing(tmp_path: Path) -> None:
    link = tmp_path / "out.jsonl"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UserError, match="exists already"):
        await export_turns(no_turns(), link, overwrite=False, progress=lambda _done: None)
    assert link.is_symlink()
