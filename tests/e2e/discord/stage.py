"""A familiar with a vault of its own on the make-believe Discord, with the real client library between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from familiar_app.context.assembler import Assembler
from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.link import DiscordLink, Patience
from familiar_app.discord_link.status import LinkStatus
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ChatEvent, ChatRequest
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import ChannelKey, FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Turn
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.discord.scene import Scene
from tests.doubles.discord.server import FakeDiscord, fake_discord
from tests.doubles.discord.world import GENERAL as GENERAL_NUMBER
from tests.doubles.discord.world import GUILD
from tests.doubles.talk import MIRA, FakeModel, make_config
from tests.doubles.waiting import until_told

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)
QUICK = Patience(shortest_s=0.05, longest_s=0.2, watch_s=0.05, guild_ready_s=0.05)
GENERAL = channel_key(GENERAL_NUMBER)
SERVER = f"discord:{GUILD}"


@dataclass
class Script(FakeModel):
    """Answers by the first entry of `lines` whose key stands in the newest words; `held` lets it wait before a word."""

    lines: dict[str, str] = field(default_factory=dict)
    held: asyncio.Event | None = None

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        if self.held is not None:
            self.requests.append(request)
            await self.held.wait()
        said = request.messages[-1].content.rpartition("] ")[2]
        self.deltas = [next((answer for key, answer in self.lines.items() if key in said), "Hello.")]
        async for event in super().stream(request):
            yield event


@dataclass
class Stage:
    """All that a test of the link looks at. `failed` collects what background tasks raised."""

    scene: Scene
    discord: FakeDiscord
    vault: Vault
    link: DiscordLink
    model: Script
    network: NetworkPolicy
    tasks: TaskRegistry
    statuses: list[LinkStatus] = field(default_factory=list)
    failed: list[BaseException] = field(default_factory=list)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Run the link while the block lasts."""
        running = self.tasks.start(self.link.run(), name="the link")
        try:
            await self.scene.until(lambda: self.link.status.state == "connected" or running.done(), "for the link")
            yield
        finally:
            running.cancel()
            await asyncio.wait([running])
            await self.tasks.cancel()
        assert not self.failed

    async def turns(self, channel: str = GENERAL) -> list[Turn]:
        """Return what the vault shows of a channel."""
        found = await self.vault.channels.find(ChannelKey(channel))
        return [] if found is None else await self.vault.turns.page(found.id, limit=500)

    async def said(self, channel: str = GENERAL) -> list[str]:
        return [f"{turn.author.name if turn.author else '?'}: {turn.content}" for turn in await self.turns(channel)]

    async def turn_of(self, message: int, channel: str = GENERAL) -> Turn:
        """Wait until a message has its turn, and return it, a tombstone too."""
        turns: list[Turn] = []

        async def look() -> list[Turn]:
            found = await self.vault.channels.find(ChannelKey(channel))
            turn = None if found is None else await self.vault.messages.find(found.id, str(message))
            turns.extend([] if turn is None else [turn])
            return turns

        await until_told(look)
        return turns[0]

    async def until_said(self, condition: Callable[[list[str]], bool], channel: str = GENERAL) -> list[str]:
        """Wait until what the vault shows of a channel fulfils a condition."""
        said: list[str] = []

        async def look() -> bool:
            said[:] = await self.said(channel)
            return condition(said)

        try:
            await until_told(look)
        except TimeoutError:
            raise AssertionError(f"waited in vain; the vault shows {said}") from None
        return said


@asynccontextmanager
async def stage(folder: Path, toml: str = "", *, subscribed: bool = True) -> AsyncIterator[Stage]:
    """Set up a Discord with Ann and Ben, and a familiar that listens in #general."""
    clock, code = SystemClock(), new_recovery_code()
    vault = await Vault.create(folder / "vault.db", "three blue herons", recovery_code=code, clock=clock, cost=CHEAP)
    try:
        async with fake_discord() as discord:
            scene = Scene(discord)
            scene.join("Ann")
            scene.join("Ben")
            if subscribed:
                await vault.channels.ensure(GENERAL, familiar=MIRA, title="general", guild=SERVER)
            yield _staged(scene, vault, clock, toml)
    finally:
        await vault.close()


def conversation_of(vault: Vault, familiar: FamiliarId, name: str, model: Script, toml: str = "") -> Conversation:
    """Make a familiar that talks by `model`."""
    config, clock, card = make_config(toml), SystemClock(), CharacterCard(name=name)
    assembler = Assembler(familiar, lambda: card, config, vault, model, clock, "Owner")
    return Conversation(familiar, name, config, vault, model, assembler, clock)


def _staged(scene: Scene, vault: Vault, clock: SystemClock, toml: str) -> Stage:
    model, network = Script(), NetworkPolicy(local_only=True)
    failed: list[BaseException] = []
    statuses: list[LinkStatus] = []
    tasks = TaskRegistry(lambda _, error: failed.append(error))
    link = DiscordLink(
        conversation=conversation_of(vault, MIRA, "Mira", model, toml),
        clock=clock,
        tasks=tasks,
        token=scene.discord.gateway.token,
        check=network.check,
        addresses=Addresses(scene.discord.address, scene.discord.gateway.url),
        patience=QUICK,
        on_status=statuses.append,
    )
    return Stage(scene, scene.discord, vault, link, model, network, tasks, statuses, failed)
