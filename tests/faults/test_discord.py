"""A message on Discord that nobody could have written: 200 MB in one frame."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.discord.stage import stage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
HUGE = 200 * 1024 * 1024


async def test_a_message_of_200_mb_does_not_end_the_link_nor_the_vault(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        await on.scene.write("Ann", "@Mira before")
        await on.until_said(lambda said: any("before" in one for one in said))
        await on.scene.write("Ann", "x" * HUGE)
        await on.scene.write("Ann", "@Mira behind")
        said = await on.until_said(lambda said: any("behind" in one for one in said))
        assert sum(map(len, said)) < HUGE / 10, "all of it was kept"
        assert await on.vault.verify() == []
