"""A vault with saved memories of every kind, and the Memories panel over it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from familiar_app.conversation.memory_caller import caller_of
from familiar_app.conversation.memory_tool import MemoryTools, keeper_of
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, ChannelKey, PersonKey
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryPlace, Scope
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.vault import Vault
from familiar_app.ui.memories.panel import MemoriesPanel, create_memories_panel
from tests.ui.panel_scene import config
from tests.ui.timeline_scene import MIRA, NOW, day

ANN = Author(PersonKey("discord:1"), "Ann", "ann")
BEN = Author(PersonKey("discord:2"), "Ben", "ben")
JO = Author(OWNER, "Jo")
SERVER = "discord:100"
SAID = (
    (ANN, "I only drink tea with two spoons of honey", "{user} drinks tea with two spoons of honey", "Ann"),
    (BEN, "We meet at the harbour on Fridays", "Everybody meets at the harbour on Fridays", None),
    (JO, "I am learning Portuguese", "{user} is learning Portuguese, and asks {char} for words now and then", "Jo"),
)


async def tell_memories(vault: Vault, clock: FixedClock) -> None:
    """Save three memories by the tool, one more that the familiar deletes, two by hand, one for every familiar."""
    settings = config()
    tools, keeper = MemoryTools(vault.saved_memories, settings.saved_memories), keeper_of(MIRA, settings)
    harbour = await vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, title="#harbour", guild=SERVER)
    main = await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA, title="Main")
    for number, (author, said, content, about) in enumerate((*SAID, (ANN, "I owe Ben 5", "{user} owes Ben 5", "Ann"))):
        clock.instant = day(-40 + 9 * number)
        channel = main if author is JO else harbour
        new = NewTurn(channel.id, Role.USER, said, clock.now(), author, guild=channel.guild)
        turn, _ = await vault.turns.append(new)
        context = await caller_of(vault, MIRA, "Mira", settings.lineage, channel, turn)
        scope = "server_wide" if about is None else "target_user"
        arguments = {"memory_content": content, "memory_scope": scope, "target_user": about}
        result = await tools.call(SAVE_TOOL, arguments, context)
        assert result.success, result.message
        if "owes" in content:
            gone = {"memory_id": result.data["memory_id"], "memory_content": "", "target_user": "Ann"}
            assert (await tools.call(UPDATE_TOOL, gone, context)).success
    clock.instant = NOW
    ann = MemoryPlace(Scope.PERSONAL, "discord:1", settings.lineage)
    for wording in (
        Wording(ann, "{user} has a sister in Lisbon", ("#discord:10", "family")),
        Wording(MemoryPlace(Scope.PERSONAL, OWNER, GLOBAL_LINEAGE), "{user} wants short answers in the morning"),
        Wording(MemoryPlace(Scope.SERVER, "local:main", settings.lineage), "This channel is for the diary"),
    ):
        await vault.saved_memories.add(keeper, wording, by=OWNER)


def give_parts(services: Any) -> None:
    """Give the doubles of familiars what the panel asks of them."""
    for hosted in services.familiars.values():
        hosted.assembler = SimpleNamespace(owner_label="Jo")
        hosted.embedder = None


def create_panel(services: Any, context: Any) -> MemoriesPanel:
    """Make the panel over services of doubles."""
    give_parts(services)
    return create_memories_panel(services, context)
