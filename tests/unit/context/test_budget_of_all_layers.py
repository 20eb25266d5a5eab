"""Budgets with every layer at work: caps hold, the whole fits, the order is kept, nothing is cut inside a character."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from familiar_app.context.assembler import Assembler
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.context.prompt import PromptRequest
from familiar_app.context.registry import HISTORY, LAYERS
from familiar_app.context.tokens import CUT_MARK
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import OWNER, ChannelKey, ego_key
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.projection import Dossier, NewReflection, Summary
from familiar_app.domain.variation import Variation
from tests.doubles.talk import BEN, MIRA, START, FakeModel, make_config
from tests.doubles.waiting import in_step
from tests.unit.context.hearing import Hearing, hearing

FAMILY, ACCENT, FLAG = "👩‍👩‍👧‍👦", "e\u0301\u0323", "🇳🇱"
GRAPHEMES = f"Ann {FAMILY} saw {ACCENT} the {FLAG} lamp 漢字 "
NAMES = tuple(LAYERS)
CUT_BY_TEXT = ("character_card", "operating_mode", "conversation_summary", "people_dossiers", "reflections")
# Whole entries, memories or hits go where there is no room: such a layer is never cut within one.


class Shelf:
    """A book whose entry the talk calls for."""

    async def read(self, channel: ChannelKey) -> LoreShelf:
        entries = tuple(
            LoreEntry(uid=number, keys=("lamp",), content=f"{number}: {GRAPHEMES * 3}") for number in range(5)
        )
        return LoreShelf(BoundBooks(character=(LoreBook(name="tower", entries=entries),)), "r")


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Hearing]:
    """A vault in which every layer has something to say, and most have too much."""
    async with hearing(tmp_path / "vault.db") as made:
        turns = [await made.say(f"{number} {GRAPHEMES * (1 + number % 4)}", BEN) for number in range(30)]
        for number in range(8):
            await made.learn(f"Fact {number}: the lamp {FAMILY} {number}", turns[number], importance=number + 1)
        main = made.places["main"].id
        await made.vault.projections.write(
            lambda writer: (
                writer.add_summary(Summary(MIRA, main, GRAPHEMES * 40, turns[-1], START)),
                [
                    writer.put_dossier(Dossier(MIRA, person, GRAPHEMES * 15, 1, START))
                    for person in (ego_key(MIRA), BEN.key, OWNER)
                ],
                [
                    writer.add_reflection(
                        NewReflection(MIRA, f"{number} {GRAPHEMES * 4}", main, (turns[0],), (), turns[0], 0), START
                    )
                    for number in range(6)
                ],
            )
        )
        await in_step(made.vault)
        yield made


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    caps=st.fixed_dictionaries({name: st.integers(0, 400) for name in NAMES} | {HISTORY: st.integers(32, 900)}),
    order=st.permutations([*NAMES, HISTORY]),
    without=st.sets(st.sampled_from(NAMES), max_size=4),
    context=st.integers(500, 5000),
    characters=st.integers(1, 6),
    surcharge=st.sampled_from([0, 15]),
)
async def test_no_layer_exceeds_its_cap_and_the_whole_never_the_context(
    scene: Hearing,
    caps: dict[str, int],
    order: list[str],
    without: set[str],
    context: int,
    characters: int,
    surcharge: int,
) -> None:
    model = FakeModel(context_tokens=context, characters_per_token=characters, surcharge_percent=surcharge)
    card = CharacterCard(name="Mira", description=GRAPHEMES * 20, post_history_instructions=GRAPHEMES * 5)
    assembler = Assembler(MIRA, lambda: card, make_config(), scene.vault, model, scene.clock, "Ann", lorebooks=Shelf())
    variation = Variation(without_layers=frozenset(without), order=tuple(order), caps=caps)
    request = PromptRequest(scene.places["main"], variation=variation, preview=True)
    try:
        prompt = await assembler.assemble(request)
        whole = await assembler.assemble(
            PromptRequest(
                scene.places["main"],
                preview=True,
                variation=Variation(frozenset(without), order=tuple(order), caps=dict.fromkeys(caps, 100_000)),
            )
        )
    except UserError:
        assert context < 1500, "there is room for one message and the answer"
        return
    trace = prompt.trace
    assert await model.count_prompt_tokens(prompt.request.messages) + prompt.request.max_tokens <= context
    assert trace.tokens + trace.answer_tokens <= context
    shown = [name for name in order if name not in without]
    assert [layer.name for layer in trace.layers] == shown
    for layer in trace.layers:
        if layer.name in caps:
            assert layer.tokens <= caps[layer.name]
        assert layer.tokens <= (layer.budget_tokens or 0)
        counted = (await model.count_tokens([layer.text]))[0]
        assert layer.name == HISTORY or counted == layer.tokens, "what is told is what is sent"
    _in_order([part.layer for part in trace.messages if part.layer != "lorebook"], shown)
    for name in CUT_BY_TEXT:
        _cut_between_characters(_text(trace, name), _text(whole.trace, name))


def _in_order(layers: list[str], order: list[str]) -> None:
    places = [order.index(name) for name in layers if name in order]
    assert places == sorted(places)


def _text(trace: object, name: str) -> str:
    return next((layer.text for layer in trace.layers if layer.name == name), "")  # type: ignore[attr-defined]


def _cut_between_characters(cut: str, whole: str) -> None:
    """Check that a text ends where a visible character ends."""
    if not cut.endswith(CUT_MARK) or not whole.startswith(cut[: -len(CUT_MARK)]):
        return
    kept = len(cut) - len(CUT_MARK)
    ends = {match.end() for match in regex.finditer(r"\X", whole)}
    assert kept == 0 or kept in ends
