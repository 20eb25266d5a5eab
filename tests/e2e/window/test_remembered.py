"""A familiar keeps a memory in the real window, and the person retires it in the panel, by the keyboard alone."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.saved_memory.memory import MemoryId, SavedMemory
from familiar_app.store.vault import Vault

from .conftest import Screen, wait_until
from .test_timeline_corrected import PASSPHRASE, command

pytestmark = pytest.mark.slow
ARGUMENTS = {"memory_content": "Tea is for the evening", "memory_scope": "server_wide"}
ANSWERS = (
    {"tool_calls": [{"name": "create_long_term_memory", "arguments": ARGUMENTS}]},
    "I will keep that in mind.",
)


def kept(screen: Screen) -> SavedMemory | None:
    """Read the first memory beside the running program."""

    async def read() -> SavedMemory | None:
        path = screen.profile / "vault.db"
        vault = await Vault.open(path, clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
        try:
            return await vault.saved_memories.get(MemoryId(1))
        finally:
            await vault.close()

    return asyncio.run(read())


def test_what_is_kept_in_the_chat_is_retired_among_the_memories(screen: Screen, tmp_path: Path) -> None:
    script = tmp_path / "answers.jsonl"
    lines = [json.dumps({"slot": "prose", "purpose": "reply", "reply": reply}) for reply in ANSWERS]
    script.write_text("\n".join(lines), encoding="utf-8")
    command(screen, "init", "--name", "Mira", "--model", f"scripted:{script}")
    program = screen.start()
    screen.wait_for_page("UnlockScreen")
    screen.type(PASSPHRASE)
    screen.press("Return")
    screen.wait_for_page("Frame")
    time.sleep(1.5)
    screen.type("Tea only in the evening")
    screen.press("Return")
    wait_until(lambda: kept(screen) is not None, "the memory", 60.0)
    time.sleep(1.0)
    screen.press("alt+5")
    time.sleep(2.0)
    screen.press("Delete")

    def retired() -> bool:
        memory = kept(screen)
        return memory is not None and not memory.active

    wait_until(retired, "the retirement", 60.0)
    screen.press("ctrl+z")
    wait_until(lambda: not retired(), "the undo", 60.0)
    assert screen.end(program) == 0
