"""Whom the program has spoken to or would, as `status` prints it. Connects to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from familiar_app.discord_link.token import token_name
from familiar_app.domain.reach import Connected, reach_shape, reaches
from familiar_app.services import Services


async def network_shape(services: Services) -> list[Mapping[str, Any]]:
    """Return the JSON form: each host and purpose, those that the settings need first."""
    names = set(await services.vault.secrets.names())
    familiars = [Connected(one.name, one.config, token_name(one.id) in names) for one in services.familiars.values()]
    contacts = services.network.contacts
    noted = contacts.newest_first() if contacts is not None else []
    return [reach_shape(one) for one in reaches(familiars, noted, local_only=services.network.local_only)]


def network_lines(shapes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the same in words."""
    return [_line(one) for one in shapes]


def _line(one: Mapping[str, Any]) -> str:
    whom = f" for {', '.join(one['used_by'])}" if one["used_by"] else ""
    allowed = "allowed" if one["allowed"] else "refused while local-only mode is on"
    times = "once" if one["count"] == 1 else f"{one['count']} times"
    last = f"{times}, last {one['last_at']}" if one["last_at"] else "never so far"
    return f"Host {one['host']}: {one['purpose']}{whom}, {allowed}, {last}"
