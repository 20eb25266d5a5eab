"""Pinned and hidden reflections: in the owner's pages, in the prompt's choice, at earlier moments, after a rebuild."""

from __future__ import annotations

import pytest

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import NewFact
from familiar_app.domain.projection import ReflectionId
from familiar_app.projectors.runner import Projectors
from familiar_app.store.reflection_page import ReflectionFilter
from familiar_app.store.written import Moment
from tests.unit.projectors.scene import MIRA, Scene

NAME = "reflection"


async def thinks(scene: Scene, *texts: str, facts: tuple[int, ...] = ()) -> None:
    """Let the familiar have thoughts a minute later than before."""
    scene.later(minutes=1)
    turns = await scene.talk(20)
    thoughts = [{"text": text, "cited_turn_ids": turns[:1], "cited_fact_ids": list(facts)} for text in texts]
    scene.model.tell(NAME, thoughts)
    (outcome,) = await Projectors(scene.desk).run([NAME], until_idle=False)
    assert outcome.error is None


async def texts(scene: Scene, wanted: ReflectionFilter) -> list[str]:
    return [case.reflection.text for case in await scene.vault.reflection_pages.page(MIRA, wanted)]


async def chosen(scene: Scene, limit: int, moment: Moment | None = None) -> list[str]:
    found = await scene.vault.projections.reflections(MIRA, limit=limit, moment=moment or Moment())
    return [one.text for one in found]


async def number_of(scene: Scene, text: str) -> ReflectionId:
    for which in ("shown", "hidden"):
        for case in await scene.vault.reflection_pages.page(MIRA, ReflectionFilter(which)):  # type: ignore[arg-type]
            if case.reflection.text == text:
                return case.reflection.id
    raise AssertionError(text)


async def test_pinned_ones_are_always_among_those_shown_and_hidden_ones_never(scene: Scene) -> None:
    await thinks(scene, "old", "older")
    await thinks(scene, "new", "newer")
    before = scene.clock.now()
    scene.later(minutes=5)
    pages = scene.vault.reflection_pages
    await pages.mark(await number_of(scene, "old"), "pin")
    await pages.mark(await number_of(scene, "newer"), "hide")
    assert await chosen(scene, 2) == ["old", "new"]
    assert await chosen(scene, 1) == ["old"]
    assert await chosen(scene, 9) == ["old", "new", "older"]
    assert await chosen(scene, 9, Moment(before)) == ["newer", "new", "older", "old"]
    assert await texts(scene, ReflectionFilter()) == ["new", "older", "old"]
    assert await texts(scene, ReflectionFilter("pinned")) == ["old"]
    assert await texts(scene, ReflectionFilter("hidden")) == ["newer"]
    assert await pages.count(MIRA) == 3
    await pages.mark(await number_of(scene, "old"), "hide")
    assert await chosen(scene, 1) == ["new"], "what is hidden is not pinned"
    for text, act in (("old", "show"), ("old", "unpin"), ("newer", "show")):
        await pages.mark(await number_of(scene, text), act)  # type: ignore[arg-type]
    assert await chosen(scene, 9) == ["newer", "new", "older", "old"]


async def test_marks_survive_a_rebuild_that_gives_other_numbers(scene: Scene) -> None:
    await thinks(scene, "first", "second", "third")
    numbers = {text: await number_of(scene, text) for text in ("first", "second")}
    await scene.vault.reflection_pages.mark(numbers["first"], "pin")
    await scene.vault.reflection_pages.mark(numbers["second"], "hide")
    await Projectors(scene.desk).rebuild([NAME], fresh=False)
    assert await number_of(scene, "first") != numbers["first"]
    assert await chosen(scene, 9) == ["first", "third"]


async def test_a_stale_one_tells_what_took_the_place_of_its_fact_and_when(scene: Scene) -> None:
    rome, _ = await scene.vault.facts.append(NewFact(MIRA, "Ann lives in Rome.", "rich_note"))
    oslo, _ = await scene.vault.facts.append(NewFact(MIRA, "Ann lives in Oslo.", "rich_note"))
    await thinks(scene, "Ann is far away.", facts=(rome.id,))
    when = scene.later(hours=1)
    await scene.vault.facts.supersede([rome.id], by=oslo.id)
    (case,) = await scene.vault.reflection_pages.page(MIRA, ReflectionFilter("stale"))
    assert [(one.fact.id, one.at, one.by and one.by.text) for one in case.lapsed] == [
        (rome.id, when, "Ann lives in Oslo.")
    ]
    await scene.vault.facts.restore(rome.id)
    assert await texts(scene, ReflectionFilter("stale")) == []


async def test_pages_follow_each_other_and_channels_are_told(scene: Scene) -> None:
    await thinks(scene, "a", "b", "c")
    pages = scene.vault.reflection_pages
    first = await pages.page(MIRA, limit=2)
    rest = await pages.page(MIRA, before=first[-1].reflection.id, limit=2)
    assert [case.reflection.text for case in (*first, *rest)] == ["c", "b", "a"]
    assert await pages.channels(MIRA) == [scene.channel.id]
    assert await texts(scene, ReflectionFilter(channel=scene.channel.id)) == ["c", "b", "a"]
    assert await texts(scene, ReflectionFilter(anywhere=True)) == []
    with pytest.raises(UserError):
        await pages.mark(ReflectionId(999), "pin")
