"""`rolling_summary`: per channel, after enough turns, in bounded steps, and back from the ledger."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.port import Progress
from familiar_app.projectors.rolling_summary import RollingSummary
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import MIRA, Scene, lost, make_config

NAME = "rolling_summary"


def projector(scene: Scene) -> RollingSummary:
    return RollingSummary(scene.desk, BeliefReplay(scene.vault, MIRA))


async def story(scene: Scene) -> str | None:
    found = await scene.vault.projections.summary(MIRA, scene.channel.id)
    return found.text if found else None


async def test_a_story_is_carried_on_after_ten_turns_of_its_channel(scene: Scene) -> None:
    other = await scene.hear("discord:10")
    await scene.talk(9)
    await scene.talk(5, channel=other.id)
    telling = projector(scene)
    assert not (await telling.tick(flush=True)).worked
    assert await telling.progress() == Progress(None, 14, 9)
    last = await scene.say("the tenth")
    scene.model.tell(NAME, "They met.", "They met and ate.")
    assert (await telling.tick(flush=False)).worked
    assert await story(scene) == "They met."
    await scene.talk(10, start=11)
    await telling.tick(flush=False)
    first, second = scene.model.prompts(NAME)
    assert "(nothing yet)" in first
    assert f"[T#{last} " in first
    assert "discord:10" not in first
    assert "They met." in second
    assert "the tenth" not in second
    assert await scene.vault.projections.summary(MIRA, other.id) is None


async def test_a_first_run_takes_at_most_its_bound_at_once_the_oldest_first(scene: Scene) -> None:
    scene.config = make_config("[memory.rolling_summary]\nmost_turns = 12")
    await scene.talk(30)
    scene.model.tell(NAME, "one", "two")
    outcomes = await Projectors(scene.desk).run([NAME], until_idle=True)
    assert [(one.ticks, one.error) for one in outcomes] == [(2, None)]
    first, second = scene.model.prompts(NAME)
    assert "remark 1\n" in first
    assert "remark 13" not in first
    assert "remark 13" in second
    status = {one.name: one for one in await Projectors(scene.desk).status()}[NAME]
    assert (status.watermark, status.lag) == (24, 6)


async def test_an_empty_answer_and_a_failing_model_advance_nothing(scene: Scene) -> None:
    await scene.talk(10)
    scene.model.tell(NAME, " ", lost(), "They met.")
    telling = projector(scene)
    done = await telling.tick(flush=False)
    assert (done.worked, done.stalled) == (False, True)
    with pytest.raises(OutsideError):
        await telling.tick(flush=False)
    assert (await telling.progress()).watermark is None
    assert (await telling.tick(flush=False)).worked
    assert await story(scene) == "They met."


async def test_a_small_model_gets_as_many_turns_as_fit(scene: Scene) -> None:
    scene.model.context_tokens = 1200
    for number in range(40):
        await scene.say(f"{number} " + "word " * 20)
    scene.model.tell(NAME, *(f"part {n}" for n in range(20)))
    await Projectors(scene.desk).run([NAME], until_idle=True)
    prompts = scene.model.prompts(NAME)
    assert len(prompts) > 1
    assert all(len(prompt) // 4 < 1200 for prompt in prompts)
    assert (await projector(scene).progress()).lag < 10


async def test_deleted_by_hand_all_of_them_come_back_with_their_times(scene: Scene) -> None:
    for number in range(3):
        await scene.talk(10)
        scene.model.tell(NAME, f"part {number}")
        await Projectors(scene.desk).run([NAME], until_idle=True)
        scene.later(hours=1)
    early = await scene.vault.projections.summary(
        MIRA, scene.channel.id, known_at=scene.clock.now().replace(hour=12, minute=30)
    )
    assert early is not None
    assert early.text == "part 0"
    now = await scene.vault.projections.summary(MIRA, scene.channel.id)
    scene.model.requests.clear()
    await scene.sql("DELETE FROM summaries")
    await Projectors(scene.desk).run([NAME], until_idle=True)
    await Projectors(scene.desk).rebuild([NAME], fresh=False)
    assert await scene.vault.projections.summary(MIRA, scene.channel.id) == now
    assert await scene.vault.projections.summary(MIRA, scene.channel.id, known_at=early.created_at) == early
    assert scene.model.requests == []
