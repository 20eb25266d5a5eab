"""Two prompts beside each other."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from familiar_app.domain.trace import LayerTrace, PromptTrace, TracedMessage
from familiar_app.domain.trace_diff import compare


def layer(name: str, text: str) -> LayerTrace:
    return LayerTrace(name=name, key=text, cached=False, tokens=len(text.split()), ms=1.0, text=text)


def prompt(*layers: LayerTrace, said: str = "Hello", **more: Any) -> PromptTrace:
    system = [
        TracedMessage(
            role="system", content=one.text if not place else f"\n\n{one.text}", layer=one.name, joined=bool(place)
        )
        for place, one in enumerate(layers)
    ]
    values: dict[str, Any] = {
        "familiar": "mira", "channel": "local:main", "mode": "text", "purpose": "reply",
        "at": datetime(2024, 5, 1, tzinfo=UTC), "model": "m", "provider": "scripted", "context_tokens": 100,
        "answer_tokens": 10, "tokens": 20, "exact_tokens": True, "sampling": {"temperature": 0.5},
        "layers": layers,
        "messages": (*system, TracedMessage(role="user", content=said, layer="recent_history", turn=4)),
    }  # fmt: skip
    return PromptTrace(**(values | more))


CARD, LORE = layer("character_card", "You are Mira.\nDry."), layer("lorebook", "The tower is old.")


def marks(lines: Any) -> list[str]:
    return [f"{line.mark}{line.text}" for line in lines]


def test_the_same_prompt() -> None:
    found = compare(prompt(CARD, LORE), prompt(CARD, LORE))
    assert found.same
    assert found.facts == ()
    assert [(one.name, one.state) for one in found.layers] == [("character_card", "same"), ("lorebook", "same")]
    assert marks(found.lines) == [" You are Mira.", " Dry.", " The tower is old.", " Hello"]
    assert found.lines[-1].turn == 4


def test_a_line_that_changed_and_a_layer_that_went() -> None:
    found = compare(prompt(CARD, LORE), prompt(layer("character_card", "You are Mira.\nWarm."), tokens=18))
    assert not found.same
    assert marks(found.lines) == [" You are Mira.", "-Dry.", "-The tower is old.", "+Warm.", " Hello"]
    assert [(one.name, one.state, one.tokens_a, one.tokens_b) for one in found.layers] == [
        ("character_card", "changed", 4, 4),
        ("lorebook", "removed", 4, None),
    ]
    assert marks(found.layers[0].lines) == [" You are Mira.", "-Dry.", "+Warm."]
    assert found.facts == (("tokens", "20", "18"),)


def test_another_order_moves_a_layer_without_changing_it() -> None:
    found = compare(prompt(CARD, LORE), prompt(LORE, CARD))
    assert sorted(one.state for one in found.layers) == ["moved", "same"], "one of the two stayed where it was"
    assert not found.same
    assert all(line.mark == " " for one in found.layers for line in one.lines)


def test_the_same_words_of_another_layer_are_another_line() -> None:
    found = compare(prompt(layer("lorebook", "Rain.")), prompt(layer("reflections", "Rain.")))
    assert marks(found.lines) == ["-Rain.", "+Rain.", " Hello"]
    assert [line.layer for line in found.lines[:2]] == ["lorebook", "reflections"]


def test_a_sampling_that_differs_is_told() -> None:
    found = compare(prompt(CARD), prompt(CARD, sampling={"temperature": 0.9, "seed": 3}))
    assert found.same
    assert found.facts == (("sampling.temperature", "0.5", "0.9"), ("sampling.seed", "", "3"))
