"""What becomes of everything that was made of a turn once its message is deleted."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from familiar_app.domain.chat import ChatEvent, ChatRequest
from familiar_app.domain.fact import Cause
from familiar_app.domain.ids import TraceId
from familiar_app.domain.projection import Dossier, NewReflection, Summary, Watermark
from familiar_app.domain.trace import TracedMessage
from familiar_app.projectors.rolling_summary import ROLLING_SUMMARY
from familiar_app.projectors.runner import Projectors
from tests.unit.projectors.scene import ANN, BEN, MIRA, Scene, note
from tests.unit.projectors.test_replay import run, seen
from tests.unit.store.test_trace import a_trace

SECRET = "My number is 0123."


async def lived(scene: Scene) -> tuple[int, int]:
    """Ann gives her number away, and says what it is for; Mira makes something of it."""
    first = await scene.say(SECRET)
    second = await scene.say("Call me there, or write to me.")
    scene.later(seconds=1)
    scene.model.tell(
        "rich_note",
        [
            note("Ann has a telephone.", first, about=[ANN.key]),
            note("Ann can be called at 0123.", first, second, about=[ANN.key]),
            note("Ann may be written to.", first, second, about=[ANN.key]),
        ],
    )
    scene.model.tell("fact_supersede", *([] for _ in range(9)))
    await run(scene)
    scene.later(minutes=1)
    return first, second


async def test_facts_that_another_turn_supports_are_looked_at_again(scene: Scene) -> None:
    first, second = await lived(scene)
    await scene.vault.turns.scrub(first)
    assert sorted(await scene.texts()) == ["Ann can be called at 0123.", "Ann may be written to."]
    assert {fact.source_turns for fact in await scene.vault.facts.page(MIRA)} == {(second,)}
    moments = [scene.later(minutes=1)]
    scene.model.tell("rich_note", [note("Ann may be written to.", second, about=[ANN.key])])
    await run(scene)
    assert await scene.texts() == ["Ann may be written to."]
    assert "0123" not in scene.model.prompts("rich_note")[-1]
    shown = await scene.beliefs()
    assert [fact.text for fact in shown] == ["Ann may be written to."]
    assert len(shown[0].beliefs) == 1
    hidden = await scene.vault.facts.get(2)
    assert hidden is None or (hidden.hidden and hidden.beliefs[-1].end_cause is Cause.SOURCE_DELETED)
    assert await scene.vault.verify() == []
    moments.append(scene.later(minutes=1))
    before = await seen(scene, moments)
    scene.model.queues.clear()
    scene.model.requests.clear()
    await Projectors(scene.desk).rebuild(("rich_note", "fact_supersede"), fresh=False)
    await run(scene)
    assert await seen(scene, moments) == before
    assert scene.model.requests == []


async def test_a_fact_learned_another_time_elsewhere_needs_no_second_look(scene: Scene) -> None:
    first, _ = await lived(scene)
    third = await scene.say("Ann has a telephone.", BEN)
    scene.model.tell("rich_note", [note("Ann has a telephone.", third, about=[ANN.key])])
    await run(scene)
    await scene.vault.turns.scrub(first)
    assert "Ann has a telephone." in await scene.texts()
    scene.model.requests.clear()
    scene.model.tell("rich_note", [])
    await run(scene)
    assert len(scene.model.prompts("rich_note")) == 1
    assert await scene.texts() == ["Ann has a telephone."]


async def test_portraits_stories_thoughts_and_traces_lose_the_words(scene: Scene) -> None:
    vault, now, channel = scene.vault, scene.clock.now(), scene.channel.id
    before = await scene.say("Good day.")
    first, second = await lived(scene)
    telephone = next(fact for fact in await scene.beliefs() if "telephone" in fact.text)

    def work(writer) -> None:  # type: ignore[no-untyped-def]
        writer.put_dossier(Dossier(MIRA, ANN.key, "Ann: 0123.", telephone.id, now))
        for last, text in ((before, "They met."), (second, "They met. Her number is 0123.")):
            writer.add_summary(Summary(MIRA, channel, text, last, now))
        writer.set_watermark(Watermark(ROLLING_SUMMARY, MIRA, second, "summaries", now, str(channel)))
        writer.add_reflection(
            NewReflection(MIRA, "0123 is a number.", None, (), (telephone.id,), first, telephone.id), now
        )
        writer.add_reflection(
            NewReflection(MIRA, "She trusts me.", None, (first, second), (), first, telephone.id), now
        )

    await vault.projections.write(work)
    shown = TracedMessage(role="user", content=f"[12:00 Ann] {SECRET}", layer="recent_history", turn=first)
    traces = [await vault.traces.put(a_trace(messages=(shown,), answer="0123? Noted."), keep=10)]
    assert any(SECRET in text for text in await told(scene, traces))
    await vault.turns.scrub(first)
    assert await vault.projections.dossier(MIRA, ANN.key) is None
    summary = await vault.projections.summary(MIRA, channel)
    assert summary is not None
    assert (summary.text, summary.last_turn_id) == ("They met.", before)
    mark = await vault.projections.watermark(ROLLING_SUMMARY, MIRA, str(channel))
    assert mark is not None
    assert mark.position == before
    assert [one.text for one in await vault.projections.reflections(MIRA)] == ["She trusts me."]
    assert not any(SECRET in text for text in await told(scene, traces))
    assert await vault.turns.search("0123") == []
    assert await vault.verify() == []


async def told(scene: Scene, traces: list[TraceId]) -> list[str]:
    """Return traces as they are stored."""
    found = [await scene.vault.traces.get(number) for number in traces]
    return [trace.model_dump_json() for trace in found if trace is not None]


async def test_what_is_deleted_while_a_model_reads_it_comes_into_nothing(scene: Scene) -> None:
    first = await scene.say(SECRET)
    await scene.talk(10)
    real = scene.model.stream

    async def stream(request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        async for event in real(request):
            yield event
        if not (await scene.vault.turns.get(first)).deleted:  # type: ignore[union-attr]
            await scene.vault.turns.scrub(first)

    scene.model.stream = stream  # type: ignore[method-assign]
    scene.model.tell(ROLLING_SUMMARY, "Her number is 0123.", "They made remarks.")
    outcomes = await Projectors(scene.desk).run((ROLLING_SUMMARY,), until_idle=True)
    assert [outcome.error for outcome in outcomes] == [None]
    summary = await scene.vault.projections.summary(MIRA, scene.channel.id)
    assert summary is not None
    assert summary.text == "They made remarks."
