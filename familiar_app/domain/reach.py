"""Every computer the program has spoken to or would speak to as it is set up, what for, and whether it may now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from familiar_app.domain.clock import format_time
from familiar_app.domain.contact import (
    DISCORD,
    FETCHING_MODELS,
    LOOKING_FOR_SERVERS,
    MODEL_ENDPOINT,
    PROXY_LOOKUP,
    Contact,
)
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later

DISCORD_HOSTS = ("discord.com", "gateway.discord.gg")
PROXY_HOST = "api.pluralkit.me"
MODEL_HOST = "huggingface.co"
_WHEN = {
    MODEL_ENDPOINT: tr_later("Gets what is said to the familiars whose model it runs, and the memories that fit."),
    FETCHING_MODELS: tr_later("Only when you fetch a model. It learns which, and your address on the network."),
    LOOKING_FOR_SERVERS: tr_later("Asked for a list of its models, when a model is chosen or listed."),
    DISCORD: tr_later("As long as a familiar is connected: what it reads and writes there."),
    PROXY_LOOKUP: tr_later("Gets the number of a message that PluralKit sent, and nothing else."),
}


@dataclass(frozen=True, slots=True)
class Reach:
    """One computer and one purpose. `used_by` names the familiars set up to need it; `contact` is what happened."""

    host: str
    purpose: str
    allowed: bool
    here: bool
    used_by: tuple[str, ...] = ()
    expected: bool = False
    contact: Contact | None = None

    @property
    def when(self) -> str:
        """When it is spoken to, and what it learns."""
        return tr(_WHEN.get(self.purpose, ""))

    @property
    def last_at(self) -> datetime | None:
        return self.contact.last_at if self.contact is not None and self.contact.count else None


@dataclass(frozen=True, slots=True)
class Connected:
    """One familiar: its name, its settings, and whether it has a token for Discord."""

    name: str
    config: CharacterConfig
    on_discord: bool


def reaches(familiars: Sequence[Connected], contacts: Iterable[Contact], *, local_only: bool) -> list[Reach]:
    """Return everybody: those the settings need first, then those that were only spoken to, the newest first."""
    wanted: dict[tuple[str, str], list[str]] = {}
    for host, purpose, name in _expected(familiars):
        names = wanted.setdefault((host, purpose), [])
        if name and name not in names:
            names.append(name)
    met = {(one.host, one.purpose): one for one in contacts}
    rows = [_reach(key, met.get(key), names, local_only=local_only) for key, names in wanted.items()]
    return rows + [_reach(key, one, None, local_only=local_only) for key, one in met.items() if key not in wanted]


def _reach(key: tuple[str, str], contact: Contact | None, names: Sequence[str] | None, *, local_only: bool) -> Reach:
    here = is_this_computer(key[0])
    return Reach(*key, here or not local_only, here, tuple(names or ()), names is not None, contact)


def _expected(familiars: Sequence[Connected]) -> Iterator[tuple[str, str, str]]:
    for one in familiars:
        for slot in (one.config.models.prose, one.config.models.background):
            if slot.provider == "openai":
                yield _host(slot.base_url), MODEL_ENDPOINT, one.name
    for one in familiars:
        for host in DISCORD_HOSTS if one.on_discord else ():
            yield host, DISCORD, one.name
        if one.on_discord and one.config.discord.proxy_lookup:
            yield PROXY_HOST, PROXY_LOOKUP, one.name
    yield MODEL_HOST, FETCHING_MODELS, ""


def _host(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or url
    return f"{host}:{parts.port}" if parts.port is not None and is_this_computer(host) else host


def is_this_computer(host: str) -> bool:
    """Tell whether a host, with a port or without, is this computer itself."""
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def reach_shape(one: Reach) -> Mapping[str, Any]:
    """Return a row as JSON has it."""
    contact = one.contact
    return {
        "host": one.host,
        "purpose": one.purpose,
        "used_by": list(one.used_by),
        "expected": one.expected,
        "allowed": one.allowed,
        "first_at": format_time(contact.first_at) if contact is not None and contact.count else None,
        "last_at": format_time(one.last_at) if one.last_at is not None else None,
        "count": contact.count if contact is not None else 0,
        "refused": contact.refused if contact is not None else 0,
    }
