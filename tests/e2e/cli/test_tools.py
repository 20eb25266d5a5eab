"""Tools during a reply through the real program: what the familiar keeps stands in its next prompt."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from tests.e2e.cli.conftest import Familiar
from tests.e2e.cli.test_kill import check, kill_somewhere

pytestmark = pytest.mark.slow
SAVE = "create_long_term_memory"
KEPT = {"memory_content": "{user} has a cat", "memory_scope": "server_wide"}
ROUNDS = 6


def with_script(familiar: Familiar, *replies: object) -> tuple[str, ...]:
    script = familiar.script(*replies, name="keeper.jsonl")
    made = familiar("init", "--id", "keeper", "--name", "Keeper", "--model", f"scripted:{script}", "--json")
    assert made.code == 0, made.err
    return ("--familiar", "keeper", "--json")


def ran(familiar: Familiar, *argv: str) -> Any:
    done = familiar(*argv)
    assert done.code == 0, done.err
    return done.json


def test_what_a_call_keeps_is_in_the_next_prompt_and_the_trace(familiar: Familiar) -> None:
    call = {"tool_calls": [{"name": SAVE, "arguments": KEPT}]}
    chosen = with_script(familiar, call, "I will keep that.")
    said = ran(familiar, "say", "I have a cat", *chosen)
    assert said["reply"] == "I will keep that."
    (kept,) = ran(familiar, "memory", "list", *chosen)
    assert (kept["content"], kept["source_turn_id"]) == ("{user} has a cat", said["turn_id"])
    shown = ran(familiar, "prompt", "And now?", *chosen)
    text = "\n".join(message["content"] for message in shown["messages"])
    assert f"[id:{kept['id']}]" in text
    assert "(a tool answered) Saved as memory" in text
    trace = ran(familiar, "trace", str(said["trace_id"]), *chosen)
    assert [call["name"] for one in trace["rounds"] for call in one["calls"]] == [SAVE]
    assert SAVE in trace["tools"]


def test_no_turn_that_was_confirmed_is_lost_when_killed_among_tools(familiar: Familiar) -> None:
    call = {"tool_calls": [{"name": SAVE, "arguments": {"memory_content": "a cat", "memory_scope": "server_wide"}}]}
    chosen = with_script(familiar, call, "Kept.")
    moments = random.Random(20_240_501)
    confirmed: dict[int, str] = {}
    for number in range(ROUNDS):
        process = familiar.start("say", f"message {number}", *chosen[:2])
        for line in kill_somewhere(familiar, process, moments, 0.2):
            if match := re.match(r"Turn (\d+) is stored\.$", line):
                confirmed[int(match[1])] = f"message {number}"
    stored = {turn.id: turn.content for turn in familiar.turns()}
    assert {turn: stored.get(turn) for turn in confirmed} == confirmed
    assert confirmed, "no message was confirmed: the test saw nothing"
    assert len(ran(familiar, "memory", "list", *chosen)) <= 1
    check(familiar)


def test_the_bundled_model_keeps_what_it_is_asked_to_remember(bundled: Familiar) -> None:
    said = ran(bundled, "say", "Please remember that my cat is called Mia.", "--json")
    assert "tool_call" not in said["reply"]
    (kept,) = ran(bundled, "memory", "list", "--json")
    assert (kept["content"], kept["scope"]) == ("{user}: “my cat is called Mia.”", "personal")
    shown = ran(bundled, "prompt", "What is my cat called?", "--json")
    assert "“my cat is called Mia.”" in shown["messages"][0]["content"]
    ran(bundled, "say", "Remember that the meeting is on Friday.", "--json")
    assert len(ran(bundled, "memory", "list", "--json")) == 2
