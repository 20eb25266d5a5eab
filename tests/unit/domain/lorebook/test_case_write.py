"""Case files written from what was tried out give the same result when they are run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.case_write import case_of
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import (
    BoundBooks,
    CharacterFilter,
    EntryKey,
    Folder,
    LoreBook,
    LoreEntry,
    Position,
)
from familiar_app.domain.lorebook.likeness import Likeness
from familiar_app.domain.lorebook.rules import FIXED, RULE_SETS, Rules
from familiar_app.domain.lorebook.scene import LoreSettings, Scene, Strategy

SCENE = Scene(
    messages=("Ann: the lamp", "Sera: my /studio/ is dark"),
    length=40,
    injections=("a note on whales",),
    sources={"scenario": "on the coast", "creator_notes": "windy"},
    trigger="quiet",
    character="Sera",
    character_tags=frozenset({"sea", "night"}),
    note_inserted=True,
    prompt_tokens=90,
    expand=lambda text: fill_placeholders(text, char="Sera", user="Ann"),
    forced=frozenset({EntryKey("Own", "odd")}),
    likeness=Likeness({EntryKey("Own", 12): 0.8, EntryKey("Own", 7): 0.9}, 0.7, 3),
    dry_run=True,
)
OWN = LoreBook(
    name="Own",
    scan_depth=1,
    token_budget=30,
    folders=(Folder("f", "Shut", enabled=False),),
    entries=(
        LoreEntry(uid="odd", content="forced <BOT>", order=1),
        LoreEntry(uid=7, keys=("lamp",), content="beyond the book's reach"),
        LoreEntry(uid=3, keys=("lamp",), scan_depth=2, content="{{user}} lit it", probability=40, sticky=2),
        LoreEntry(uid=4, keys=("studio",), use_regex=True, content="a pattern"),
        LoreEntry(uid=5, keys=("dark",), content="shut away", folder="f"),
        LoreEntry(uid=6, keys=("coast",), sources=("scenario",), position=Position.AT_DEPTH, depth=None, content="sea"),
        LoreEntry(uid=8, keys=("<USER>",), content="by name", character_filter=CharacterFilter(tags=("sea",))),
        LoreEntry(uid=9, constant=True, content="long " * 80, delay=30),
        LoreEntry(uid=10, keys=("whales",), group="g", content="one", position=Position.OUTLET, outlet_name="o"),
        LoreEntry(uid=12, vectorized=True, content="near"),
        LoreEntry(uid=11, keys=("whales",), group="g", group_weight=300, content="other", triggers=("quiet",)),
    ),
)
SHARED = LoreBook(name="Shared", entries=(LoreEntry(uid=0, keys=("lamp", "sea"), content="shared lamp"),))


def tried(rules: Rules, books: BoundBooks, lore: LoreSettings, scene: Scene, chance: list[float]) -> dict[str, Any]:
    numbers = iter(chance)
    engine = LoreEngine(books, lore, rules)
    found = engine.activate(scene, chance=lambda: next(numbers, 0.5), count_tokens=lambda text: len(text) // 3 + 1)
    case = case_of(books, lore, rules, scene, found, title="a scene", macros={"char": "Sera", "user": "Ann"})
    read: dict[str, Any] = json.loads(json.dumps(case))
    return read


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_a_scene_with_everything_is_repeated(rules: Rules) -> None:
    books = BoundBooks(character=(OWN,), everywhere=(SHARED,))
    lore = LoreSettings(budget_percent=100, recursive=True, max_entries=6, fill_gaps=True, strategy=Strategy.EVENLY)
    case = tried(rules, books, lore, SCENE, [0.1, 0.9])
    assert len(case["expect"]["activated"]) >= 5
    assert run_case(case, rules) == case["expect"]


def test_counts_are_replayed_under_the_rules_they_were_made_with() -> None:
    books = BoundBooks(character=(LoreBook(name="B", entries=(LoreEntry(uid=0, keys=("k",), content="one two"),)),))
    case = tried(FIXED, books, LoreSettings(budget_percent=100), Scene(messages=("k",), prompt_tokens=3), [])
    assert case["expect"]["activated"] == []
    assert run_case(case, FIXED)["activated"] == []
    assert run_case(case | {"rules": "st-1.18"}, FIXED)["activated"] == ["k"]


WORDS = st.lists(st.sampled_from(["lamp", "sea", "{{char}}", "<USER>", "/l.mp/i", "dark", " "]), max_size=3)
ENTRIES = st.lists(
    st.builds(
        LoreEntry,
        uid=st.just(0),
        keys=WORDS.map(tuple),
        secondary_keys=WORDS.map(tuple),
        content=WORDS.map(" ".join),
        constant=st.booleans(),
        order=st.sampled_from([1, 2.5, 100]),
        probability=st.sampled_from([0, 50, 100]),
        group=st.sampled_from(["", "g", "g,h"]),
        position=st.sampled_from(Position),
        outlet_name=st.sampled_from(["", "o"]),
        scan_depth=st.sampled_from([None, 0, 2]),
        delay_until_recursion=st.integers(0, 2),
        use_regex=st.sampled_from([None, True, False]),
        ignore_budget=st.booleans(),
    ),
    max_size=7,
)


@settings(deadline=None, max_examples=60)
@given(ENTRIES, st.lists(st.floats(0, 0.99), max_size=6), st.sampled_from(list(RULE_SETS.values())), st.integers(1, 40))
def test_every_scene_is_repeated(drawn: list[LoreEntry], chance: list[float], rules: Rules, room: int) -> None:
    numbered = [LoreEntry(**{**_fields(one), "uid": f"x{n}"}) for n, one in enumerate(drawn)]
    half = len(numbered) // 2
    books = BoundBooks(
        chat=(LoreBook(name="A", entries=tuple(numbered[:half]), scan_depth=1),),
        everywhere=(LoreBook(name="B", entries=tuple(numbered[half:]), token_budget=9),),
    )
    scene = Scene(messages=SCENE.messages, prompt_tokens=room, expand=SCENE.expand, character="Sera")
    case = tried(rules, books, LoreSettings(budget_percent=100, recursive=True), scene, chance)
    assert run_case(case, rules) == case["expect"]


def _fields(entry: LoreEntry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in LoreEntry.__dataclass_fields__}
