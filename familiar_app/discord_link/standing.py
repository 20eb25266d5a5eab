"""How a familiar stands with Discord, as the window shows it, and how the vault keeps what is known of its servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from familiar_app.discord_link.limit import Limit
from familiar_app.discord_link.server import Server, as_json, from_json
from familiar_app.discord_link.status import LinkStatus


@dataclass(frozen=True, slots=True)
class Standing:
    """`on` is the owner's wish; `token` tells that there is one. Servers may be those of an earlier connection."""

    on: bool = False
    token: bool = False
    status: LinkStatus = field(default_factory=LinkStatus)
    application: int | None = None
    servers: tuple[Server, ...] = ()
    limits: tuple[Limit, ...] = ()

    @property
    def connected(self) -> bool:
        return self.status.state == "connected"

    def kept(self) -> dict[str, Any]:
        """Return what is worth keeping for when the familiar is not connected."""
        return {"application": self.application, "servers": as_json(self.servers)}

    def with_kept(self, kept: Any) -> Standing:
        """Return this with what `kept` made; anything of another shape changes nothing."""
        if not isinstance(kept, Mapping):
            return self
        number = kept.get("application")
        return replace(
            self, application=number if isinstance(number, int) else None, servers=from_json(kept.get("servers"))
        )
