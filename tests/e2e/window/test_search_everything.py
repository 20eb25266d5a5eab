"""A message is found in the real window, removed, brought back and removed again, by the keyboard alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from familiar_app.store.vault import Vault

from .conftest import PASSPHRASE, Screen, wait_until

pytestmark = pytest.mark.slow

WANTED = "The lighthouse at the cape is lit again."
COUNT = 400


def write_turns(path: Path) -> Path:
    start = datetime(2023, 5, 1, tzinfo=UTC)
    author = {"key": "local:ann", "name": "Ann", "username": None, "bot": False}
    with path.open("w", encoding="utf-8") as stream:
        for number in range(COUNT):
            text = WANTED if number == 60 else f"Remark {number} about the weather."
            turn = {"channel": "local:main", "role": "user", "author": author, "content": text}
            stream.write(json.dumps({**turn, "at": (start + timedelta(hours=number)).isoformat()}) + "\n")
    return path


def there(screen: Screen) -> tuple[int, bool]:
    """Count the turns that are shown, and tell whether the wanted one is among them."""

    async def texts(vault: Vault) -> list[str]:
        return [turn.content for turn in await vault.turns.search("e", limit=2 * COUNT)]

    found = screen.read(texts)
    return len(found), WANTED in found


def test_a_message_is_found_removed_brought_back_and_removed_again(screen: Screen, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text("", encoding="utf-8")
    screen.command("init", "--name", "Mira", "--model", f"scripted:{script}")
    screen.command("import", str(write_turns(tmp_path / "turns.jsonl")))
    program = screen.start()
    screen.unlock()
    screen.press("ctrl+shift+f")
    screen.write("Search everything that is kept", "lighthouse")
    screen.until(lambda seen: seen.has("What was found", rows=2, chosen=1), "the message below its heading")
    screen.press("Return")
    screen.until(
        lambda seen: seen.at("Conversation") and WANTED in seen.focus["description"], "the message in its place"
    )
    screen.press("Delete")
    wait_until(lambda: there(screen) == (COUNT - 1, False), "the removal of that one message")
    screen.until(lambda seen: seen.offered, "what can be undone")
    screen.press("ctrl+z")
    wait_until(lambda: there(screen) == (COUNT, True), "the undo")
    screen.until(lambda seen: "Undone: Message removed." in seen.offered, "what can be done again")
    screen.press("ctrl+shift+z")
    wait_until(lambda: there(screen) == (COUNT - 1, False), "the redo")
    assert screen.in_clear(WANTED, PASSPHRASE) == []
    assert screen.end(program) == 0
