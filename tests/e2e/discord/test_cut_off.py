"""The program is killed at every point of an answer on Discord: the answer is there once, in the end and for good."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import ChannelKey
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.discord.deed import press, text_of
from tests.doubles.discord.scene import Scene
from tests.doubles.discord.server import fake_discord
from tests.doubles.talk import MIRA
from tests.e2e.discord import stage as staging
from tests.e2e.discord.cut_child import AGAIN, ANEW, PASSPHRASE, POINTS, TWO_PARTS
from tests.e2e.discord.stage import CHEAP, GENERAL, SERVER, Stage

ROOT = Path(__file__).parents[3]


@asynccontextmanager
async def scenery(folder: Path) -> AsyncIterator[Scene]:
    """A Discord with Ann, and a vault that nobody has open."""
    code, path = new_recovery_code(), folder / "vault.db"
    vault = await Vault.create(path, PASSPHRASE, recovery_code=code, clock=SystemClock(), cost=CHEAP)
    await vault.channels.ensure(GENERAL, familiar=MIRA, title="general", guild=SERVER)
    await vault.close()
    async with fake_discord() as discord:
        scene = Scene(discord)
        scene.join("Ann")
        yield scene


async def killed(scene: Scene, folder: Path, point: str, *, message: int | None = None) -> None:
    """Run the program until it is killed while it answers Ann, or while it answers anew."""
    discord = scene.discord
    arguments = (str(folder / "vault.db"), discord.address, discord.gateway.url, discord.gateway.token, point)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.e2e.discord.cut_child", *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    while (line := await process.stdout.readline()) and line.strip() != b"connected":
        continue
    if message is None:
        await scene.write("Ann", "@Mira hi")
    else:
        await press(scene, "Ann", message, "again")
    assert await asyncio.wait_for(process.wait(), 120) in (-9, 9)


@asynccontextmanager
async def reopened(scene: Scene, folder: Path, words: str) -> AsyncIterator[Stage]:
    """Open the vault again and connect, until nothing is under way."""
    vault = await Vault.open(folder / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE, cost=CHEAP)
    try:
        on = staging._staged(scene, vault, SystemClock(), "")
        on.model.lines = {"": words}
        async with on.connected():
            await settled(on)
            yield on
    finally:
        await vault.close()


async def settled(on: Stage) -> None:
    for _ in range(3000):
        if not await on.vault.deliveries.left(MIRA):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("an answer is still under way")


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
async def test_an_answer_is_sent_once_wherever_it_was_cut_off(tmp_path: Path, point: str) -> None:
    async with scenery(tmp_path) as scene:
        await killed(scene, tmp_path, point)
        async with reopened(scene, tmp_path, TWO_PARTS) as on:
            shown = [one for one in scene.discord.world.messages.values() if one["author"]["bot"]]
            assert " ".join(one["content"] for one in shown).split() == TWO_PARTS.split()
            assert len(shown) == 2
            reply = await on.turn_of(int(shown[0]["id"]))
            assert await on.vault.messages.parts(reply.id) == [one["id"] for one in shown]
            assert await on.said() == ["Ann: @Mira hi", f"Mira: {TWO_PARTS.strip()}"]
            assert await on.vault.verify() == []
        async with reopened(scene, tmp_path, "Never said."):
            assert len([one for one in scene.discord.world.messages.values() if one["author"]["bot"]]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("point", AGAIN)
async def test_an_answer_given_anew_ends_up_the_same_on_both_sides(tmp_path: Path, point: str) -> None:
    async with scenery(tmp_path) as scene:
        async with reopened(scene, tmp_path, TWO_PARTS) as on:
            await scene.write("Ann", "@Mira hi")
            sent = await scene.replies(2)
            await on.turn_of(int(sent[1]["id"]))
            await settled(on)
        await killed(scene, tmp_path, f"again {point}", message=int(sent[1]["id"]))
        async with reopened(scene, tmp_path, "Never said.") as on:
            assert text_of(scene, int(sent[0]["id"])) == ANEW
            assert int(sent[1]["id"]) not in scene.discord.world.messages
            assert await on.said() == ["Ann: @Mira hi", f"Mira: {ANEW}"]
            assert await on.vault.verify() == []


async def test_an_answer_that_would_come_too_late_was_not_said(tmp_path: Path) -> None:
    async with scenery(tmp_path) as scene:
        await killed(scene, tmp_path, "made")
        vault = await Vault.open(tmp_path / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE, cost=CHEAP)
        await vault.projections._engine.write(
            lambda c: c.execute("UPDATE deliveries SET begun_at = begun_at - 3600000000").close()
        )
        await vault.close()
        async with reopened(scene, tmp_path, "Never said.") as on:
            assert await on.said() == ["Ann: @Mira hi"]
            assert not scene.discord.rest.sent


async def test_an_answer_to_what_was_erased_meanwhile_was_not_said(tmp_path: Path) -> None:
    async with scenery(tmp_path) as scene:
        await killed(scene, tmp_path, "made")
        vault = await Vault.open(tmp_path / "vault.db", clock=SystemClock(), passphrase=PASSPHRASE, cost=CHEAP)
        channel = await vault.channels.find(ChannelKey(GENERAL))
        assert channel is not None
        asked, _reply = await vault.turns.page(channel.id)
        await vault.turns.scrub(asked.id)
        await vault.close()
        async with reopened(scene, tmp_path, "Never said.") as on:
            assert await on.said() == []
            assert not scene.discord.rest.sent
