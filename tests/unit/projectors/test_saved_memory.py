"""Saved memories as a projection: they come back from the log without a model, and nothing is learned from them."""

from __future__ import annotations

from familiar_app.conversation.memory_tool import MemoryTools, keeper_of
from familiar_app.domain.ids import OWNER, Lineage
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import MemoryPlace, Scope
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.status import SAVE_TOOL
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.projectors.runner import Projectors
from familiar_app.store.saved_memory import MemoryQuestion
from tests.unit.projectors.scene import ANN, MIRA, Scene, make_config

LINEAGE = Lineage("a-lineage")
TABLES = ("saved_memories", "saved_memory_states", "person_privacy", "watermarks")


async def saved(scene: Scene) -> None:
    scene.config = make_config(f'lineage = "{LINEAGE}"\n[providers.memory]\nprojectors = ["rich_note", "saved_memory"]')
    speaker = ChatPerson(ANN.key, ANN.name, ANN.username)
    context = ToolContext(MIRA, "Mira", LINEAGE, scene.channel.key, scene.channel.key, speaker, (speaker,), direct=True)
    tools = MemoryTools(scene.vault.saved_memories, scene.config.saved_memories)
    call = {"memory_content": "{user} likes tea", "memory_scope": "target_user", "target_user": "Ann"}
    assert (await tools.call(SAVE_TOOL, call, context)).success
    place = MemoryPlace(Scope.SERVER, scene.channel.key, LINEAGE)
    await scene.vault.saved_memories.add(keeper_of(MIRA, scene.config), Wording(place, "The lamp is green"), by=OWNER)


async def test_an_emptied_table_comes_back_at_the_next_run(scene: Scene) -> None:
    await saved(scene)
    projectors = Projectors(scene.desk)
    before = await dump(scene)
    (status,) = [one for one in await projectors.status() if one.name == "saved_memory"]
    assert (status.watermark, status.lag, status.tokens) == (2, 0, 0)
    await scene.sql("DELETE FROM saved_memories")
    assert (await projectors.status())[1].lag == 2
    outcomes = {one.name: one for one in await projectors.run(until_idle=True)}
    assert outcomes["saved_memory"].ticks == 1
    assert await dump(scene) == before
    assert scene.model.requests == []


async def test_a_rebuild_gives_back_the_same(scene: Scene) -> None:
    await saved(scene)
    before = await dump(scene)
    for fresh in (False, True):
        await Projectors(scene.desk).rebuild(["saved_memory"], fresh=fresh)
        assert await dump(scene) == before
    listed = await scene.vault.saved_memories.list(MemoryQuestion(LINEAGE))
    assert [one.content for one in listed] == ["The lamp is green", "{user} likes tea"]


async def dump(scene: Scene) -> dict[str, list[object]]:
    """The tables of saved memories, without the watermark of facts."""

    def work(connection: object) -> dict[str, list[object]]:
        found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}  # type: ignore[attr-defined]
        found["watermarks"] = [row for row in found["watermarks"] if row[0] == "saved_memory"]
        return found

    return await scene.vault.saved_memories._engine.read(work)
