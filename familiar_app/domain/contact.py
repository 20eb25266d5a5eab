"""Which computers elsewhere the program has spoken to, and what for. Counts and times, never what was said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from familiar_app.domain.clock import Clock, format_time, parse_time
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr_later

MOST_CONTACTS = 200
MODEL_ENDPOINT = tr_later("Model endpoint")
FETCHING_MODELS = tr_later("Fetching models")
LOOKING_FOR_SERVERS = tr_later("Looking for model servers")
DISCORD = tr_later("Discord")
PROXY_LOOKUP = tr_later("Asking PluralKit who is behind a message")


@dataclass(frozen=True, slots=True)
class Contact:
    """One computer and one purpose. `refused` counts what local-only mode kept from happening."""

    host: str
    purpose: str
    first_at: datetime
    last_at: datetime
    count: int = 0
    refused: int = 0


class Contacts:
    """What is known of all of them. Bounded: whoever was not spoken to for longest is forgotten first."""

    def __init__(self, clock: Clock, most: int = MOST_CONTACTS) -> None:
        self._clock, self._most = clock, most
        self._by_key: dict[tuple[str, str], Contact] = {}
        self.version = 0
        """Counts the changes, so that whoever stores them knows whether there is anything to store."""
        self.changed: Callable[[], object] = lambda: None

    def note(self, host: str, purpose: str, *, refused: bool = False) -> None:
        """Remember that a connection is being made, or was refused."""
        now = self._clock.now()
        old = self._by_key.get((host, purpose)) or Contact(host, purpose, now, now)
        self._by_key[host, purpose] = replace(
            old, last_at=now, count=old.count + (not refused), refused=old.refused + refused
        )
        self._bound()
        self.version += 1
        self.changed()

    def newest_first(self) -> list[Contact]:
        """Return them, the newest first."""
        return sorted(self._by_key.values(), key=lambda one: (one.last_at, one.host, one.purpose), reverse=True)

    def clear(self) -> None:
        """Forget all of them."""
        self._by_key.clear()
        self.version += 1
        self.changed()

    def to_json(self) -> list[dict[str, Any]]:
        """Return what JSON can hold of them."""
        return [
            {
                "host": one.host,
                "purpose": one.purpose,
                "first_at": format_time(one.first_at),
                "last_at": format_time(one.last_at),
                "count": one.count,
                "refused": one.refused,
            }
            for one in self.newest_first()
        ]

    def take(self, stored: object) -> None:
        """Add what was stored before; whatever does not look like it is left out."""
        for entry in stored if isinstance(stored, list) else []:
            old = _contact(entry)
            if old is not None:
                now = self._by_key.get((old.host, old.purpose))
                self._by_key[old.host, old.purpose] = old if now is None else _joined(old, now)
        self._bound()

    def _bound(self) -> None:
        while len(self._by_key) > self._most:
            del self._by_key[min(self._by_key, key=lambda key: (self._by_key[key].last_at, key))]


def _joined(old: Contact, new: Contact) -> Contact:
    return replace(
        new,
        first_at=min(old.first_at, new.first_at),
        last_at=max(old.last_at, new.last_at),
        count=old.count + new.count,
        refused=old.refused + new.refused,
    )


def _contact(entry: object) -> Contact | None:
    if not isinstance(entry, Mapping):
        return None
    host, purpose, count, refused = (entry.get(key) for key in ("host", "purpose", "count", "refused"))
    if not (isinstance(host, str) and isinstance(purpose, str) and isinstance(count, int) and isinstance(refused, int)):
        return None
    try:
        first_at, last_at = parse_time(str(entry.get("first_at"))), parse_time(str(entry.get("last_at")))
    except BadInputError:
        return None
    return Contact(host, purpose, first_at, last_at, count, refused)
