"""`serve` as a process: it connects, answers, ends on a signal, and says in a sentence why it cannot."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import uuid
from typing import TYPE_CHECKING

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import FamiliarId
from familiar_app.store.profile import Profile
from tests.doubles.discord.scene import Scene
from tests.doubles.discord.server import TOKEN, FakeDiscord, fake_discord
from tests.doubles.discord.world import GENERAL
from tests.doubles.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from familiar_app.domain.turn import Turn
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow
ROLES = ("system", "user", "assistant")


async def until_ready(discord: FakeDiscord, process: subprocess.Popen[str]) -> None:
    await until(lambda: discord.gateway.sessions or process.poll() is not None)
    assert process.poll() is None, process.communicate()[1]


async def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = await asyncio.to_thread(process.communicate, None, PATIENCE_S)
    return process.returncode, out, err


def arranged(familiar: Familiar, *replies: object) -> str:
    """Make a familiar with scripted answers; returns the file with the token."""
    familiar("init", "--name", "Mira", "--model", f"scripted:{familiar.script(*replies)}")
    path = familiar.outside / "token.txt"
    path.write_text(f"{TOKEN}\n")
    return str(path)


async def test_it_answers_and_ends_cleanly_on_a_signal(bare: Familiar) -> None:
    familiar = bare
    token = await asyncio.to_thread(arranged, familiar, "Good evening, [@Ann].")
    async with fake_discord() as discord:
        scene = Scene(discord)
        scene.join("Ann")
        process = familiar.start(
            "--json", "--local-only", "serve", "--token-file", token, "--subscribe", str(GENERAL),
            FAMILIAR_DISCORD_ADDRESS=discord.address,
        )  # fmt: skip
        await until_ready(discord, process)
        await scene.write("Ann", "@Mira good evening")
        await until(lambda: discord.rest.sent)
        process.send_signal(signal.SIGTERM)
        code, out, err = await ended(process)
    assert (code, out) == (0, '{"served": ["mira"]}\n'), err
    assert [one["content"] for one in discord.rest.sent] == [f"Good evening, <@{scene.people['Ann'].id}>."]
    assert [turn.content for turn in await asyncio.to_thread(familiar.turns)] == [
        "@Mira good evening",
        "Good evening, [@Ann].",
    ]
    assert TOKEN not in err
    for path in familiar.root.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes()


async def test_one_token_runs_once(bare: Familiar) -> None:
    familiar = bare
    token = await asyncio.to_thread(arranged, familiar)
    async with fake_discord() as discord:
        process = familiar.start("serve", "--token-file", token, FAMILIAR_DISCORD_ADDRESS=discord.address)
        await until_ready(discord, process)
        other = ("--profile-dir", str(familiar.root / "other"))
        scripted = f"scripted:{familiar.script()}"
        await asyncio.to_thread(lambda: familiar(*other, "init", "--name", "Mira", "--model", scripted))
        refused = await asyncio.to_thread(
            lambda: familiar(*other, "serve", "--token-file", token, FAMILIAR_DISCORD_ADDRESS=discord.address)
        )
        process.send_signal(signal.SIGINT)
        code, _, err = await ended(process)
        assert discord.gateway.identified == 1
    assert (refused.code, "another running Familiar" in refused.err) == (4, True), refused.err
    assert code == 0, err


async def test_what_it_cannot_do_is_said_in_a_sentence(bare: Familiar) -> None:
    familiar = bare
    token = await asyncio.to_thread(arranged, familiar)
    refused = await asyncio.to_thread(familiar, "--local-only", "serve", "--token-file", token)
    assert refused.code == 4
    assert "Local-only mode is on, so no familiar connects to Discord." in refused.err
    async with fake_discord(token="another.token") as discord:
        wrong = await asyncio.to_thread(lambda: familiar("serve", FAMILIAR_DISCORD_ADDRESS=discord.address))
    assert wrong.code == 4
    assert "does not accept the bot's token" in wrong.err
    assert "Traceback" not in wrong.err
    abroad = await asyncio.to_thread(lambda: familiar("serve", FAMILIAR_DISCORD_ADDRESS="http://example.org"))
    assert abroad.code == 4
    assert "may only name this computer" in abroad.err


async def test_two_familiars_share_one_token(bare: Familiar) -> None:
    familiar = bare
    token = await asyncio.to_thread(arranged, familiar, "The sea.")
    profile = Profile(familiar.profile)
    slot = {"provider": "scripted", "model": str(familiar.script("The woods.", name="nix.jsonl"))}
    changes = {"models": {"prose": slot, "background": slot}, "discord": {"aliases": ["Foxy"]}}
    profile.add_familiar(FamiliarId("nix"), CharacterCard(name="Nix"), changes, str(uuid.uuid4()))
    profile.save_avatar(FamiliarId("nix"), b"\x89PNG\r\n\x1a\n" + b"\0" * 40)
    async with fake_discord() as discord:
        scene = Scene(discord)
        scene.join("Ann")
        for one in ("mira", "nix"):
            given = ("--familiar", one, "serve", "--token-file", token, "--subscribe", str(GENERAL))
            alone = familiar.start(*given, FAMILIAR_DISCORD_ADDRESS=discord.address)
            await until_ready(discord, alone)
            alone.send_signal(signal.SIGINT)
            assert (await ended(alone))[0] == 0
            discord.gateway.forget_sessions()
        before = discord.gateway.identified
        process = familiar.start("--json", "serve", FAMILIAR_DISCORD_ADDRESS=discord.address)
        await until_ready(discord, process)
        await scene.write("Ann", "@Mira Foxy, and Mira, where to?")
        hooks = discord.rest.hooks
        await until(lambda: len(hooks.sent) == 2)
        assert discord.gateway.identified == before + 1
        process.send_signal(signal.SIGTERM)
        code, out, err = await ended(process)
    assert (code, out) == (0, '{"served": ["mira", "nix"]}\n'), err
    assert [one["author"]["username"] for one in hooks.sent] == ["Nix", "Mira"]
    assert [hook["avatar"] is None for hook in hooks.all.values()] == [False, True]
    turns = await asyncio.to_thread(familiar.turns)
    assert [(turn.content, turn.familiar) for turn in turns[1:]] == [("The woods.", "nix"), ("The sea.", "mira")]
    await asyncio.to_thread(seen_from_the_outside, familiar, turns)


def seen_from_the_outside(familiar: Familiar, turns: list[Turn]) -> None:
    """See how the answers of two familiars to one message look on the command line."""
    channel = ("--channel", f"discord:{GENERAL}")
    listed = familiar("turns", *channel, "--json").json
    assert [(one["author"]["key"], one["role"], one["content"]) for one in listed[1:]] == [
        ("ego:nix", "assistant", "The woods."),
        ("ego:mira", "assistant", "The sea."),
    ]
    for name, own, other in (("nix", "The woods.", "The sea."), ("mira", "The sea.", "The woods.")):
        prompt = familiar("--familiar", name, "prompt", "And now?", *channel, "--json").json
        by_role = {role: [one["content"] for one in prompt["messages"] if one["role"] == role] for role in ROLES}
        assert by_role["assistant"] == [own]
        assert any(f"] {other}" in content for content in by_role["user"])
    between = turns[1].arrived_at.isoformat()
    then = familiar("--familiar", "mira", "prompt", "And then?", *channel, "--known-at", between, "--json").json
    contents = " ".join(one["content"] for one in then["messages"])
    assert ("The woods." in contents, "The sea." in contents) == (True, False)
    assert familiar("verify").code == 0
    assert familiar("rebuild", "all").code == 0
    assert [one["content"] for one in familiar("turns", *channel, "--json").json] == [one.content for one in turns]
