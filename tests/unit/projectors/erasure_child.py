"""Erases Ben from a vault and dies before a statement: `python -m tests.unit.projectors.erasure_child VAULT KEY N`.

With N = 0 it erases to the end and prints how many statements that took.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import timedelta
from pathlib import Path

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.erasure import OfPerson
from familiar_app.store.vault import Vault
from tests.unit.projectors.crash_story import EXIT_CODE, watch_statements
from tests.unit.projectors.scene import BEN, NOON


async def main() -> None:
    path, key, last = Path(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
    vault = await Vault.open(path, clock=FixedClock(NOON + timedelta(days=1)), data_key=key)
    seen = 0

    def count(_statement: str) -> None:
        nonlocal seen
        seen += 1
        if seen == last:
            os._exit(EXIT_CODE)

    watch_statements(vault, count)
    await vault.erasure.erase(OfPerson(BEN.key))
    watch_statements(vault, None)
    print(seen)  # noqa: T201
    await vault.close()


if __name__ == "__main__":
    asyncio.run(main())
