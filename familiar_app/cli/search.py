"""Builds the search index for a command that needs memory; commands that do not search have none."""

from __future__ import annotations

import asyncio
import contextlib

from familiar_app.cli.context import Command
from familiar_app.domain.errors import FamiliarError
from familiar_app.services import Services
from familiar_app.store.index.search_index import IndexStatus


async def build_index(command: Command, services: Services, *, at_most_s: float | None = None) -> FamiliarError | None:
    """Build the index, with progress: to its end, or for `at_most_s` and then in the background.

    The newest turns come first. Returns what broke it, None where nothing did; says so where turns are missing.
    """
    index = services.vault.index
    index.start(services.tasks, owner=services)

    def report(status: IndexStatus) -> None:
        if status.total > status.indexed:
            command.out.progress(f"Indexed {status.indexed} of {status.total} turns.")

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(at_most_s):
            await index.ready(report)
    status = index.status
    if status.state == "building":
        known = f"in the newest {status.indexed} of {status.total} turns" if status.indexed else "in none of the turns"
        command.out.message(f"Memory is searched {known}: the others are not indexed yet.")
    return status.error
