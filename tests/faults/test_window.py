"""Faults under the open window: the person reads what happened, and what was said is there when it opens again."""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId
from familiar_app.store.vault import Vault
from tests.e2e.cli.conftest import PASSPHRASE
from tests.e2e.window.conftest import Screen, screen, wait_until  # noqa: F401
from tests.faults.damage import DATABASE, LOG, leave_log
from tests.faults.house import House, Known, look
from tests.unit.store.test_disk import mount

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def move_in(screen: Screen, house: House) -> None:  # noqa: F811
    """Let the window have the profile of a house."""
    shutil.copytree(house.profile, screen.profile)


def unlock(screen: Screen) -> None:  # noqa: F811
    screen.write("Passphrase", PASSPHRASE)
    screen.press("Return")


def until_read(screen: Screen, words: str) -> None:  # noqa: F811
    screen.until(lambda seen: any(words in one["text"] for one in seen.shown), f"the words {words!r}")


def known(screen: Screen) -> Known:  # noqa: F811
    found = look(screen.profile)
    assert isinstance(found, Known), found
    assert not found.problems
    return found


def said(screen: Screen) -> list[str]:  # noqa: F811
    """Read the newest messages beside the running program."""

    async def read() -> list[str]:
        path = screen.profile / "vault.db"
        vault = await Vault.open(path, clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
        try:
            channel = await vault.channels.find(MAIN_CHANNEL, familiar=FamiliarId("aria"))
            return [] if channel is None else [turn.content for turn in await vault.turns.page(channel.id)]
        finally:
            await vault.close()

    return asyncio.run(read())


def test_what_was_said_is_there_after_the_window_was_killed(screen: Screen, house: House) -> None:  # noqa: F811
    move_in(screen, house)
    program = screen.start()
    # A screen of which the last program was killed may end too; this one stays and looks for a window that never comes.
    staying = ["xdotool", "search", "--sync", "--name", "a window that never comes"]
    screen.running.insert(0, subprocess.Popen(staying, env=screen.environment(), stderr=subprocess.PIPE))
    unlock(screen)
    screen.until_chat()
    screen.write("Message", "remember the heron")
    screen.press("Return")
    wait_until(lambda: "remember the heron" in said(screen), "the message in the vault")
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert "remember the heron" in known(screen).turns.values()
    program = screen.start()
    unlock(screen)
    screen.until_chat()
    assert screen.end(program) == 0


@pytest.mark.parametrize("part", ["pages", "log"])
def test_a_damaged_vault_is_told_where_the_passphrase_is_typed(
    screen: Screen,  # noqa: F811
    house: House,
    past: House,
    part: str,
) -> None:
    if part == "log":
        leave_log(house, past)
        flip = LOG["the head of the log of changes"](house, random.Random(1))
    else:
        flip = DATABASE["the first page"](house, random.Random(1))
    flip.do()
    hit = flip.path.read_bytes()
    move_in(screen, house)
    program = screen.start()
    unlock(screen)
    until_read(screen, "log of changes" if part == "log" else "damaged")
    until_read(screen, "Go back to a backup")
    assert (screen.profile / flip.path.name).read_bytes() == hit, "it was written over"
    assert screen.end(program) == 0


def test_a_disk_that_fills_up_is_told_and_the_words_stay(screen: Screen, house: House) -> None:  # noqa: F811
    screen.profile.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=8m", "small", str(screen.profile)):
        pytest.skip("needs the right to mount a small file system (root on Linux)")
    try:
        shutil.copytree(house.profile, screen.profile, dirs_exist_ok=True)
        program = screen.start()
        unlock(screen)
        screen.until_chat()
        screen.until(lambda seen: seen.has("Vault open"), "an open vault")
        _fill(screen.profile)
        screen.write("Message", "there is no room for this")
        screen.press("Return")
        until_read(screen, "no room left")
        (screen.profile / "filler").unlink(missing_ok=True)
        assert screen.end(program) == 0
        known(screen)
    finally:
        subprocess.run(["umount", "-l", str(screen.profile)], check=True)


def _fill(folder: Path) -> None:
    try:
        with (folder / "filler").open("wb", buffering=0) as stream:
            while True:
                stream.write(bytes(4096))
    except OSError:
        return
