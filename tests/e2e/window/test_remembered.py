"""A familiar keeps a memory in the real window, and the person retires it in the panel, by the keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory
from familiar_app.store.vault import Vault

from .conftest import Screen, wait_until

pytestmark = pytest.mark.slow
ARGUMENTS = {"memory_content": "Tea is for the evening", "memory_scope": "server_wide"}
ANSWERS = (
    {"tool_calls": [{"name": "create_long_term_memory", "arguments": ARGUMENTS}]},
    "I will keep that in mind.",
)


def kept(screen: Screen) -> SavedMemory | None:
    """Read the first memory beside the running program."""

    async def first(vault: Vault) -> SavedMemory | None:
        return await vault.saved_memories.get(MemoryId(1))

    return screen.read(first)


def test_what_is_kept_in_the_chat_is_retired_among_the_memories(screen: Screen, tmp_path: Path) -> None:
    script = tmp_path / "answers.jsonl"
    lines = [json.dumps({"slot": "prose", "purpose": "reply", "reply": reply}) for reply in ANSWERS]
    script.write_text("\n".join(lines), encoding="utf-8")
    screen.command("init", "--name", "Mira", "--model", f"scripted:{script}")
    program = screen.start()
    screen.unlock()
    screen.write("Message", "Tea only in the evening")
    screen.press("Return")
    wait_until(lambda: kept(screen) is not None, "the memory")
    screen.until(lambda seen: seen.has("Make another answer"), "the answer")
    screen.press("alt+7")
    screen.until(lambda seen: seen.at("Memories") and seen.focus["chosen"] == 0, "the memory among the memories")
    screen.press("Delete")

    def retired() -> bool:
        memory = kept(screen)
        return memory is not None and not memory.active

    wait_until(retired, "the retirement")
    screen.until(lambda seen: seen.offered, "what can be undone")
    screen.press("ctrl+z")
    wait_until(lambda: not retired(), "the undo")
    assert screen.end(program) == 0


def test_what_the_bundled_model_is_asked_to_remember_is_in_the_next_prompt(screen: Screen) -> None:
    screen.command("init", "--name", "Mira")
    program = screen.start()
    screen.unlock()
    screen.write("Message", "Remember that my sister Ida lives in Bergen.")
    screen.press("Return")
    wait_until(lambda: kept(screen) is not None, "the memory")
    screen.until(lambda seen: seen.has("Make another answer"), "the answer")
    assert screen.end(program) == 0
    prompt = json.loads(screen.command("prompt", "Where does she live?", "--json"))
    (layer,) = [one for one in prompt["layers"] if one["name"] == "saved_memories"]
    assert "sister Ida lives in Bergen" in layer["text"]
    assert any(layer["text"] in message["content"] for message in prompt["messages"])
