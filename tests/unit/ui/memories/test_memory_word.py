"""Saved memories in words: how they stand, what becomes of them, about whom they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from familiar_app.domain.ids import OWNER, ChannelId, ChannelKey, FamiliarId, Lineage, PersonKey
from familiar_app.domain.saved_memory.capacity import Decay
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, MemoryPlace, SavedMemory, Scope
from familiar_app.domain.turn import Channel
from familiar_app.store.saved_memory_tool import EVICTED
from familiar_app.ui.memories.word import Names, cause_text, future_text, state_text

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
LINEAGE = Lineage("5d1f6e7c-8f4e-4f6c-9f3e-0a1b2c3d4e5f")
MIRA = FamiliarId("mira")
MEMORY = SavedMemory(
    id=MemoryId(7),
    place=MemoryPlace(Scope.PERSONAL, "discord:1", LINEAGE),
    persona=MIRA,
    taught_by=PersonKey("discord:1"),
    source_turn=None,
    content="{user} asked {char} for {rain}",
    tags=(),
    created_at=NOON,
    updated_at=NOON,
)
CHANNELS = {"local:main": Channel(ChannelId(1), ChannelKey("local:main"), MIRA, "Main")}
NAMES = Names({"discord:1": "Ann"}, CHANNELS, "Jo", "Mira", UTC)
DECAY = Decay(30, retrieval=True)


def test_names_stand_for_their_keys() -> None:
    assert NAMES.text(MEMORY) == "Ann asked Mira for {rain}"
    assert [NAMES.person(key) for key in (OWNER, "ego:mira", "discord:9", None)] == [
        "Jo", "Mira", "discord:9", "nobody known",
    ]  # fmt: skip
    assert NAMES.place(MEMORY.place) == "Ann"
    assert NAMES.place(replace(MEMORY.place, lineage=GLOBAL_LINEAGE)) == "Ann (every familiar)"
    assert NAMES.place(MemoryPlace(Scope.SERVER, "local:main", LINEAGE)) == "Channel Main"
    assert NAMES.place(MemoryPlace(Scope.SERVER, "discord:100", LINEAGE)) == "Server 100"


@pytest.mark.parametrize(
    ("days", "manual", "told"),
    [(29, False, "In every prompt"), (31, False, "Rests"), (29, True, "Protected"), (31, True, "Protected, rests")],
)
def test_how_a_memory_stands(days: int, manual: bool, told: str) -> None:
    memory = replace(MEMORY, manually_written=manual)
    assert state_text(memory, NOON + timedelta(days=days), DECAY) == told


def test_how_a_retired_one_stands() -> None:
    gone = replace(MEMORY, retired_at=NOON, retired_reason=EVICTED)
    assert state_text(gone, NOON, DECAY) == "Made room for another"
    assert "can be restored" in future_text(gone, NOON, DECAY, NAMES)


def test_what_becomes_of_a_memory() -> None:
    assert future_text(MEMORY, NOON, Decay(), NAMES).endswith("memories do not fade.")
    assert "embedder" in future_text(MEMORY, NOON, Decay(30), NAMES)
    soon = future_text(MEMORY, NOON, DECAY, NAMES)
    assert soon == ("If it is not of use before, it rests from 2024-05-31 12:00. It may then make room for another.")
    used = replace(MEMORY, last_reinforced_at=NOON + timedelta(days=1), manually_written=True)
    late = future_text(used, NOON + timedelta(days=60), DECAY, NAMES)
    assert late.startswith("It rests since 2024-06-01 12:00")
    assert late.endswith("It never makes room for another.")


def test_what_an_act_did() -> None:
    assert cause_text("update") == "changed by the familiar"
    assert cause_text("update", retired=True) == "deleted by the familiar"
    assert cause_text("save", retired=True) == "made room for another"
    assert cause_text("restore") == "restored"
