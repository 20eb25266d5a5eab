"""Supersedes one fact after the other until it is killed; `python -m tests.unit.store.fact_crash_child VAULT KEY`.

Each round writes a dossier on the fact that is believed, replaces that fact by a merged one, and prints its number.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from familiar_app.domain.clock import SystemClock
from familiar_app.domain.fact import NewFact, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.projection import Dossier
from familiar_app.store.memory_writer import MemoryWriter
from familiar_app.store.vault import Vault

CLOCK = SystemClock()
MIRA = FamiliarId("mira")
ANN = PersonKey("discord:1")


async def main() -> None:
    path, key = sys.argv[1:3]
    vault = await Vault.open(Path(path), clock=CLOCK, data_key=bytes.fromhex(key))
    current = (await vault.facts.page(MIRA))[0]
    print("ready", flush=True)  # noqa: T201
    while True:

        def write_dossier(writer: MemoryWriter, number: int = current.id) -> None:
            writer.put_dossier(Dossier(MIRA, ANN, f"of {number}", number, CLOCK.now()))

        await vault.projections.write(write_dossier)
        merged = NewFact(MIRA, f"fact after {current.id}", "rich_note", (Subject(ANN, "Ann"),))
        outcome = await vault.facts.supersede([current.id], merged=merged)
        if outcome.successor is not None:
            current = outcome.successor
        print(current.id, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
