"""Builds the search index for a command that needs memory; commands that do not search have none."""

from __future__ import annotations

from familiar_app.cli.context import Command
from familiar_app.domain.errors import FamiliarError
from familiar_app.services import Services
from familiar_app.store.index.search_index import IndexStatus


async def build_index(command: Command, services: Services) -> FamiliarError | None:
    """Build the index to its end, with progress. Returns what broke it, None where nothing did."""
    index = services.vault.index
    index.start(services.tasks, owner=services)

    def report(status: IndexStatus) -> None:
        if status.total > status.indexed:
            command.out.progress(f"Indexed {status.indexed} of {status.total} turns.")

    return (await index.ready(report)).error
