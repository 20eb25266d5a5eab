"""Case files that are no cases: refused with the name of the part, whatever it is."""

from __future__ import annotations

from typing import Any

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.scene import MAX_DEPTH

GIVEN: dict[str, Any] = {"entries": [{"comment": "A", "key": ["k"], "content": "A!"}], "chat": ["Ann: k"]}


@pytest.mark.parametrize(
    ("part", "value", "field"),
    [
        ("chat", 5, "chat"),
        ("chat", "Ann: k", "chat"),
        ("chat", ["k", 7], "chat"),
        ("entries", 5, "G"),
        ("entries", ["k"], "G"),
        ("books", ["B"], "books"),
        ("globalBooks", [["G"]], "globalBooks"),
        ("chatMeta", "B", "chatMeta"),
        ("characterExtraBooks", 3, "characterExtraBooks"),
        ("settings", [1], "settings"),
        ("settings", {"world_info_character_strategy": 9}, "world_info_character_strategy"),
        ("sources", {"scenario": 4}, "scenario"),
        ("sources", {"trigger": ["normal"]}, "trigger"),
        ("injections", {"1": "k"}, "injections"),
        ("injections", {"1": {"scan": True, "value": 4}}, "injections"),
        ("character", ["Alice"], "character"),
        ("tagMap", {"Alice": [{}]}, "tagMap"),
        ("macros", ["char"], "macros"),
        ("rng", ["x"], "rng"),
        ("rng", 1, "rng"),
        ("length", "long", "length"),
        ("length", 1e308 * 10, "length"),
        ("force", [{"book": "G"}], "force"),
        ("force", [{"book": "G", "uid": [1]}], "force"),
        ("likeness", {"cosines": [{"book": "G", "uid": 0, "cosine": "near"}]}, "cosines"),
        ("timers", {"sticky": {"G.0": {"start": "a", "end": 4, "mark": ""}}}, "timers"),
    ],
)
def test_a_part_of_another_form_is_refused_by_name(part: str, value: Any, field: str) -> None:
    with pytest.raises(BadInputError) as caught:
        run_case({"input": GIVEN | {part: value}})
    assert caught.value.field == field


@pytest.mark.parametrize("steps", [["k"], [{"add": 5}], {"add": "k"}])
def test_steps_of_another_form_are_refused(steps: Any) -> None:
    with pytest.raises(BadInputError) as caught:
        run_case({"input": GIVEN | {"timeline": True}, "steps": steps})
    assert caught.value.field == "steps"


def test_counts_are_numbers() -> None:
    case = {"rules": "fixed", "input": GIVEN | {"counts": ["x"]}}
    with pytest.raises(BadInputError) as caught:
        run_case(case)
    assert caught.value.field == "counts"


@pytest.mark.parametrize("left_out", [None, False, "", 0, [], {}])
def test_what_is_left_out_may_be_written_in_any_way(left_out: Any) -> None:
    names = (
        "books", "chatMeta", "chatBook", "characterBook", "settings", "sources", "injections", "character", "tagMap",
        "macros", "rng", "counts", "force", "timers",
    )  # fmt: skip
    assert run_case({"input": GIVEN | dict.fromkeys(names, left_out)})["activated"] == ["A"]


def test_half_a_character_is_replaced() -> None:
    entries = [{"comment": "A", "key": ["k"], "content": "{{char}}!"}]
    more = {"chat": ["Ann: \ud800 k"], "macros": {"char": "\udc00"}, "sources": {"scenario": "\ud800"}}
    assert run_case({"input": {"entries": entries, **more}})["before"] == "\ufffd!"


def test_nothing_is_searched_again_beyond_the_greatest_depth() -> None:
    settings = {"world_info_min_activations": 5, "world_info_depth": 2}
    result = run_case({"input": {"entries": GIVEN["entries"], "chat": ["Ann: hello"] * 1500, "settings": settings}})
    assert (result["activated"], result["passes"]) == ([], MAX_DEPTH)
