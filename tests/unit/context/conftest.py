"""What the tests of prompts share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from familiar_app.context.assembler import Assembler
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from tests.doubles.talk import MIRA, START, FakeModel, FakeVault, make_config

CARD = CharacterCard(
    name="Mira",
    description="{{char}} keeps the lighthouse. {{user}} is her guest.",
    personality="Dry.",
    example_dialogue="{{char}}: Mind the step.",
    post_history_instructions="Be brief, {{char}}.",
)

MakeAssembler = Callable[..., Assembler]


@pytest.fixture
def vault() -> FakeVault:
    return FakeVault()


@pytest.fixture
def make(vault: FakeVault) -> MakeAssembler:
    def build(toml: str = "", *, card: CharacterCard = CARD, model: FakeModel | None = None, **more: Any) -> Assembler:
        fields: dict[str, Any] = {
            "familiar": MIRA,
            "card": lambda: card,
            "config": make_config(toml),
            "vault": vault,
            "model": model or FakeModel(),
            "clock": FixedClock(START),
            "owner_name": "Ann",
        }
        return Assembler(**(fields | more))

    return build
