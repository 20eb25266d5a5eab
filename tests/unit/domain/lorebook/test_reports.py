"""Troubles that people reported of other programs, one test each, under the default rules.

Those that lie in reading files are tested where files are read.
"""

from __future__ import annotations

from typing import Any

from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.keysplit import split_keys


def entry(name: str, *keys: str, **more: Any) -> dict[str, Any]:
    return {"comment": name, "key": list(keys), "content": more.pop("content", f"{name}!"), **more}


def run(entries: list[dict[str, Any]], *chat: str, **more: Any) -> list[str]:
    settings = {f"world_info_{name}": value for name, value in more.pop("settings", {}).items()}
    found = run_case({"input": {"entries": entries, "chat": list(chat), "settings": settings, **more}})
    return list(found["activated"])


def test_a_pattern_with_flags_fires_and_later_keys_are_unharmed() -> None:
    assert run([entry("A", "/studio/i", "x"), entry("B", "/studio/"), entry("C", "x")], "hello", "to the Studio") == [
        "A"
    ]


def test_a_key_with_a_sign_matches_as_a_whole_word() -> None:
    assert run([entry("A", "#hello", matchWholeWords=True)], "say #hello there") == ["A"]
    assert run([entry("A", "#hello", matchWholeWords=True)], "say x#hello there") == []


def test_chinese_matches_next_to_latin_letters() -> None:
    for text in ("使用魔法吧", "use魔法now"):
        assert run([entry("A", "魔法", matchWholeWords=True)], text) == ["A"]


def test_absence_is_judged_in_the_pass_and_delay_waits_for_it() -> None:
    first = entry("a", "1", content="a", excludeRecursion=True)
    second = entry("b", "2", keysecondary=["a"], selectiveLogic=2, matchWholeWords=True)
    recursive = {"recursive": True}
    assert run([first, second], "1 2", settings=recursive) == ["a", "b"]
    assert run([first, second | {"delayUntilRecursion": True}], "1 2", settings=recursive) == ["a"]


def test_commas_and_slashes_in_typed_keys() -> None:
    assert split_keys("/a{1,2}/, x") == ["/a{1,2}/", "x"]
    assert split_keys("a,,b") == ["a", "b"]
    assert split_keys("and/or, x, y") == ["and/or", "x", "y"]
    assert split_keys("/home/user, AC/DC, /b\\/c,d/i") == ["/home/user", "AC/DC", "/b\\/c,d/i"]


def test_a_group_taken_by_a_constant_says_by_whom() -> None:
    entries = [
        entry("short", constant=True, order=0, group="T", groupWeight=1),
        entry("full", "Theodore Tanis", order=9999, group="T", groupOverride=True),
        entry("scene", constant=True, content="present: Theodore Tanis"),
    ]
    case = {"input": {"entries": entries, "chat": ["x: hello"], "settings": {"world_info_recursive": True}}}
    result = run_case(case, verdicts=True)
    assert result["activated"] == ["scene", "short"]
    verdict = next(one for one in result["verdicts"] if one["entry"] == "full" and one["pass"] == 2)
    assert (verdict["reason"], verdict["detail"]["by"], verdict["detail"]["pass"]) == ("group-held", "short", 1)


def test_one_depth_two_roles_keep_their_own_blocks() -> None:
    entries = [
        entry("u", "k", order=1, position=4, depth=1, role=1),
        entry("a", "k", order=2, position=4, depth=1, role=2),
        entry("v", "k", order=3, position=4, depth=1, role=1),
        entry("w", "k", order=4, position=4, depth=1, role=1),
        entry("d", "k", order=9, position=4, depth=7),
    ]
    result = run_case({"input": {"entries": entries, "chat": ["k"]}})
    told = [(block["depth"], block["role"], block["text"]) for block in result["depth"]]
    assert told == [(7, 0, "d!"), (1, 1, "u!"), (1, 2, "a!"), (1, 1, "v!\nw!")]


def test_blank_keys_never_match() -> None:
    assert run([entry("A", " "), entry("B", "\n"), entry("C", "")], "any text") == []


def test_the_chain_stops_at_the_limit_of_passes() -> None:
    chain = [entry(name, name.lower(), content=after) for name, after in zip("ABCD", "bcdx", strict=True)]
    assert run(chain, "a", settings={"recursive": True, "max_recursion_steps": 2, "match_whole_words": True}) == [
        "A",
        "B",
    ]


def test_a_slashed_pattern_is_a_pattern_and_paths_are_text() -> None:
    kenta = entry("A", "/(?:^|\\W)Kent(?:a|u)/g")
    assert run([kenta], "so Kenta said") == ["A"]
    paths = [entry("B", "/home/user"), entry("C", "AC/DC"), entry("D", "/home/us")]
    assert run(paths, "we are home, a car") == []
    assert run(paths, "cat /home/user; hear AC/DC") == ["B", "C", "D"]


def test_a_repeated_key_counts_once() -> None:
    entries = [entry("A", "phone", "phone", group="g"), entry("B", "phone", "ring", group="g")]
    scoring = {"use_group_scoring": True}
    assert run(entries, "the phone and the ring", settings=scoring) == ["B"]
    assert run(entries[:1], "the phone", settings=scoring) == ["A"]


def test_an_entry_without_secondary_keys_is_whole() -> None:
    assert run([{"comment": "A", "key": ["k"], "content": "A!"}], "k") == ["A"]


def test_secondary_keys_do_not_count_unless_selective() -> None:
    assert run([entry("A", "k", keysecondary=["z"], selective=False)], "k") == ["A"]


def test_blank_numbers_count_as_missing() -> None:
    odd = entry("A", "k", order="", depth="", probability="", scanDepth="", sticky="", groupWeight=None)
    assert run([odd, entry("B", "k", order=101)], "k") == ["B", "A"]


def test_an_inserted_entry_is_gone_when_its_key_left_the_reach() -> None:
    at_depth = entry("A", "k", position=4)
    assert run([at_depth], "k", "-", settings={"depth": 1}) == []


def test_a_sticky_entry_keeps_its_group_against_a_rival() -> None:
    rival = entry("rival", "k", group="g", groupOverride=True)
    sticky = entry("stays", "start", group="g", sticky=5, delayUntilRecursion=True)
    spark = entry("spark", "start", content="x")
    given = {
        "entries": [sticky, rival, spark], "timeline": True,
        "settings": {"world_info_recursive": True, "world_info_depth": 1},
    }  # fmt: skip
    steps = run_case({"input": given, "steps": [{"add": "start"}, {"add": "k"}]})["steps"]
    assert steps[0]["activated"] == ["spark", "stays"]
    assert steps[1]["activated"] == ["stays"]
