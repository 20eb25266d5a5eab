"""What a memory's figures count: facts said twice, facts never recalled, and what the guards dropped of answers."""

from __future__ import annotations

from datetime import timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import Fact, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.projection import NewAnswer
from familiar_app.domain.trace import PromptTrace
from familiar_app.store.health import MemoryHealth, ProjectorFigures, Use
from familiar_app.store.vault import Vault
from tests.unit.store.test_owner_act import new
from tests.unit.store.vault_maker import MIRA, NOON


def shown(*candidates: tuple[str, int, bool], purpose: str = "reply") -> PromptTrace:
    return PromptTrace(
        familiar=MIRA, channel="local:main", mode="text", purpose=purpose, at=NOON, model="told", provider="scripted",
        context_tokens=8192, answer_tokens=512, tokens=10, exact_tokens=True, messages=(), layers=(), sampling={},
        candidates=tuple({"kind": kind, "id": number, "kept": kept} for kind, number, kept in candidates),
    )  # fmt: skip


@pytest.fixture
async def facts(vault: Vault) -> list[Fact]:
    texts = ("Ann lives in Rome.", "In Rome lives Ann.", "Ann sings.")
    return [(await vault.facts.append(new(text)))[0] for text in texts]


async def test_what_stood_in_a_prompt_counts_as_recalled(vault: Vault, facts: list[Fact], clock: FixedClock) -> None:
    assert [fact.id for fact in await vault.health.never_recalled(MIRA)] == [3, 2, 1]
    await vault.traces.put(shown(("fact", 1, True), ("fact", 2, False), ("turn", 3, True)))
    await vault.traces.put(shown(("fact", 1, True)))
    # A projector's prompt recalls nothing, and another familiar's facts are its own.
    await vault.traces.put(shown(("fact", 2, True), purpose="rich_note"))
    assert [fact.id for fact in await vault.health.never_recalled(MIRA)] == [3, 2]
    assert [fact.id for fact in await vault.health.never_recalled(MIRA, limit=1, before=facts[2].id)] == [2]
    assert await vault.health.use(MIRA, "fact", 1) == Use(2, NOON)
    assert await vault.health.use(MIRA, "turn", 3) == Use(1, NOON)
    assert await vault.health.use(MIRA, "fact", 2) is None
    assert await vault.health.use(FamiliarId("bell"), "fact", 1) is None


async def test_duplicates_and_what_is_unused_are_about_what_holds_now(
    vault: Vault, facts: list[Fact], clock: FixedClock
) -> None:
    ended = new("Ann will sing.", valid_to=NOON + timedelta(hours=1))
    await vault.facts.append(ended)
    await vault.facts.append(new("Sings: Ann.", subjects=(Subject(PersonKey("discord:2"), "Ben"),)))
    clock.instant += timedelta(hours=2)
    assert await vault.health.of(MIRA) == MemoryHealth(facts=4, never_recalled=4, duplicates=1, projectors=())
    assert [[fact.id for fact in group] for group in await vault.health.duplicates(MIRA)] == [[1, 2]]
    await vault.facts.retire_by_owner(facts[1].id)
    assert await vault.health.of(MIRA) == MemoryHealth(facts=3, never_recalled=3, duplicates=0, projectors=())


async def test_answers_are_summed_up_by_projector(vault: Vault) -> None:
    def answer(projector: str, tokens: int, *, malformed: bool = False, **rejected: int) -> NewAnswer:
        return NewAnswer(
            projector, 1, MIRA, 1, 2, "told", "{}", NOON, tokens=tokens, ms=1.5, malformed=malformed, rejected=rejected
        )

    for one in (
        answer("rich_note", 100, no_text=2),
        answer("rich_note", 20, malformed=True),
        answer("rich_note", 3, no_text=1, too_long=1),
        answer("reflection", 7),
    ):
        await vault.projections.write(lambda writer, one=one: writer.record_answer(one) and None)  # type: ignore[misc]
    assert (await vault.health.of(MIRA)).projectors == (
        ProjectorFigures("reflection", 1, 0, {}, 7, 1.5, NOON),
        ProjectorFigures("rich_note", 3, 1, {"no_text": 3, "too_long": 1}, 123, 4.5, NOON),
    )
    drawn = await vault.health.drawn(MIRA)
    assert (drawn.facts, drawn.portraits, drawn.malformed) == (0, 0, 1)
    last = (answer("rich_note", 1, malformed=True), answer("people_dossier", 1))
    for one in last:
        await vault.projections.write(lambda writer, one=one: writer.record_answer(one) and None)  # type: ignore[misc]
    figures = (await vault.health.of(MIRA)).projectors
    assert [(one.name, one.last_malformed) for one in figures] == [
        ("people_dossier", False), ("reflection", False), ("rich_note", True),
    ]  # fmt: skip
    await vault.facts.append(new("Ann sings."))
    drawn = await vault.health.drawn(MIRA)
    assert (drawn.facts, drawn.portraits, drawn.malformed) == (1, 1, 2)
    (kept, *_) = await vault.projections.answers("rich_note", MIRA)
    assert (kept.ms, kept.malformed, kept.rejected) == (1.5, False, {"no_text": 2})
