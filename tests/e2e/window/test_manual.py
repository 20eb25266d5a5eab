"""F1 in the real window, with the files as they are shipped: the page, a search in it, and the way back."""

from __future__ import annotations

import pytest

from tests.e2e.window.conftest import Screen

pytestmark = pytest.mark.slow
PAGE = "Page of the manual"


def test_the_manual_is_opened_searched_and_left_by_the_keyboard(screen: Screen) -> None:
    script = screen.root.parent / "answers.jsonl"
    script.write_text("", encoding="utf-8")
    screen.command("init", "--name", "Ada", "--model", f"scripted:{script}")
    program = screen.start()
    screen.unlock()
    screen.press("F1")
    screen.until(lambda seen: seen.at(PAGE) and seen.text(PAGE).startswith("Talking"), "the page about the chat")
    screen.press("ctrl+f")
    screen.write("Search the manual", "recovery code")
    screen.until(lambda seen: seen.has("Places found"), "what was found")
    screen.press("Return")
    screen.until(lambda seen: "recovery code" in seen.text(PAGE) and not seen.text(PAGE).startswith("Talking"), "a hit")
    screen.press("alt+Left")
    screen.until(lambda seen: seen.text(PAGE).startswith("Talking"), "the page before")
    screen.press("alt+Left")
    screen.until_at("Message")
    assert screen.end(program) == 0
