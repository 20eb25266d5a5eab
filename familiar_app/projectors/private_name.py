"""Finds what people are called about whom nothing may be kept, so that no text that names them is."""

from __future__ import annotations

from collections.abc import Iterable

from familiar_app.domain.ids import PersonKey
from familiar_app.projectors.port import Desk


async def names_of(desk: Desk, people: Iterable[PersonKey]) -> frozenset[str]:
    """Return what those of some people are called who have a name at all."""
    known = [key for key in people if await desk.vault.people.get(key) is not None]
    return frozenset([await desk.vault.people.label(key) for key in known])
