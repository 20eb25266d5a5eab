"""The figures of a familiar's memory as `status` prints them: its facts, its inbox, its projectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from familiar_app.cli.project_command import status_shape
from familiar_app.projectors.status import ProjectorStatus
from familiar_app.services import Hosted, Services
from familiar_app.store.health import MemoryHealth, ProjectorFigures
from familiar_app.store.retirement_inbox import RetirementCounts


async def memory_shape(services: Services, hosted: Hosted) -> dict[str, Any]:
    """Return the JSON form of how a familiar's projectors and memory do."""
    status = await hosted.projectors.status()
    health = await services.vault.health.of(hosted.id)
    inbox = await services.vault.retirements.counts(hosted.id)
    return {"projectors": [status_shape(one) for one in status], "memory": _figures(health, inbox, status)}


def memory_lines(memory: dict[str, Any]) -> list[str]:
    """Return the same in words, without what is nought."""
    lines = [f"{memory['facts']} facts, {memory['never_recalled']} of them never recalled"]
    if memory["duplicates"]:
        lines.append(f"{memory['duplicates']} groups of facts say the same")
    waiting = memory["retirements"]["waiting"]
    if waiting:
        lines.append(f"{waiting} retirements wait for you: 'familiar retirement list --state waiting'")
    for one in memory["projectors"]:
        failed = f", {one['malformed']} malformed" if one["malformed"] else ""
        failed += f", {one['failures']} failed runs" if one["failures"] else ""
        dropped = ", ".join(f"{count} {guard}" for guard, count in one["rejected"].items())
        dropped = f"; dropped: {dropped}" if dropped else ""
        cost = f"{one['tokens']} tokens, {one['ms'] / 1000:.1f} s"
        lines.append(f"{one['name']}: {one['answers']} answers{failed}, {cost}{dropped}")
    return lines


def _figures(health: MemoryHealth, inbox: RetirementCounts, status: Sequence[ProjectorStatus]) -> dict[str, Any]:
    known = {one.name: one for one in health.projectors}
    failures = {one.name: one.failures for one in status}
    return {
        "facts": health.facts,
        "never_recalled": health.never_recalled,
        "duplicates": health.duplicates,
        "retirements": {"waiting": inbox.waiting, "unseen": inbox.unseen, "total": inbox.total},
        "projectors": [_projector(name, known.get(name), failures.get(name, 0)) for name in {**failures, **known}],
    }


def _projector(name: str, figures: ProjectorFigures | None, failures: int) -> dict[str, Any]:
    return {
        "name": name,
        "answers": figures.answers if figures else 0,
        "malformed": figures.malformed if figures else 0,
        "failures": failures,
        "rejected": dict(figures.rejected) if figures else {},
        "tokens": figures.tokens if figures else 0,
        "ms": round(figures.ms, 1) if figures else 0.0,
    }
