"""A process that is killed while it erases: the next one goes on, and ends where an undisturbed one ends."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.store.vault import Vault
from tests.unit.projectors.crash_story import EXIT_CODE, Teller
from tests.unit.projectors.erasure_reader import everything_in, pages_of
from tests.unit.projectors.scene import BEN, NOON, Scene
from tests.unit.projectors.test_erasure_story import drawn, whole

PLACES = 6


def erasing(vault: Path, key: bytes, last: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.unit.projectors.erasure_child", str(vault), key.hex(), str(last)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


@pytest.mark.slow
async def test_a_killed_erasure_goes_on_where_it_was(scene: Scene, tmp_path: Path) -> None:
    await Teller(scene.vault, scene.clock).tell()
    key, source = scene.vault.data_key(), scene.vault.path.parent
    await scene.vault.close()
    clock = FixedClock(NOON + timedelta(days=1))
    whole_one = copied(source, tmp_path / "whole")
    done = erasing(whole_one, key, 0)
    assert done.returncode == 0, done.stderr
    vault = await Vault.open(whole_one, clock=clock, data_key=key)
    expected = await drawn(vault)
    await vault.close()
    total = int(done.stdout)
    for place in range(1, PLACES + 1):
        path = copied(source, tmp_path / str(place))
        assert erasing(path, key, total * place // (PLACES + 1)).returncode == EXIT_CODE
        vault = await Vault.open(path, clock=clock, data_key=key)
        if await vault.erasure.pending():
            await vault.erasure.resume()
        assert await drawn(vault) == expected
        assert BEN.key not in await everything_in(vault)
        pages = pages_of(path, key)
        assert b"home Rome" in pages, "what Ann said is found like this"
        assert b"discord:2" not in pages
        assert b"Ben" not in pages
        assert b"song blue" not in pages
        await whole(vault, clock)
        await vault.close()


def copied(source: Path, to: Path) -> Path:
    shutil.copytree(source, to)
    return to / "vault.db"
