"""`reflection`: its gate, what is shown, citations, the watermark, stale thoughts, the ledger."""

from __future__ import annotations

from typing import Any

import pytest

from familiar_app.domain.citation import Thought, breadcrumbs, rejected_thoughts, thoughts_of
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import FactId, NewFact
from familiar_app.domain.ids import TurnId
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.reflection import Reflection
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import MIRA, Scene, lost

NAME = "reflection"


def projector(scene: Scene) -> Reflection:
    return Reflection(scene.desk, BeliefReplay(scene.vault, MIRA))


def thought(text: str, turns: Any = (), facts: Any = ()) -> dict[str, Any]:
    return {"text": text, "cited_turn_ids": list(turns), "cited_fact_ids": list(facts)}


async def position(scene: Scene) -> int | None:
    mark = await scene.vault.projections.watermark(NAME, MIRA)
    return mark.position if mark else None


async def test_it_thinks_after_twenty_turns_and_keeps_what_cites_something_shown(scene: Scene) -> None:
    turns = await scene.talk(19)
    known, _ = await scene.vault.facts.append(NewFact(MIRA, "Ann sings.", "rich_note", (), (turns[0],)))
    thinking = projector(scene)
    assert not (await thinking.tick(flush=True)).worked
    turns.append(await scene.say("the twentieth"))
    scene.model.tell(
        NAME,
        [
            thought("A", [turns[1], 999], [known.id, 77]),
            thought("nothing", [999], [77]),
            thought("B", [turns[2]]),
            thought("C", [], [known.id]),
            thought("D", [turns[3]]),
        ],
    )
    assert (await thinking.tick(flush=False)).worked
    kept = await scene.vault.projections.reflections(MIRA)
    assert [(one.text, one.cited_turns, one.cited_facts, one.channel) for one in kept] == [
        ("C", (), (known.id,), scene.channel.id),
        ("B", (turns[2],), (), scene.channel.id),
        ("A", (turns[1],), (known.id,), scene.channel.id),
    ]
    assert {(one.last_turn_id, one.last_fact_id, one.created_at) for one in kept} == {
        (turns[-1], known.id, scene.clock.now())
    }
    assert await position(scene) == turns[-1]
    assert "Ann sings." in scene.model.prompts(NAME)[0]
    await scene.vault.facts.supersede([known.id])
    assert [one.stale for one in await scene.vault.projections.reflections(MIRA)] == [True, False, True]


async def test_the_watermark_moves_even_where_nothing_was_kept_and_old_turns_are_passed(scene: Scene) -> None:
    turns = await scene.talk(80)
    scene.model.tell(NAME, [])
    await projector(scene).tick(flush=False)
    prompt = scene.model.prompts(NAME)[0]
    assert prompt.count("[T#") == 50
    assert f"[T#{turns[30]} " in prompt
    assert f"[T#{turns[29]} " not in prompt
    assert await position(scene) == turns[-1]


async def test_a_malformed_answer_counts_as_empty_and_a_failing_model_moves_nothing(scene: Scene) -> None:
    turns = await scene.talk(20)
    scene.model.tell(NAME, lost(), "hm", "hm")
    thinking = projector(scene)
    with pytest.raises(OutsideError):
        await thinking.tick(flush=False)
    assert await position(scene) is None
    await thinking.tick(flush=False)
    assert await position(scene) == turns[-1]


async def test_what_came_up_in_two_channels_belongs_to_neither(scene: Scene) -> None:
    other = await scene.hear("discord:10")
    here, there = await scene.talk(10), await scene.talk(10, channel=other.id)
    scene.model.tell(NAME, [thought("both", [here[0], there[0]]), thought("there", [there[1]])])
    await projector(scene).tick(flush=False)
    kept = await scene.vault.projections.reflections(MIRA)
    assert [(one.text, one.channel) for one in kept] == [("there", other.id), ("both", None)]


async def test_deleted_by_hand_they_come_back_without_a_request(scene: Scene) -> None:
    for number in range(2):
        turns = await scene.talk(20)
        scene.model.tell(NAME, [thought(f"thought {number}", turns[:2])])
        await Projectors(scene.desk).run([NAME], until_idle=True)
        scene.later(hours=1)
    before = await scene.vault.projections.reflections(MIRA)
    scene.model.requests.clear()
    await scene.sql("DELETE FROM reflections")
    await Projectors(scene.desk).run([NAME], until_idle=True)
    again = await scene.vault.projections.reflections(MIRA)
    shape = [(one.text, one.cited_turns, one.created_at, one.last_turn_id) for one in before]
    assert [(one.text, one.cited_turns, one.created_at, one.last_turn_id) for one in again] == shape
    assert len(shape) == 2
    assert scene.model.requests == []


def test_thoughts_and_breadcrumbs() -> None:
    turns, facts = {TurnId(1), TurnId(2)}, {FactId(7)}
    single = {"text": "z", "cited_turn_ids": 2, "cited_fact_ids": 7}
    answer = [thought(" x ", ["T#1", 1, 2.0], [8]), thought("", [1]), {"text": "y"}, 5, single]
    expected = [Thought("x", (TurnId(1), TurnId(2)), ()), Thought("z", (TurnId(2),), (FactId(7),))]
    assert thoughts_of(answer, turns, facts, 3) == expected
    assert rejected_thoughts(answer, turns, facts, 3) == {"no text": 2, "cites nothing": 1}
    assert rejected_thoughts(answer, turns, facts, 1) == {"no text": 2, "cites nothing": 1, "too many": 1}
    assert thoughts_of("x", turns, facts, 3) == []
    assert breadcrumbs((TurnId(42),), (FactId(7),)) == "[T#42, F#7]"
