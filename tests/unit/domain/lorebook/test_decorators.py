"""Decorators in an entry's content under the default rules: what they do, what stays of the text, which do nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from familiar_app.domain.lorebook.case import count_words, run_case
from familiar_app.domain.lorebook.case_write import case_of
from familiar_app.domain.lorebook.decoration import decorated, idle_decorators, read_content
from familiar_app.domain.lorebook.decorators import strip_decorators
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry, LoreRole, Position
from familiar_app.domain.lorebook.lint import Linter, LintTerms
from familiar_app.domain.lorebook.oddity import Oddity
from familiar_app.domain.lorebook.placement import DepthBlock
from familiar_app.domain.lorebook.prepared import PreparedBooks
from familiar_app.domain.lorebook.rules import FIXED, ST_1_18
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.domain.lorebook.sentence import sentence
from tests.unit.domain.lorebook.test_engine import activate, entry, reason, reasons


def text(*lines: str, body: str = "Text.") -> str:
    return "\n".join([*lines, body])


def came(*lines: str, keys: tuple[str, ...] = ("k",), chat: tuple[str, ...] = ("k",), **more: Any) -> bool:
    of_entry = {name: more.pop(name) for name in list(more) if name in ("constant", "use_regex", "enabled")}
    return bool(activate(entry(1, *keys, content=text(*lines), **of_entry), chat=chat, **more).names)


def idle(*lines: str, **more: Any) -> list[tuple[str, str]]:
    return [(one.name, one.why) for one in idle_decorators(entry(1, "k", content=text(*lines), **more), FIXED)]


@pytest.mark.parametrize(
    ("lines", "changes"),
    [
        (["@@depth 3"], {"position": Position.AT_DEPTH, "depth": 3}),
        (["@@depth -2"], {"position": Position.AT_DEPTH, "depth": 0}),
        (["@@end"], {"position": Position.AT_DEPTH, "depth": 0}),
        (["@@depth 3", "@@role assistant"], {"position": Position.AT_DEPTH, "depth": 3, "role": LoreRole.ASSISTANT}),
        (["@@position before_desc", "@@depth 3"], {"position": Position.BEFORE}),
        (["@@position personality", "@@depth 3"], {"position": Position.AT_DEPTH, "depth": 3}),
        (["@@reverse_depth 1", "@@depth 3"], {"position": Position.AT_DEPTH, "depth": 3}),
        (["@@scan_depth 7"], {"scan_depth": 7}),
        (["@@probability 12.5"], {"probability": 12.5, "use_probability": True}),
        (["@@match_full_word"], {"match_whole_words": True}),
        (["@@match_partial_word", "@@match_full_word"], {"match_whole_words": False}),
        (["@@unrecursive"], {"prevent_recursion": True}),
        (["@@no_recursive_search true"], {"exclude_recursion": True}),
        (["@@depth 1", "@@depth 2"], {"position": Position.AT_DEPTH, "depth": 1}),
        (["@@depth x", "@@depth 2"], {"position": Position.AT_DEPTH, "depth": 2}),
        (["@@other 4", "@@@depth 5", "@@@depth 6"], {"position": Position.AT_DEPTH, "depth": 5}),
        (["@@a", "@@@b", "@@@c", "@@@d", "@@@e", "@@@depth 5"], {"position": Position.AT_DEPTH, "depth": 5}),
        (["@@depth 1", "@@@depth 2"], {"position": Position.AT_DEPTH, "depth": 1}),
        (["@@@depth 2"], {}),
        (["@@@other", "@@@depth 2"], {}),
        (["@@Depth 2"], {}),
    ],
)
def test_what_a_text_puts_in_place_of_the_entrys_settings(lines: list[str], changes: dict[str, Any]) -> None:
    one = entry(1, "k", content=text(*lines))
    assert dict(read_content(one.content, FIXED)[0].changes) == changes
    assert {name: getattr(decorated(one, FIXED), name) for name in changes} == changes
    assert decorated(one, ST_1_18) is one


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["@@depth x"], [("@@depth", "value")]),
        (["@@depth"], [("@@depth", "value")]),
        (["@@depth 1,2"], [("@@depth", "value")]),
        (["@@probability 101"], [("@@probability", "value")]),
        (["@@activate_only_every 0"], [("@@activate_only_every", "value")]),
        (["@@additional_keys , "], [("@@additional_keys", "value")]),
        (["@@activate no"], [("@@activate", "value")]),
        (["@@position personality"], [("@@position", "value")]),
        (["@@inject_lore a b"], [("@@inject_lore", "unknown")]),
        (["@@instruct_depth 4", "@@@is_user_icon s"], [("@@instruct_depth", "unknown")]),
        (["@@instruct_depth 4", "@@@depth 3"], []),
        (["@@@depth 3"], [("@@@depth", "unknown")]),
        (["@@depth 1", "@@depth 2"], [("@@depth", "beaten")]),
        (["@@position after_desc", "@@reverse_depth 2"], [("@@reverse_depth", "beaten")]),
        (["@@role user"], [("@@role", "role")]),
        (["@@role user", "@@end"], []),
        (["@@"], [("@@", "unknown")]),
    ],
)
def test_what_does_nothing_is_named(lines: list[str], told: list[tuple[str, str]]) -> None:
    assert idle(*lines) == told
    warnings = Linter().run(LoreBook(name="b", entries=(entry(1, "fox", content=text(*lines)),))).get(1, ())
    found = [one for one in warnings if one.kind is Oddity.IDLE_DECORATOR]
    assert len(found) == len(told)
    assert all(name in one.text and not one.never for one, (name, _) in zip(found, told, strict=True))
    verdict = activate(entry(1, "k", content=text(*lines))).verdicts()[0].outcome
    assert verdict.detail.get("idle_decorators", []) == [name for name, _ in told]


def test_a_role_counts_where_the_entry_stands_among_the_turns_anyway() -> None:
    assert idle("@@role user", position=Position.AT_DEPTH) == []
    found = activate(entry(1, "k", content=text("@@role user"), position=Position.AT_DEPTH))
    assert found.placement.depth == (DepthBlock(4, LoreRole.USER, "Text."),)


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("@@depth 4\n\n\nText.\n\nMore.", "Text.\n\nMore."),
        ("\n@@depth 4\n\n  @@role user\nText.", "Text."),
        ("@@depth 4\r\nText.", "Text."),
        ("@@depth 4", ""),
        ("Text.\n@@depth 4", "Text.\n@@depth 4"),
        ("\n Text.", "\n Text."),
    ],
)
def test_what_is_left_of_a_text(content: str, left: str) -> None:
    assert read_content(content, FIXED)[1] == left == strip_decorators(content)
    found = activate(entry(1, "k", content=content))
    assert "".join((found.placement.before, *(block.text for block in found.placement.depth))) == left


LINES = st.one_of(
    st.text("@ dephrol_0123456789,-./\t\r", max_size=14).map(lambda tail: "@@" + tail),
    st.sampled_from(["@@depth 2", "@@@depth 3", "@@activate", "@@additional_keys a,/b{1,2}/", "@@exclude_keys b", ""]),
)


@given(st.lists(LINES, max_size=6), st.sampled_from(["", "Text.", "Text.\n@@ more"]))
def test_no_prompt_shows_a_decorator_line(lines: list[str], body: str) -> None:
    marks, left = read_content("\n".join([*lines, body]), FIXED)
    decorated_at_all = any(line.strip() for line in lines)
    assert left == body or (not decorated_at_all and left.strip() == body)
    assert not left.lstrip().startswith("@@")
    assert {one.why for one in marks.idle} <= {"unknown", "value", "beaten"}


# ---- conditions


def test_how_often_the_character_spoke() -> None:
    for said, after, every in ((0, False, True), (1, False, False), (2, True, False), (3, True, True)):
        chat = ("Ann: k", *["Mira: yes"] * said)
        scene = {"character": "Mira"}
        assert came("@@activate_only_after 2", chat=chat, scene=scene, depth=9) == after
        assert came("@@activate_only_every 3", chat=chat, scene=scene, depth=9) == every
        # What the conversation counts goes before what shows in the newest messages.
        assert came("@@activate_only_after 2", chat=chat, scene=scene | {"said": 5}, depth=9)
    found = activate(entry(1, "k", content=text("@@activate_only_after 2")), scene={"said": 1})
    assert reason(found, 1) == ("decorator", {"decorator": "@@activate_only_after 2", "messages": 1})
    said = sentence(found.verdicts()[0].outcome)
    assert said == "Its text says @@activate_only_after 2; the character has spoken once."


def test_which_greeting_it_began_with() -> None:
    assert came("@@is_greeting 1", scene={"greeting": 1})
    assert not came("@@is_greeting 1", scene={"greeting": 0})
    assert not came("@@is_greeting 0", scene={"greeting": -1})
    assert came("@@is_greeting 1")


def test_conditions_hold_for_constants_and_not_against_activate() -> None:
    assert not came("@@activate_only_after 2", keys=(), constant=True)
    assert not came("@@exclude_keys k", keys=(), constant=True)
    assert came("@@exclude_keys z", keys=(), constant=True)
    assert came("@@activate", "@@activate_only_after 2", "@@exclude_keys k", keys=())
    assert came("@@dont_activate", "@@activate")
    assert not came("@@activate", enabled=False)


@pytest.mark.parametrize(
    ("lines", "chat", "comes"),
    [
        (["@@additional_keys elm, oak"], "k oak", True),
        (["@@additional_keys elm, oak"], "k", False),
        (["@@additional_keys elm, oak", "@@additional_keys ash"], "k oak", False),
        (["@@additional_keys elm, oak", "@@additional_keys ash"], "k oak ash", True),
        (["@@additional_keys elm"], "elm", False),
        (["@@exclude_keys elm, oak"], "k oak", False),
        (["@@exclude_keys elm, oak"], "k", True),
        (["@@exclude_keys elm", "@@exclude_keys oak"], "k oak", True),
        (["@@exclude_keys_all elm, oak"], "k oak", True),
        (["@@exclude_keys_all elm, oak"], "k oak elm", False),
        (["@@additional_keys {{user}}"], "k ann", True),
        (["@@additional_keys /o.k/"], "k oak", True),
        (["@@match_partial_word", "@@additional_keys oa"], "k oak", True),
        (["@@additional_keys oa"], "k oak", False),
    ],
)
def test_further_keys(lines: list[str], chat: str, comes: bool) -> None:
    scene = {"expand": lambda told: told.replace("{{user}}", "Ann")}
    assert came(*lines, chat=(chat,), scene=scene, match_whole_words=True) == comes


def test_keys_that_keep_an_entry_out_are_named() -> None:
    out = activate(entry(1, "k", content=text("@@exclude_keys oak, elm")), chat=("k elm",))
    code, detail = reason(out, 1)
    assert (code, detail["decorator"], detail["found"], detail["key"]) == ("decorator", "@@exclude_keys", ["elm"], "k")
    assert "elm" in sentence(out.verdicts()[0].outcome)
    lacking = activate(entry(1, "k", content=text("@@additional_keys oak, elm")))
    assert reason(lacking, 1)[1]["missed"] == ["oak", "elm"]


def test_entries_that_differ_in_their_further_keys_are_not_taken_for_the_same() -> None:
    def same(first: str, second: str) -> bool:
        entries = (entry(1, "fox", content=text(first)), entry(2, "fox", content=text(second, body="More.")))
        found = Linter().run(LoreBook(name="b", entries=entries)).get(1, ())
        return Oddity.SAME_KEYS in {one.kind for one in found}

    assert same("@@depth 1", "@@depth 2")
    assert not same("@@additional_keys den", "@@additional_keys hen")


def test_a_leader_with_conditions_leaves_others_of_its_group_a_chance() -> None:
    def shadowed(lines: str, other: str = "Text.") -> bool:
        leader = entry(1, "fox", group="g", group_override=True, content=text(lines, body="Lead."))
        found = Linter().run(LoreBook(name="b", entries=(leader, entry(2, "fox", group="g", content=other))))
        return Oddity.SHADOWED in {one.kind for one in found.get(2, ())}

    assert shadowed("@@depth 2")
    for line in ("@@exclude_keys den", "@@activate_only_after 2", "@@probability 50", "@@dont_activate_after_match"):
        assert not shadowed(line)
    assert not shadowed("@@depth 2", "@@activate\nText.")


# ---- what lasts


def test_once_for_good_and_once_never_again() -> None:
    for line, later in (("@@keep_activate_after_match", True), ("@@dont_activate_after_match", False)):
        one = entry(1, "k", content=text(line))
        first = activate(one, chat=("k",))
        assert first.names == ["e1"]
        chat = ("k", *["-"] * 400, "k" if not later else "-")
        second = activate(one, chat=chat, timers=first.timers, depth=1)
        assert bool(second.names) == later
        assert reason(second, 1) == ("sticky" if later else "cooldown", {"decorator": line})
        assert "came in before" in sentence(second.verdicts()[0].outcome)
        # Where the message it came in with was taken back, it never came.
        assert bool(activate(one, chat=("-",), timers=first.timers).names) is False
        assert activate(one, chat=("k",), timers=first.timers).names == ["e1"]


# ---- room


def test_the_priority_says_who_gets_the_room_and_the_order_where_it_stands() -> None:
    entries = (
        entry(1, "k", order=1, content=text("@@priority 500", body="one")),
        entry(2, "k", order=90, content="two"),
        entry(3, "k", order=80, content="three"),
    )
    found = activate(*entries, budget_cap=3)
    assert found.names == ["e1", "e2"]
    assert found.placement.before == "one\ntwo"
    assert activate(*entries).placement.before == "one\nthree\ntwo"


def test_what_gives_way_is_dropped_first_and_stops_nothing() -> None:
    large = entry(1, "k", constant=True, content=text("@@ignore_on_max_context", "@@priority 900", body="w w w w"))
    wakes, woken = entry(2, "k", order=1, content="zap"), entry(3, "zap", content="z")
    found = activate(large, wakes, woken, budget_cap=4, recursive=True)
    assert (found.names, found.overflowed) == (["e2", "e3"], False)
    assert activate(large, wakes, woken, recursive=True).names == ["e2", "e1", "e3"]


def test_what_is_in_already_makes_room_for_what_is_woken_later() -> None:
    filler = entry(1, "k", content=text("@@ignore_on_max_context", body="w w w w"))
    small = entry(4, "k", order=50, content=text("@@ignore_on_max_context", body="v"))
    wakes, woken = entry(2, "k", content="zap"), entry(3, "zap", content="z z")
    found = activate(filler, small, wakes, woken, budget_cap=7, recursive=True)
    assert (found.names, found.overflowed, found.used_tokens) == (["e2", "e3"], False, 3)
    assert [one[:2] for one in reasons(found, 1)] == [(1, "budget")]
    assert reason(found, 1)[1] == {"gave_way_to": "e3"}
    said = {one.key.uid: sentence(one.outcome) for one in found.verdicts()}
    assert said[1] == "It was in and made room for e3, as its text asks."
    # Where even that frees too little, nothing is put out.
    huge = entry(3, "zap", content="z " * 9)
    assert activate(filler, small, wakes, huge, budget_cap=7, recursive=True).names == ["e2", "e1", "e4"]


def test_room_in_a_book_is_made_by_its_own_entries() -> None:
    filler = entry(1, "k", content=text("@@ignore_on_max_context", body="w w w w"))
    wakes, woken = entry(2, "k", content="zap"), entry(3, "zap", content="z z")
    found = activate(filler, wakes, woken, book={"token_budget": 7}, recursive=True)
    assert (found.names, found.overflowed) == (["e2", "e3"], False)
    too_large = entry(1, "k", content=text("@@ignore_on_max_context", body="w " * 9))
    assert activate(too_large, wakes, woken, book={"token_budget": 7}, recursive=True).names == ["e2", "e3"]


# ---- recursion


def test_an_entry_can_wake_others_where_recursion_is_off_and_not_where_it_is_on() -> None:
    chain = (entry(2, "two", content="three"), entry(3, "three"))
    wakes = entry(1, "k", content=text("@@recursive", body="two"))
    assert activate(wakes, *chain).names == ["e1", "e2"]
    assert activate(wakes, *chain, recursive=True).names == ["e1", "e2", "e3"]
    quiet = entry(1, "k", content=text("@@unrecursive", body="two"))
    assert activate(quiet, *chain, recursive=True).names == ["e1"]
    deaf = entry(2, "two", content=text("@@no_recursive_search"))
    assert activate(wakes, deaf).names == ["e1"]
    assert activate(entry(1, "k", content="two"), entry(2, "two"), entry(4, "k")).names == ["e1", "e4"]


# ---- places


def test_what_counts_from_the_oldest_message_reads_first() -> None:
    found = activate(
        entry(1, "k", content=text("@@depth 1", body="new")),
        entry(2, "k", content=text("@@reverse_depth 3", body="third")),
        entry(3, "k", content=text("@@reverse_depth 0", body="first")),
        entry(4, "k", content=text("@@reverse_depth 0", body="first too"), order=200),
    )
    assert found.placement.depth == (
        DepthBlock(0, LoreRole.SYSTEM, "first\nfirst too", from_start=True),
        DepthBlock(3, LoreRole.SYSTEM, "third", from_start=True),
        DepthBlock(1, LoreRole.SYSTEM, "new"),
    )


# ---- the whole


DECORATED = st.lists(
    st.sampled_from(
        [
            "@@activate", "@@dont_activate", "@@additional_keys b,c", "@@exclude_keys c", "@@exclude_keys_all a,b",
            "@@recursive", "@@unrecursive", "@@no_recursive_search", "@@scan_depth 1", "@@probability 60",
            "@@activate_only_after 1", "@@activate_only_every 2", "@@is_greeting 0", "@@keep_activate_after_match",
            "@@ignore_on_max_context", "@@priority 3", "@@reverse_depth 1", "@@match_partial_word", "@@what",
        ]
    ),
    max_size=3,
)  # fmt: skip
BOOK = st.lists(
    st.builds(
        lambda keys, lines, body, more: (tuple(keys), text(*lines, body=body), more),
        st.lists(st.sampled_from(["a", "b", "c", "a b", "/a|b/", " "]), max_size=2),
        DECORATED,
        st.sampled_from(["a", "b c", "d"]),
        st.fixed_dictionaries({}, optional={"constant": st.booleans(), "group": st.just("g"), "sticky": st.just(1)}),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=100)
@given(BOOK, st.lists(st.sampled_from(["Mira: a", "b", "a b", "-"]), max_size=4), st.booleans(), st.integers(0, 6))
def test_short_cuts_change_nothing_and_a_case_repeats_it(
    drawn: list[Any], chat: list[str], recursive: bool, cap: int
) -> None:
    entries = tuple(
        LoreEntry(uid=n, comment=f"e{n}", keys=keys, content=content, **more)
        for n, (keys, content, more) in enumerate(drawn)
    )
    lore = {"recursive": recursive, "budget_cap": cap}
    scene = Scene(messages=tuple(chat), character="Mira", greeting=0)
    quick = activate(*entries, chat=tuple(chat), scene={"character": "Mira", "greeting": 0}, **lore)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PreparedBooks, "_is_swift", lambda *_: False)
        thorough = activate(*entries, chat=tuple(chat), scene={"character": "Mira", "greeting": 0}, **lore)
    assert quick.to_json() == thorough.to_json()
    assert not any("@@" in one.content for one in quick.accepted)
    assert sorted(one.name for one in quick.verdicts() if one.outcome.accepted) == sorted(quick.names)
    assert quick.used_tokens == sum(count_words(one.content) for one in quick.accepted) < quick.budget_tokens
    books = BoundBooks(everywhere=(LoreBook(name="G", entries=entries),))
    case = case_of(books, LoreSettings(budget_percent=100, **lore), FIXED, scene, quick)
    assert run_case(case, FIXED) == case["expect"]
    never = Linter().run(LoreBook(name="G", entries=entries), LintTerms(LoreSettings(**lore)))
    for one in quick.accepted:
        assert not any(warning.never for warning in never.get(one.candidate.entry.uid, ()))
