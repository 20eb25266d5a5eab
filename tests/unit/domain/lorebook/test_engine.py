"""The engine: verdicts, repetition, timers, limits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.case import count_words
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import (
    BoundBooks,
    CharacterFilter,
    EntryKey,
    Folder,
    LoreBook,
    LoreEntry,
    Position,
    SecondaryLogic,
)
from familiar_app.domain.lorebook.likeness import Likeness
from familiar_app.domain.lorebook.prepared import PreparedBooks
from familiar_app.domain.lorebook.rules import FIXED, ST_1_18, Rules, rules_named
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.domain.lorebook.timer import Timers
from familiar_app.domain.lorebook.verdict import Reason


def entry(uid: int, *keys: str, **more: Any) -> LoreEntry:
    return LoreEntry(uid=uid, keys=keys, comment=f"e{uid}", content=more.pop("content", f"text {uid}"), **more)


def activate(
    *entries: LoreEntry,
    chat: tuple[str, ...] = ("k",),
    rules: Rules = FIXED,
    scene: dict[str, Any] | None = None,
    timers: Timers | None = None,
    rolls: tuple[float, ...] = (),
    book: dict[str, Any] | None = None,
    **lore: Any,
) -> Activation:
    bound = BoundBooks(everywhere=(LoreBook(name="G", entries=entries, **(book or {})),))
    engine = LoreEngine(bound, LoreSettings(**({"budget_percent": 100} | lore)), rules)
    numbers: Iterator[float] = iter(rolls)
    return engine.activate(
        Scene(messages=chat, **(scene or {})),
        chance=lambda: next(numbers, 0.5),
        count_tokens=count_words,
        timers=timers,
    )


def reasons(activation: Activation, uid: int) -> list[tuple[int, str, dict[str, Any]]]:
    return [
        (one.number, one.outcome.reason.value, dict(one.outcome.detail))
        for one in activation.verdicts()
        if one.key == EntryKey("G", uid)
    ]


def reason(activation: Activation, uid: int) -> tuple[str, dict[str, Any]]:
    (_, code, detail), *_ = reasons(activation, uid)
    return code, detail


def test_a_match_says_where() -> None:
    found = activate(entry(1, "lamp"), chat=("x: the lamp", "y: dark"), depth=2)
    assert reason(found, 1) == ("key", {"key": "lamp", "where": "message", "index": 0, "start": 7, "end": 11})


@pytest.mark.parametrize(
    ("given_entry", "code", "detail"),
    [
        (entry(1, "k", enabled=False), "disabled", {}),
        (entry(1, "k", triggers=("quiet",)), "trigger", {"trigger": "normal", "wanted": ["quiet"]}),
        (entry(1, "k", character_filter=CharacterFilter(names=("Bob",))), "name-filter", {"exclude": False}),
        (entry(1, "k", character_filter=CharacterFilter(tags=("t",))), "tag-filter", {"exclude": False}),
        (entry(1, "k", delay=5), "delay", {"messages": 1, "wanted": 5}),
        (entry(1, "k", delay_until_recursion=2), "wait-recursion", {"level": 2, "open_level": 0}),
        (entry(1), "no-keys", {}),
        (entry(1, "k", content="@@dont_activate\nx"), "decorator", {"decorator": "@@dont_activate"}),
        (entry(1, "zzz"), "no-match", {"nearest": None}),
        (entry(1, "k", probability=10), "roll", {"roll": 50.0, "limit": 10}),
    ],
)
def test_every_refusal_has_its_reason(given_entry: LoreEntry, code: str, detail: dict[str, Any]) -> None:
    found = activate(given_entry)
    assert found.names == []
    assert reason(found, 1) == (code, detail)


def test_the_entries_of_a_closed_folder_are_off() -> None:
    folders = (Folder("f", "Old places", enabled=False), Folder("g", "New places"))
    found = activate(entry(1, "k", folder="f"), entry(2, "k", folder="g"), book={"folders": folders})
    assert found.names == ["e2"]
    assert reason(found, 1) == ("disabled", {"folder": "Old places"})


def test_secondary_keys_are_named() -> None:
    code, detail = reason(activate(entry(1, "k", secondary_keys=("a", "k"), logic=SecondaryLogic.NOT_ANY)), 1)
    assert code == "secondary"
    assert (detail["logic"], detail["secondary_hit"], detail["secondary_missed"]) == ("not-any", ["k"], ["a"])


def test_near_misses() -> None:
    chat = ("the Dragon sleeps", "nothing", "a liking for kings")
    entries = (
        entry(1, "dragon", scan_depth=1),
        entry(2, "Liking", case_sensitive=True),
        entry(3, "king", match_whole_words=True),
        entry(4, "/home/us"),
    )
    found = activate(*entries, chat=chat, depth=1)
    nearest = {uid: reason(found, uid)[1]["nearest"] for uid in (1, 2, 3, 4)}
    assert (nearest[1]["kind"], nearest[1]["messages_back"], nearest[1]["depth"]) == ("window", 3, 1)
    assert (nearest[2]["kind"], nearest[2]["index"], nearest[2]["start"]) == ("case", 2, 2)
    assert (nearest[3]["kind"], nearest[3]["start"]) == ("word-boundary", 4)
    assert nearest[4] == {"kind": "path", "key": "/home/us"}


def test_a_key_beyond_the_window_that_looks_inside_it_reports_the_window() -> None:
    found = activate(entry(1, "old"), chat=("x: old", "x: a", "x: b"), depth=2)
    assert reason(found, 1)[1]["nearest"]["messages_back"] == 3


def test_a_negative_depth_sees_nothing() -> None:
    found = activate(entry(1, "old"), chat=("x: old",), depth=-3)
    assert reason(found, 1)[1]["nearest"]["messages_back"] == 1


def test_a_slow_pattern_is_named_and_the_rest_goes_on() -> None:
    slow = entry(1, "/a(a|a|b?)*(a|aa)*\\d(?:x|y)$/")
    found = activate(slow, entry(2, "aaa", match_whole_words=False), chat=("a" * 4000,), depth=1)
    assert found.names == ["e2"]
    assert reason(found, 1)[1]["nearest"]["kind"] == "time"


def test_the_budget_says_what_took_it() -> None:
    found = activate(
        entry(1, "k", order=9, content="w w w"), entry(2, "k", order=8, content="w w"), budget_cap=5, budget_percent=100
    )
    assert found.names == ["e1"]
    assert found.overflowed
    assert reason(found, 2) == ("budget", {"total": 5, "limit": 5, "taken_by": [["e1", 3]]})


def test_an_entry_that_stands_nowhere_says_so() -> None:
    found = activate(entry(1, "k", position=Position.OUTLET), entry(2, "k", position=Position.NOTE_TOP))
    assert found.names == ["e1", "e2"]
    assert [code for _, code, _ in reasons(found, 1)] == ["key", "not-inserted"]
    assert reasons(found, 2)[-1] == (1, "not-inserted", {"why": "note-off"})


def test_every_open_entry_has_one_verdict_a_pass() -> None:
    found = activate(entry(1, "k", content="see b"), entry(2, "b"), entry(3, "c"), recursive=True)
    assert [[code for _, code, _ in reasons(found, uid)] for uid in (1, 2, 3)] == [
        ["key"],
        ["no-match", "key"],
        ["no-match", "no-match", "no-match"],
    ]
    assert [one.to_json()["verdict"] for one in found.verdicts()][:3] == ["in", "out", "out"]


def test_gaps_are_filled_and_constants_come_first_only_when_asked() -> None:
    entries = (
        entry(1, "k", order=9, content="w w w w w w"),
        entry(2, "k", order=8, content="w"),
        entry(3, constant=True, order=1, content="w w w w"),
    )
    assert activate(*entries, budget_cap=5).names == []
    assert activate(*entries, budget_cap=5, fill_gaps=True).names == ["e2"]
    assert activate(*entries, budget_cap=5, fill_gaps=True, constants_first=True).names == ["e3"]


def test_at_most_so_many_entries() -> None:
    found = activate(entry(1, "k"), entry(2, "k"), entry(3, "k", ignore_budget=True), max_entries=1)
    assert found.names == ["e1", "e3"]
    assert reason(found, 2)[1]["limit_entries"] == 1


@pytest.mark.parametrize("rules", [FIXED, ST_1_18])
def test_entries_beyond_the_limit_wake_nothing(rules: Rules) -> None:
    found = activate(
        entry(1, "k"), entry(2, "k", content="see b"), entry(3, "b"), rules=rules, max_entries=1, recursive=True
    )
    assert (found.names, len(found.passes)) == (["e1"], 2)


def test_a_book_keeps_to_its_own_budget() -> None:
    own = LoreBook(
        name="Own",
        token_budget=6,
        entries=(
            entry(1, "k", order=9, content="w w w w"),
            entry(2, "k", order=8, content="w w w"),
            entry(3, "k", order=7, content="w"),
            entry(4, "k", order=6, content="w w w w w w w", ignore_budget=True),
        ),
    )
    other = LoreBook(name="Other", entries=(entry(5, "k", content="w w w w w w w"),))

    def names(rules: Rules, **lore: Any) -> Activation:
        engine = LoreEngine(BoundBooks(character=(own, other)), LoreSettings(budget_percent=100, **lore), rules)
        return engine.activate(Scene(messages=("k",)), chance=lambda: 0.5, count_tokens=count_words)

    found = names(FIXED)
    assert found.names == ["e5", "e1", "e4"]
    assert not found.overflowed
    detail = next(one.outcome.detail for one in found.verdicts() if one.name == "e2")
    assert detail == {"book": "Own", "total": 7, "limit": 6, "taken_by": [["e1", 4]]}
    assert names(FIXED, fill_gaps=True).names == ["e5", "e1", "e3", "e4"]
    assert names(ST_1_18).names == ["e5", "e1", "e2", "e3", "e4"]


def test_a_forced_entry_needs_no_key_and_goes_first() -> None:
    forced = {"forced": frozenset({EntryKey("G", 2)})}
    found = activate(entry(1, "k", order=9), entry(2), entry(3, enabled=False), scene=forced)
    assert found.names == ["e2", "e1"]
    assert reason(found, 2)[0] == "forced"


def test_a_books_own_depth_stands_between_entry_and_settings() -> None:
    entries = (entry(1, "old"), entry(2, "old", scan_depth=1))
    chat = ("old", "x", "y")
    assert activate(*entries, chat=chat, depth=1, book={"scan_depth": 3}).names == ["e1"]
    assert activate(*entries, chat=chat, depth=1, book={"scan_depth": 3}, rules=ST_1_18).names == []
    assert activate(*entries, chat=chat, depth=3).names == ["e1"]


def test_placeholders_in_keys_follow_the_scene() -> None:
    bound = BoundBooks(everywhere=(LoreBook(name="G", entries=(entry(1, "{{char}}"),)),))
    engine = LoreEngine(bound, LoreSettings(budget_percent=100))
    for name, expected in (("Sera", ["e1"]), ("Ann", []), ("", [])):
        scene = Scene(messages=("hello Sera",), expand=lambda text, name=name: text.replace("{{char}}", name))
        found = engine.activate(scene, chance=random.random, count_tokens=count_words)
        assert found.names == expected


def test_an_evaluation_can_be_repeated_from_what_it_recorded() -> None:
    entries = [entry(n, "k", group="g" if n % 2 else "", probability=50, content="see k") for n in range(20)]
    chance = random.Random(7)
    first = activate(*entries, rolls=tuple(chance.random() for _ in range(40)), recursive=True)
    assert first.rolls
    again = activate(*entries, rolls=first.rolls, recursive=True)
    assert (again.names, again.rolls, again.counts) == (first.names, first.rolls, first.counts)


def test_timers_end_with_edits_that_matter_only() -> None:
    begun = activate(entry(1, "k", sticky=5)).timers
    assert begun.sticky["G.1"].end == 6
    assert Timers.from_json(begun.to_json()) == begun
    later = {"chat": ("k", "x"), "depth": 1, "timers": begun}
    assert activate(entry(1, "k", sticky=5, order=7, display_index=3), **later).names == ["e1"]
    assert activate(entry(1, "k2", sticky=5), **later).names == []
    assert activate(entry(1, "k", sticky=5, display_index=3), rules=ST_1_18, **later).names == []
    assert reason(activate(entry(1, "k", sticky=5), **later), 1) == ("sticky", {"messages_left": 4})


def test_timers_are_taken_back_with_the_messages_that_began_them() -> None:
    begun = activate(entry(1, "k", cooldown=3), chat=("a", "k")).timers
    cooling = activate(entry(1, "k", cooldown=3), chat=("a", "k", "k"), timers=begun)
    assert reason(cooling, 1) == ("cooldown", {"messages_left": 2})
    assert activate(entry(1, "k", cooldown=3), chat=("a", "k"), timers=begun).names == ["e1"]


def test_timers_that_are_none_are_refused() -> None:
    with pytest.raises(BadInputError):
        Timers.from_json({"sticky": {"a": {"start": 1}}})


def test_the_engine_can_be_asked_again_with_other_chats() -> None:
    engine = LoreEngine(
        BoundBooks(everywhere=(LoreBook(name="G", entries=(entry(1, "a"), entry(2, "b"))),)), LoreSettings()
    )
    for text, expected in (("a", ["e1"]), ("b", ["e2"]), ("a b", ["e1", "e2"]), ("", [])):
        scene = Scene(messages=(text,))
        assert engine.activate(scene, chance=random.random, count_tokens=count_words).names == expected


def test_no_books_no_passes() -> None:
    found = LoreEngine(BoundBooks(), LoreSettings()).activate(Scene(), chance=random.random, count_tokens=count_words)
    assert (found.names, found.passes, found.placement.to_json()) == ([], (), {})


def test_unknown_rules_are_refused() -> None:
    assert rules_named("fixed") is FIXED
    with pytest.raises(UsageError, match=r"st-1\.18"):
        rules_named("st-2")


WORDS = st.sampled_from(["a", "b", "c", "d", "a b", "/a|b/", "{{x}}", " "])
ENTRIES = st.lists(
    st.builds(
        lambda keys, secondary, content, more: (keys, secondary, content, more),
        st.lists(WORDS, max_size=2).map(tuple),
        st.lists(WORDS, max_size=2).map(tuple),
        st.lists(WORDS, max_size=3).map(" ".join),
        st.fixed_dictionaries(
            {},
            optional={
                "order": st.sampled_from([1, 50, 100]),
                "constant": st.booleans(),
                "group": st.sampled_from(["", "g", "g,h", "1"]),
                "probability": st.sampled_from([0, 50, 100]),
                "logic": st.sampled_from(SecondaryLogic),
                "sticky": st.integers(0, 2),
                "delay_until_recursion": st.integers(0, 2),
                "prevent_recursion": st.booleans(),
                "exclude_recursion": st.booleans(),
                "ignore_budget": st.booleans(),
                "scan_depth": st.sampled_from([None, 0, 1, 3]),
            },
        ),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=80)
@given(ENTRIES, st.lists(WORDS, max_size=4), st.sampled_from([FIXED, ST_1_18]), st.booleans())
def test_short_cuts_change_nothing(drawn: list[Any], chat: list[str], rules: Rules, recursive: bool) -> None:
    entries = [
        LoreEntry(uid=n, comment=f"e{n}", keys=keys, secondary_keys=secondary, content=content, **more)
        for n, (keys, secondary, content, more) in enumerate(drawn)
    ]
    quick = activate(*entries, chat=tuple(chat), rules=rules, recursive=recursive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PreparedBooks, "_is_swift", lambda *_: False)
        thorough = activate(*entries, chat=tuple(chat), rules=rules, recursive=recursive)
    assert quick.to_json() == thorough.to_json()


@settings(deadline=None, max_examples=50)
@given(
    ENTRIES,
    st.lists(WORDS, max_size=4),
    st.lists(st.floats(0, 0.999), max_size=20),
    st.sampled_from([FIXED, ST_1_18]),
    st.fixed_dictionaries(
        {"recursive": st.booleans(), "min_activations": st.integers(0, 3), "budget_cap": st.integers(0, 9)}
    ),
)
def test_what_holds_for_every_book(
    drawn: list[Any], chat: list[str], rolls: list[float], rules: Rules, lore: dict[str, Any]
) -> None:
    entries = [
        LoreEntry(uid=n, comment=f"e{n}", keys=keys, secondary_keys=secondary, content=content, **more)
        for n, (keys, secondary, content, more) in enumerate(drawn)
    ]
    found = activate(*entries, chat=tuple(chat), rolls=tuple(rolls), rules=rules, **lore)
    assert len(set(found.names)) == len(found.names)
    verdicts = found.verdicts()
    accepted = [one.name for one in verdicts if one.outcome.accepted]
    assert sorted(accepted) == sorted(found.names)
    assert {one.name for one in verdicts} == {one.comment for one in entries}
    for one in found.accepted:
        assert one.candidate.entry.enabled
    if rules is FIXED:
        billed = sum(count_words(one.content) for one in found.accepted if not one.candidate.entry.ignore_budget)
        assert billed < found.budget_tokens
        for name in ("g", "h", "1"):
            members = [one for one in found.accepted if name in one.candidate.entry.group.split(",")]
            assert len(members) <= 1 or all(one.candidate.entry.sticky for one in members)
    assert all(isinstance(one.outcome.reason, Reason) for one in verdicts)


def test_an_entry_comes_in_by_its_meaning() -> None:
    entries = (
        entry(1, vectorized=True, order=1),
        entry(2, "zzz", vectorized=True),
        entry(3, vectorized=True),
        entry(4, vectorized=True),
        entry(5, "zzz"),
        entry(6, vectorized=True, enabled=False),
        entry(7, "k"),
    )
    cosines = {EntryKey("G", uid): cosine for uid, cosine in ((1, 0.5), (2, 0.9), (3, 0.49), (5, 0.99), (6, 0.8))}
    found = activate(*entries, scene={"likeness": Likeness(cosines, 0.5)})
    assert found.names == ["e2", "e1", "e7"]
    assert reason(found, 1) == ("vector", {"similarity": 0.5, "threshold": 0.5})
    assert reason(found, 3) == ("no-match", {"nearest": {"kind": "vector", "similarity": 0.49, "threshold": 0.5}})
    assert reason(found, 4) == ("no-match", {"nearest": {"kind": "vector-wait"}})
    assert reason(found, 6)[0] == "disabled"
    off = activate(*entries)
    assert (off.names, reason(off, 1)) == (["e7"], ("no-match", {"nearest": {"kind": "vector-off"}}))


def test_only_the_nearest_come_in_by_their_meaning() -> None:
    entries = tuple(entry(n, vectorized=True) for n in range(4))
    likeness = Likeness({EntryKey("G", n): 0.6 + n / 10 for n in range(4)}, 0.5, limit=2)
    found = activate(*entries, scene={"likeness": likeness})
    assert found.names == ["e2", "e3"]
    assert reason(found, 1)[1]["nearest"]["similarity"] == 0.7
