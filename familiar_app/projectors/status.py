"""How each projector stands, kept in the vault so that the window and the command line tell the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from familiar_app.domain.clock import format_time, parse_time
from familiar_app.domain.ids import FamiliarId
from familiar_app.store.vault import Vault


@dataclass(frozen=True, slots=True)
class ProjectorStatus:
    """What is shown of a projector. `watermark` is the highest id it has dealt with, `lag` how many are left.

    `fullest` is how many are left in one channel at most, where each channel waits for itself.
    """

    name: str
    watermark: int | None = None
    lag: int | None = None
    last_run_at: datetime | None = None
    last_error: str | None = None
    paused: bool = False
    tokens: int = 0
    failures: int = 0
    fullest: int | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is remembered of a projector's runs; `failures` counts those that ended with an error."""

    last_run_at: datetime | None = None
    last_error: str | None = None
    paused: bool = False
    failures: int = 0


class RunRecords:
    """The records of one familiar's projectors, each under a key of its own."""

    def __init__(self, vault: Vault, familiar: FamiliarId) -> None:
        self._vault = vault
        self._familiar = familiar

    async def get(self, name: str) -> RunRecord:
        """Return what is remembered of a projector."""
        kept: Any = await self._vault.state.get(self._key(name))
        if not isinstance(kept, dict):
            return RunRecord()
        at, error = kept.get("last_run_at"), kept.get("last_error")
        return RunRecord(
            parse_time(at) if isinstance(at, str) else None,
            error if isinstance(error, str) else None,
            kept.get("paused") is True,
            int(kept.get("failures", 0)),
        )

    async def ran(self, name: str, at: datetime, error: str | None) -> None:
        """Remember a run, and what went wrong in it."""
        known = await self.get(name)
        failures = known.failures + (error is not None)
        await self._set(name, replace(known, last_run_at=at, last_error=error, failures=failures))

    async def pause(self, name: str, on: bool) -> None:
        """Remember whether a projector is paused."""
        await self._set(name, replace(await self.get(name), paused=on))

    async def _set(self, name: str, record: RunRecord) -> None:
        at = None if record.last_run_at is None else format_time(record.last_run_at)
        value: dict[str, Any] = {"last_run_at": at, "last_error": record.last_error, "paused": record.paused}
        value["failures"] = record.failures
        await self._vault.state.set(self._key(name), value)

    def _key(self, name: str) -> str:
        return f"projector:{self._familiar}:{name}"
