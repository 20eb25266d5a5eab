"""The fine print of activation, under both rule sets where they agree."""

from __future__ import annotations

from typing import Any

import pytest

from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.entry import BoundBooks, CharacterFilter, EntryKey, LoreBook, LoreEntry, Position
from familiar_app.domain.lorebook.rules import FIXED, RULE_SETS, ST_1_18, Rules
from familiar_app.domain.lorebook.scanorder import scan_order
from familiar_app.domain.lorebook.scene import MAX_DEPTH, Strategy
from familiar_app.domain.lorebook.timer import Effect, Timers, entry_mark
from tests.unit.domain.lorebook.test_engine import activate, entry, reason, reasons

both = pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
TEXTS = {
    "persona_description": "p1", "character_description": "c2", "character_personality": "c3",
    "character_depth_prompt": "n4", "scenario": "s5", "creator_notes": "c6",
}  # fmt: skip


@both
def test_texts_are_searched_in_their_order_and_only_where_asked_for(rules: Rules) -> None:
    whole = entry(1, r"/new[^]*old[^]*p1[^]*c2[^]*c3[^]*n4[^]*s5[^]*c6[^]*inj1[^]*inj2[^]*woken/", sources=tuple(TEXTS))
    part = entry(2, r"/old\n\x01s5\n\x01inj1/", sources=("scenario",), prevent_recursion=True)
    plain = entry(3, r"/old\n\x01inj1\n\x01inj2\n\x01woken$/")
    found = activate(
        entry(0, "new", content="woken"),
        whole,
        part,
        plain,
        chat=("old", "  new \n"),
        depth=2,
        scene={"sources": TEXTS, "injections": ("inj1", "inj2")},
        recursive=True,
        rules=rules,
    )
    # Those of one pass are in scan order; the second entry does not end with the text and comes in at once.
    assert found.names == ["e0", "e2", "e1", "e3"]
    assert [one.number for one in found.accepted] == [1, 1, 2, 2]


@both
def test_messages_are_trimmed_and_a_depth_ends_at_the_most(rules: Rules) -> None:
    assert activate(entry(1, r"/^\x01k$/"), chat=("\n k \t",), rules=rules).names == ["e1"]
    chat = ("old", *("-" for _ in range(MAX_DEPTH)))
    assert activate(entry(1, "old", scan_depth=5000), chat=chat, rules=rules).names == []
    assert activate(entry(1, "old", scan_depth=5000), chat=chat[:-1], rules=rules).names == ["e1"]


@both
def test_white_space_is_taken_as_it_is(rules: Rules) -> None:
    assert activate(entry(1, "foo bar"), chat=("foo  bar",), rules=rules).names == []
    assert activate(entry(1, " foo bar "), chat=("xfoo bary",), rules=rules).names == ["e1"]


@both
@pytest.mark.parametrize(
    ("key", "text", "hit"),
    [
        ("king", "the king's men", True),
        ("king", "a (king)", True),
        ("C++", "I know C++.", True),
        ("C++", "xC++", False),
        ("#tag", "see #tag", True),
        ("snake", "snake_case", False),
        ("/king/", "liking", True),
        ("/KING/", "king", False),
    ],
)
def test_whole_words(rules: Rules, key: str, text: str, hit: bool) -> None:
    assert (activate(entry(1, key), chat=(text,), match_whole_words=True, rules=rules).names == ["e1"]) == hit


@both
def test_name_and_tag_filter_have_to_agree(rules: Rules) -> None:
    def came(character: str, known: set[str] | None, **wanted: Any) -> bool:
        scene = {"character": character, "character_tags": None if known is None else frozenset(known)}
        return bool(activate(entry(1, "k", character_filter=CharacterFilter(**wanted)), scene=scene, rules=rules).names)

    assert came("Ann", {"t"}, names=("Ann",), tags=("t",))
    assert not came("Ann", {"u"}, names=("Ann",), tags=("t",))
    assert not came("Bob", {"t"}, names=("Ann",), tags=("t",))
    assert not came("Ann", {"u"}, exclude=True, names=("Ann",), tags=("t",))
    assert came("Bob", {"u"}, exclude=True, names=("Ann",), tags=("t",))
    assert came("Ann", None, names=("Ann",), tags=("t",)) == (rules is ST_1_18)


@both
def test_a_decorator_beats_everything_but_the_switch(rules: Rules) -> None:
    off = "@@dont_activate\ntext"
    forced = {"forced": frozenset({EntryKey("G", 1)})}
    assert activate(entry(1, "k", content=off, constant=True), scene=forced, rules=rules).names == []
    assert activate(entry(1, content="@@activate\ntext"), rules=rules).names == ["e1"]
    assert activate(entry(1, content="@@activate\ntext", enabled=False), rules=rules).names == []
    assert activate(entry(1, "k", content=off, sticky=3), timers=running(off), chat=("k", "k"), rules=rules).names == []


def running(content: str = "text 1", **more: Any) -> Timers:
    """Return a sticky effect of `entry(1, "k", …)` that began one message ago, under either rule set."""
    made = entry(1, "k", content=content, **({"sticky": 3} | more))
    probe = activate(made, chat=("x",)).books.candidates[0]
    return Timers(sticky={"G.1": Effect(1, 9, entry_mark(probe, whole=False))})


@pytest.mark.parametrize(
    ("more", "comes"),
    [
        ({}, True),
        ({"probability": 0}, True),
        ({"delay_until_recursion": 1}, True),
        ({"exclude_recursion": True}, True),
        ({"cooldown": 5}, True),
        ({"group": "g"}, True),
        ({"enabled": False}, False),
        ({"triggers": ("quiet",)}, False),
        ({"character_filter": CharacterFilter(names=("Bob",))}, False),
        ({"delay": 5}, False),
        ({"content": "w " * 50}, False),
    ],
)
def test_what_a_sticky_entry_gets_past(more: dict[str, Any], comes: bool) -> None:
    timers = running(**more)
    if "cooldown" in more:
        timers = Timers(timers.sticky, {"G.1": next(iter(timers.sticky.values()))})
    found = activate(
        entry(1, "k", **({"sticky": 3} | more)),
        entry(2, "z", group="g", group_override=True, order=999),
        chat=("z", "z"),
        timers=timers,
        budget_cap=20,
    )
    assert ("e1" in found.names) == comes
    if "group" in more:
        assert reason(found, 2)[1]["how"] == "sticky"
    assert found.rolls == ()


@both
def test_who_gets_the_room_first(rules: Rules) -> None:
    made = entry(1, "k", sticky=3, order=1)
    probe = activate(made, rules=rules).books.candidates[0]
    timers = Timers(sticky={"G.1": Effect(0, 9, entry_mark(probe, whole=rules.edits_end_timers))})
    found = activate(
        entry(3, "k", order=900),
        entry(2, order=2),
        made,
        entry(4, "k", order=800),
        scene={"forced": frozenset({EntryKey("G", 2)})},
        timers=timers,
        rules=rules,
    )
    assert found.names == ["e1", "e2", "e3", "e4"]


@both
def test_more_messages_are_looked_at_without_what_was_woken(rules: Rules) -> None:
    entries = (entry(1, "k", content="zap", prevent_recursion=False), entry(2, "zap"), entry(3, "old"))
    found = activate(
        *entries, chat=("old", "x", "k"), depth=1, min_activations=3, max_passes=0, recursive=True, rules=rules
    )
    assert found.names == ["e1", "e2", "e3"]
    stopped = activate(*entries, chat=("old", "x", "k"), depth=1, min_activations=3, recursive=False, rules=rules)
    assert stopped.names == ["e1", "e3"]


def test_spaces_in_group_names_matter_to_the_strict_rules_only() -> None:
    entries = (entry(1, "k", group="g1 ,g2"), entry(2, "k", group="g1"))
    assert activate(*entries, rules=ST_1_18).names == ["e1", "e2"]
    assert len(activate(*entries, rules=FIXED).names) == 1


@both
def test_members_that_opt_out_of_scores_stay_for_the_draw(rules: Rules) -> None:
    entries = (
        entry(1, "k", "l", group="g", use_group_scoring=True),
        entry(2, "k", group="g", use_group_scoring=True),
        entry(3, "k", group="g", use_group_scoring=False),
        entry(4, constant=True, group="g"),
    )
    found = activate(*entries, chat=("k l",), rolls=(0.99,), group_scoring=True, rules=rules)
    assert found.names == ["e3"]
    assert reason(found, 2)[1] == {"group": "g", "to": "e1", "how": "score", "score": 1, "best": 2}
    assert reason(found, 4)[1]["score"] == 0


def test_books_come_in_the_order_of_what_binds_them() -> None:
    def book(name: str, *orders: int) -> LoreBook:
        entries = tuple(LoreEntry(uid=n, order=order, comment=f"{name}{order}") for n, order in enumerate(orders))
        return LoreBook(name=name, entries=entries)

    books = BoundBooks(
        everywhere=(book("G", 10, 90), book("H", 50)),
        chat=(book("L", 1, 2), book("G", 7)),
        persona=(book("P", 3), book("L", 7)),
        character=(book("C", 90, 20), book("P", 7)),
    )
    order = {strategy: " ".join(one.comment for _, one in scan_order(books, strategy)) for strategy in Strategy}
    assert order == {
        Strategy.EVENLY: "L2 L1 P3 G90 C90 H50 C20 G10",
        Strategy.CHARACTER_FIRST: "L2 L1 P3 C90 C20 G90 H50 G10",
        Strategy.GLOBAL_FIRST: "L2 L1 P3 G90 H50 G10 C90 C20",
    }


@both
def test_entries_without_text_are_in_and_stand_nowhere(rules: Rules) -> None:
    found = activate(
        entry(1, "k", content="{{x}}"), scene={"expand": lambda text: text.replace("{{x}}", "")}, rules=rules
    )
    assert (found.names, found.placement.before) == (["e1"], "")
    assert reasons(found, 1)[-1][2] == {"why": "empty"}


@both
def test_names_of_outlets_are_told_apart_by_case(rules: Rules) -> None:
    out = {"position": Position.OUTLET}
    found = activate(entry(1, "k", outlet_name="a", **out), entry(2, "k", outlet_name="A", **out), rules=rules)
    assert found.placement.outlets == {"a": "text 1", "A": "text 2"}


def test_swiping_takes_an_effect_back_but_not_a_protected_one() -> None:
    begun = activate(entry(1, "k", sticky=2, cooldown=4), chat=("x", "k")).timers
    rested = activate(entry(1, "k", sticky=2, cooldown=4), chat=("x", "k", "-", "-"), depth=1, timers=begun)
    assert (rested.names, rested.timers.cooldown["G.1"].protected) == ([], True)
    back = activate(entry(1, "k", sticky=2, cooldown=4), chat=("x", "k"), timers=rested.timers)
    assert (back.names, reason(back, 1)[0]) == ([], "cooldown")
    assert activate(entry(1, "k", sticky=2, cooldown=4), chat=("x", "k"), timers=begun).names == ["e1"]


def test_a_case_takes_books_as_lists_as_objects_and_as_whole_files() -> None:
    entries = [{"uid": 7, "key": ["k"], "comment": "B"}, {"uid": 2, "key": ["k"], "comment": "A"}]
    forms: list[Any] = [
        entries,
        {str(one["uid"]): one for one in entries},
        {"entries": {"2": entries[1], "7": entries[0]}},
    ]
    for form in forms:
        found = run_case({"input": {"books": {"G": form}, "chat": ["k"]}}, ST_1_18)
        assert found["activated"] == ["A", "B"]
