"""How often lorebook entries stood in prompts: counted as traces are stored, kept when the traces go."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.store.lore_use import LoreUse
from familiar_app.store.vault import Vault
from tests.unit.store.test_trace import a_trace
from tests.unit.store.vault_maker import MIRA, NOON


def place(uid: int | str, *, shown: str | None = "section", book: str = "North", name: str = "Fox") -> dict[str, Any]:
    return {"entry": name, "book": book, "uid": uid, "wanted": "before", "depth": None, "role": None, "shown": shown}


async def test_entries_are_counted_where_they_stood_in_a_prompt(vault: Vault) -> None:
    later = NOON + timedelta(hours=2)
    first = await vault.traces.put(a_trace(lorebook={"places": [place(1), place("1", shown="turns")]}))
    second = await vault.traces.put(
        a_trace(at=later, lorebook={"places": [place(1, name="Foxes"), place(2, shown=None)]})
    )
    await vault.traces.put(a_trace(familiar="otto", lorebook={"places": [place(1)]}))
    await vault.traces.put(a_trace())
    assert await vault.lore_uses.of_familiar(MIRA) == {
        EntryKey("North", 1): LoreUse(2, NOON, later, second),
        EntryKey("North", "1"): LoreUse(1, NOON, NOON, first),
    }
    assert (await vault.lore_uses.of_familiar(FamiliarId("otto")))[EntryKey("North", 1)].times == 1


async def test_counts_outlive_the_traces_and_a_trace_put_again_counts_once(vault: Vault) -> None:
    number = await vault.traces.put(a_trace(lorebook={"places": [place(1)]}))
    stored = await vault.traces.get(number)
    assert stored is not None
    await vault.traces.put(stored, keep=0)
    assert await vault.traces.list() == []
    assert (await vault.lore_uses.of_familiar(MIRA))[EntryKey("North", 1)].times == 1


async def test_counts_follow_a_book_to_its_new_name(vault: Vault) -> None:
    await vault.traces.put(a_trace(lorebook={"places": [place(1), place(3, book="Old South")]}))
    await vault.lore_uses.rename_book(MIRA, "North", "Old South")
    assert list(await vault.lore_uses.of_familiar(MIRA)) == [EntryKey("Old South", 1)]
