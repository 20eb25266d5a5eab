"""Limits that are none, which memory goes first, names in texts, proxies and their hosts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ids import FamiliarId, Lineage, PersonKey
from familiar_app.domain.privacy import PrivacyLevel, Proxy, hosts_allow
from familiar_app.domain.saved_memory.capacity import Decay, first_to_go, is_dormant
from familiar_app.domain.saved_memory.limit import with_usable_limits
from familiar_app.domain.saved_memory.memory import (
    MemoryId,
    MemoryPlace,
    SavedMemory,
    Scope,
    content_identity,
    usable_lineage,
)
from familiar_app.domain.saved_memory.named import names_somebody
from tests.unit.conversation.memory_stage import make_config

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
ON = Decay(10, retrieval=True)
OWN = Lineage("own")


def row(
    number: int, age: float, used: float | None = None, *, manual: bool = False, lineage: str = "own"
) -> SavedMemory:
    place = MemoryPlace(Scope.PERSONAL, "discord:1", Lineage(lineage))
    created = NOON - timedelta(days=age)
    reinforced = None if used is None else NOON - timedelta(days=used)
    return SavedMemory(
        MemoryId(number), place, FamiliarId("mira"), None, None, "x", (), created, created, manual, reinforced
    )


@pytest.mark.parametrize("value", [0, -1, 1.5, "100", None, True, 10**9])
def test_a_limit_that_is_none_takes_its_default(value: object, caplog: pytest.LogCaptureFixture) -> None:
    mended = with_usable_limits({"max_server": value, "max_tags": 3, "decay_enabled": False})
    assert mended == {"max_server": 100, "max_tags": 3, "decay_enabled": False}
    assert "saved_memories.max_server" in caplog.text


def test_the_settings_of_a_familiar_are_mended_too(caplog: pytest.LogCaptureFixture) -> None:
    settings = make_config(max_server=0, max_personal="many", decay_days=-3, max_length=20).saved_memories
    assert (settings.max_server, settings.max_personal, settings.decay_days, settings.max_length) == (100, 100, 90, 20)
    assert caplog.text.count("is no positive whole number") == 3


def test_rest_begins_after_the_days_of_decay() -> None:
    assert not is_dormant(row(1, 10), NOON, ON)
    assert is_dormant(row(1, 10.001), NOON, ON)
    assert not is_dormant(row(1, 100, 3), NOON, ON)
    assert not is_dormant(row(1, 100), NOON, Decay(10, retrieval=False))
    assert not is_dormant(row(1, 100), NOON, Decay())


def test_who_goes_first() -> None:
    rows = [
        row(1, 50, 20), row(2, 50, 30), row(3, 40), row(4, 60), row(5, 60), row(6, 99, manual=True),
        row(7, 99, lineage="0"), row(8, 99, lineage="other"), row(9, 5),
    ]  # fmt: skip
    gone: list[int] = []
    while (victim := first_to_go(rows, OWN, NOON, ON)) is not None:
        gone.append(victim.id)
        rows.remove(victim)
    assert gone == [4, 5, 3, 2, 1]


@given(st.permutations([row(1, 50, 20), row(2, 50, 30), row(3, 40), row(4, 60), row(5, 60)]))
def test_the_order_of_rows_does_not_matter(rows: list[SavedMemory]) -> None:
    found = first_to_go(rows, OWN, NOON, ON)
    assert found is not None
    assert found.id == 4


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("Ben came by", ["Ben"], True),
        ("the garden is ben's", ["Ben"], True),
        ("@ben, hello", ["ben"], True),
        ("Bend the branch", ["Ben"], False),
        ("Urben", ["Ben"], False),
        ("Ann Miller sings", ["ann   miller"], True),
        ("x is a letter", ["x"], False),
        ("Will sings", ["Will"], True),
        ("it will rain", ["Will"], False),
        ("昨日アンさんが来た", ["アン"], True),
        ("C++ (the cat)", ["c++"], True),
        ("nobody", [], False),
    ],
)
def test_names_in_texts(text: str, names: list[str], found: bool) -> None:
    assert names_somebody(text, names) == found


def test_proxies_follow_their_hosts() -> None:
    one, two = PersonKey("discord:1"), PersonKey("discord:2")
    levels = {one: PrivacyLevel.PARTIAL, two: PrivacyLevel.FULL}
    assert hosts_allow(Proxy((one,)), levels)
    assert not hosts_allow(Proxy((one, two)), levels)
    assert not hosts_allow(Proxy(None), {})
    assert not hosts_allow(Proxy(()), {})
    assert not hosts_allow(Proxy((one,), blocked=True), {})


def test_the_same_content_and_the_lineages_that_can_own() -> None:
    assert content_identity("Tea. ") == content_identity("  tea")
    assert content_identity("!!!") != content_identity("???")
    assert [usable_lineage(Lineage(text)) for text in ("", "0", "00000000-0000-0000-0000-000000000000", "0a")] == [
        False, False, False, True,
    ]  # fmt: skip
