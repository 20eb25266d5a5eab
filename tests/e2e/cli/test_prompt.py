"""`prompt` of the real program: what the familiar would be told now, and what it would have been told then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow

MAY, JUNE, JULY = "2024-05-03T12:00:00Z", "2024-06-03T12:00:00Z", "2024-07-03T12:00:00Z"
QUESTION = "Where does Robin live, in Delft or in Ghent?"


@pytest.fixture
def moved(familiar: Familiar) -> Familiar:
    """The program after somebody lived in one town, said so, and moved to another."""
    assert familiar("say", "I live in Delft.", "--now", MAY).code == 0
    first = familiar("fact", "add", "Robin lives in Delft.", "--from", MAY, "--now", MAY, "--json")
    assert first.code == 0, first.err
    assert familiar("say", "I moved to Ghent.", "--now", JUNE).code == 0
    second = familiar("fact", "add", "Robin lives in Ghent.", "--from", JUNE, "--now", JUNE, "--json")
    ended = familiar("fact", "retire", str(first.json["id"]), "--by", str(second.json["id"]), "--now", JUNE)
    assert ended.code == 0, ended.err
    return familiar


def asked(familiar: Familiar, *times: str) -> dict[str, Any]:
    ran = familiar("prompt", QUESTION, *times, "--now", JULY, "--json")
    assert ran.code == 0, ran.err
    return ran.json  # type: ignore[no-any-return]


def told(prompt: dict[str, Any]) -> str:
    """Everything but the question itself."""
    return "\n".join(message["content"] for message in prompt["messages"]).replace(QUESTION, "")


def facts(prompt: dict[str, Any]) -> list[str]:
    return [one["text"] for one in prompt["candidates"] if one["kind"] == "fact" and one["kept"]]


def test_what_it_would_be_told_now_and_then(moved: Familiar) -> None:
    now = asked(moved)
    assert facts(now) == ["Robin lives in Ghent."]
    assert ("I live in Delft." in told(now), "I moved to Ghent." in told(now)) == (True, True)
    then = asked(moved, "--known-at", "2024-05-10")
    assert facts(then) == ["Robin lives in Delft."]
    assert ("I live in Delft." in told(then), "Ghent" in told(then)) == (True, False)
    assert "2024-05-10" in told(then), "the clock is the one of then"
    assert asked(moved, "--known-at", "2024-05-01")["candidates"] == []
    both = asked(moved, "--as-of", "2024-05-10", "--known-at", JULY)
    assert facts(both) == []
    assert "I moved to Ghent." not in told(both), "it had not been said by then"


def test_what_is_not_of_then_is_said(moved: Familiar) -> None:
    ran = moved("prompt", QUESTION, "--known-at", "2024-05-10", "--now", JULY, "--json")
    assert "lorebook" in ran.err
    assert "today" in ran.err
    assert ran.json["lorebook"] is None or "today" in json.dumps(ran.json["lorebook"]["notes"])
    assert moved("prompt", QUESTION, "--now", JULY, "--json").err == ""


def test_the_form_is_the_one_that_scripts_rely_on(moved: Familiar) -> None:
    prompt = asked(moved)
    assert set(prompt) == {"messages", "tokens", "layers", "candidates", "lorebook", "sampling"}
    assert {frozenset(one) for one in prompt["layers"]} == {
        frozenset({"name", "key", "cached", "tokens", "text", "left_out"})
    }
    assert {frozenset(one) for one in prompt["candidates"]} == {
        frozenset({"kind", "id", "text", "score", "signals", "kept", "why"})
    }
    for one in prompt["candidates"]:
        assert {"bm25", "recency", "importance", "embedding"} <= one["signals"].keys()
    said = moved("say", "Good night.", "--now", JULY, "--json").json
    trace = moved("trace", str(said["trace_id"]), "--json").json
    assert set(prompt) | {"turn_id", "reply_turn_id", "model", "usage", "ms", "answer"} <= set(trace)
    assert (trace["turn_id"], trace["reply_turn_id"], trace["answer"]) == (
        said["turn_id"],
        said["reply_turn_id"],
        said["reply"],
    )
    assert [message["content"] for message in json.loads(trace["sent"])["messages"]] == [
        message["content"] for message in trace["messages"]
    ]
