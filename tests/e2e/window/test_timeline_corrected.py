"""A belief is corrected in the real window by the keyboard alone, and is still corrected after a rebuild."""

from __future__ import annotations

import pytest

from familiar_app.domain.ids import FamiliarId
from familiar_app.store.vault import Vault

from .conftest import PASSPHRASE, Screen, wait_until

pytestmark = pytest.mark.slow

OSLO, ROME = "Ann lives in Oslo.", "Ann lives in Rome."


def believed(screen: Screen) -> list[str]:
    """Read what is believed beside the running program."""

    async def texts(vault: Vault) -> list[str]:
        return [fact.text for fact in await vault.facts.page(FamiliarId("mira"))]

    return screen.read(texts)


def test_a_belief_is_changed_undone_and_changed_again(screen: Screen) -> None:
    screen.command("init", "--name", "Mira")
    screen.command("fact", "add", OSLO, "--subject", "discord:1")
    program = screen.start()
    screen.unlock()
    screen.press("alt+3")
    screen.until_at("Facts over time")
    screen.until(lambda seen: seen.has("Beliefs at this moment", rows=1), "the belief in the list")
    screen.press("ctrl+f")
    screen.until_at("Search facts")
    screen.press("Return", "Down")  # from the search into the list of beliefs
    screen.until(lambda seen: seen.at("Beliefs at this moment") and seen.focus["chosen"] == 0, "the belief chosen")
    screen.press("F2")
    screen.until(lambda seen: seen.at("What is true") and seen.focus["text"] == OSLO, "the belief to be changed")
    screen.press("ctrl+a")
    screen.write("What is true", ROME)
    screen.press("Tab", "Tab", "Tab", "Tab", "Tab", "Tab")  # chip, people, both dates, importance, Save
    screen.until_at("Save")
    screen.press("Return")
    wait_until(lambda: believed(screen) == [ROME], "the change")
    screen.until(lambda seen: not seen.has("Save") and seen.has("Undo", enabled=True), "what can be undone")
    screen.press("ctrl+z")
    wait_until(lambda: believed(screen) == [OSLO], "the undo")
    screen.until(lambda seen: seen.has("Redo", enabled=True), "what can be done again")
    screen.press("ctrl+shift+z")
    wait_until(lambda: believed(screen) == [ROME], "the redo")
    assert screen.in_clear(OSLO, ROME, PASSPHRASE) == []
    assert screen.end(program) == 0
    screen.command("rebuild", "rich_note")
    assert believed(screen) == [ROME]
