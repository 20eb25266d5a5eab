"""The links of one vault, and what keeps them from connecting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.company import Company
from familiar_app.discord_link.speak_rule import Why
from familiar_app.discord_link.status import LinkStatus
from familiar_app.discord_link.token import token_name
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.turn import Role
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.token_lock import lock_token
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import GENERAL, QUICK, SERVER, Script, Stage, conversation_of, stage

NIX = FamiliarId("nix")
AMBIENT = '[discord]\nmode = "ambient"\n'


def company(on: Stage, folder: Path, statuses: dict[str, LinkStatus], *, address: str | None = None) -> Company:
    return Company(
        vault=on.vault,
        network=NetworkPolicy(local_only=True),
        clock=on.link.clock,
        tasks=on.tasks,
        locks=folder / "locks",
        addresses=Addresses(address or on.discord.address, on.discord.gateway.url),
        patience=QUICK,
        report=lambda familiar, status: statuses.update({familiar: status}),
    )


@asynccontextmanager
async def running(
    on: Stage, links: Company, talkers: Sequence[Conversation], statuses: dict[str, LinkStatus]
) -> AsyncIterator[None]:
    """Keep a company connected while the block lasts."""
    task = on.tasks.start(links.run(talkers), name="the company")

    def connected() -> bool:
        return task.done() or all(
            one.familiar in statuses and statuses[one.familiar].state == "connected" for one in talkers
        )

    try:
        await on.scene.until(connected, "for the links")
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await on.tasks.cancel()
    assert not on.failed


async def test_a_token_in_use_and_local_only_mode_are_said(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.vault.secrets.set(token_name(MIRA), on.discord.gateway.token)
        statuses: dict[str, LinkStatus] = {}
        one = [conversation_of(on.vault, MIRA, "Mira", Script())]
        taken = lock_token(on.discord.gateway.token, tmp_path / "locks")
        try:
            with pytest.raises(UserError, match="another running Familiar"):
                await company(on, tmp_path, statuses).run(one)
        finally:
            taken.release()
        assert statuses[MIRA].state == "failed"
        with pytest.raises(UserError, match="Local-only mode is on"):
            await company(on, tmp_path, statuses, address="https://discord.com").run(one)
        assert on.discord.gateway.identified == 0


async def test_familiars_with_the_same_token_share_one_connection(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        names = {MIRA: "Mira", NIX: "Nix"}
        for familiar in names:
            await on.vault.secrets.set(token_name(familiar), on.discord.gateway.token)
            await on.vault.channels.ensure(GENERAL, familiar=familiar, title="general", guild=SERVER)
        statuses: dict[str, LinkStatus] = {}
        all_links = company(on, tmp_path, statuses)
        talkers = [conversation_of(on.vault, one, names[one], Script(), AMBIENT) for one in names]
        async with running(on, all_links, talkers, statuses):
            assert on.discord.gateway.identified == 1
            assert all_links.links[MIRA] is all_links.links[NIX]
            await on.scene.write("Ann", "Nix, hello")
            hooks = on.discord.rest.hooks.sent
            await on.scene.until(lambda: bool(hooks), "for the answer")
            assert [one["author"]["username"] for one in hooks] == ["Nix"]
            assert all_links.journals[MIRA].entries[-1].why is Why.ANOTHER
            assert all_links.journals[NIX].entries[-1].why is Why.ADDRESSED
        assert not all_links.links


async def test_accounts_of_their_own_take_turns_and_count_once(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        names = {MIRA: "Mira", NIX: "Nix", FamiliarId("bram"): "Bram", FamiliarId("tom"): "Tom"}
        for number, (familiar, name) in enumerate(names.items()):
            token = f"token-of-{name}" if number else on.discord.gateway.token
            if number:
                bot = on.scene.join(name, bot=True)
                on.discord.world.other_bots[token] = bot
            await on.vault.secrets.set(token_name(familiar), token)
            await on.vault.channels.ensure(GENERAL, familiar=familiar, title="general", guild=SERVER)
        statuses: dict[str, LinkStatus] = {}
        models = {one: Script(lines={"you": f"{name} speaks."}) for one, name in names.items()}
        talkers = [conversation_of(on.vault, one, names[one], models[one]) for one in names]
        async with running(on, company(on, tmp_path, statuses), talkers, statuses):
            assert on.discord.gateway.identified == 4
            asked = await on.scene.write("Ann", "@Mira @Nix @Bram @Tom how are you?")
            sent = await on.scene.replies(3)
            said = await on.until_said(lambda lines: len(lines) == 4)
            # Three in a row, one after the other, and then a person has the word.
            speakers = [line.partition(":")[0] for line in said]
            assert speakers[0] == "Ann"
            assert len(set(speakers[1:]) & set(names.values())) == 3
            assert sorted(one["author"]["global_name"] for one in sent) == sorted(speakers[1:])
            for author in list(on.scene.people):
                if author != "Ann":
                    await on.scene.react(author, asked, "🦊")
            turn = await on.turn_of(asked)
            await on.scene.write("Ben", "@Mira last")
            await on.scene.replies(4)
            foxes = 0
            for _ in range(3000):
                found = (await on.vault.turns.reactions(turn.channel, [str(asked)])).get(str(asked), [])
                if (foxes := sum(one.count for one in found)) >= len(on.scene.people) - 1:
                    break
                await asyncio.sleep(0.01)
            assert foxes == len(on.scene.people) - 1
        turns = await on.turns()
        assert [turn.role for turn in turns].count(Role.USER) == 2
