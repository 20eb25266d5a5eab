"""How much of a person may be kept: the three levels, and what a proxy's hosts add to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from familiar_app.domain.ids import PersonKey


class PrivacyLevel(StrEnum):
    """`partial` keeps messages but nothing drawn from them; `full` keeps no messages either."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"

    @property
    def allows_memories(self) -> bool:
        """Whether facts, dossiers and memories about the person may be written and shown."""
        return self is PrivacyLevel.NONE


@dataclass(frozen=True, slots=True)
class Proxy:
    """An identity that speaks through somebody's account. `hosts` is None where nobody knows whose.

    `blocked` tells that one of the hosts is shut out of this server.
    """

    hosts: tuple[PersonKey, ...] | None
    blocked: bool = False


def hosts_allow(proxy: Proxy, levels: Mapping[PersonKey, PrivacyLevel]) -> bool:
    """Tell whether the people behind a proxy let something be kept about it; unknown people do not."""
    if not proxy.hosts or proxy.blocked:
        return False
    return all(levels.get(host, PrivacyLevel.NONE) is not PrivacyLevel.FULL for host in proxy.hosts)
