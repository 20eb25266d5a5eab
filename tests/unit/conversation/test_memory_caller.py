"""Where a memory tool is called from, as the log tells it."""

from __future__ import annotations

from familiar_app.conversation.memory_caller import caller_of
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, ChannelKey, PersonKey
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.saved_memory.status import SAVE_TOOL
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from tests.unit.conversation.memory_stage import LINEAGE, MIRA, NOON, SERVER, Stage

ANN = Author(PersonKey("discord:1"), "Ann", "ann", nickname="Queen")
BEN = Author(PersonKey("discord:2"), "Ben", "ben")


async def say(stage: Stage, channel: Channel, text: str, author: Author) -> Turn:
    new = NewTurn(channel.id, Role.USER, text, NOON, author, guild=channel.guild)
    return (await stage.vault.turns.append(new))[0]


async def test_a_server_with_those_who_spoke_lately(stage: Stage) -> None:
    channel = await stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild=SERVER)
    await say(stage, channel, "Hello", ANN)
    turn = await say(stage, channel, "Ahoy", BEN)
    context = await caller_of(stage.vault, MIRA, "Mira", LINEAGE, channel, turn)
    assert (context.server, context.guild, context.direct, context.source_turn) == (SERVER, SERVER, False, turn.id)
    assert [one.name for one in context.participants] == ["Ann", "Ben"]
    call = {"memory_content": "{user} rules", "memory_scope": "target_user", "target_user": "queen"}
    result = await stage.tools.call(SAVE_TOOL, call, context)
    assert (result.data["target_user"], result.success) == ("Ann", True)
    kept = await stage.vault.saved_memories.get(MemoryId(1))
    assert kept is not None
    assert (kept.taught_by, kept.source_turn, kept.learned_in) == (BEN.key, turn.id, channel.id)


async def test_the_window_is_a_server_of_its_own(stage: Stage) -> None:
    channel = await stage.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    turn = await say(stage, channel, "Keep this", Author(OWNER, "Robin"))
    context = await caller_of(stage.vault, MIRA, "Mira", LINEAGE, channel, turn)
    assert (context.server, context.guild, context.direct) == ("local:main", None, True)
    call = {"memory_content": "{user} is here", "memory_scope": "server_wide"}
    assert (await stage.tools.call(SAVE_TOOL, call, context)).success
    kept = await stage.vault.saved_memories.get(MemoryId(1))
    assert kept is not None
    assert kept.place.owner == "local:main"
