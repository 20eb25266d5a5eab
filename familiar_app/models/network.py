"""The only place that makes HTTP clients, the rule about which addresses they may reach, and a note of each contact."""

from __future__ import annotations

import ipaddress
import ssl
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from familiar_app.domain.contact import Contacts
from familiar_app.domain.errors import UserError
from familiar_app.domain.text import tr


class RefusedByLocalOnlyError(UserError):
    """An address outside this computer was asked for while local-only mode is on."""

    def __init__(self) -> None:
        super().__init__(
            tr("Local-only mode is on, so nothing outside this computer can be reached."),
            tr("Turn local-only mode off, or choose a model that runs on this computer."),
        )


class NetworkPolicy:
    """Decides on every connection before a socket exists. Setting `local_only` acts on clients made earlier, too.

    Who is spoken to is noted in `contacts`: the host and the purpose, never what is said.
    """

    def __init__(self, *, local_only: bool, contacts: Contacts | None = None) -> None:
        self.local_only = local_only
        self.contacts = contacts

    def check(self, url: str, purpose: str = "") -> None:
        """Raise RefusedByLocalOnlyError where the address may not be reached; note it where a purpose is given."""
        refused = self.local_only and not is_loopback(url)
        if purpose and self.contacts is not None:
            self.contacts.note(host_of(url), purpose, refused=refused)
        if refused:
            raise RefusedByLocalOnlyError

    def client(self, purpose: str = "", **options: Any) -> httpx.AsyncClient:
        """Return a client whose every request, redirects included, passes `check` and is noted with its purpose.

        Takes the options of `httpx.AsyncClient`. Redirects are not followed unless asked for.
        """
        options.setdefault("verify", trusted_certificates())
        # A proxy named by the environment would be a way out, so in local-only mode the environment is not read.
        options.setdefault("trust_env", not self.local_only)
        transport = options.pop("transport", None)
        return _CheckedClient(self, purpose, transport=transport, **options)


class _CheckedClient(httpx.AsyncClient):
    """A client that asks the policy for each single request, at the last place before a transport is chosen."""

    def __init__(self, policy: NetworkPolicy, purpose: str, **options: Any) -> None:
        super().__init__(**options)
        self._policy, self._purpose = policy, purpose

    def _transport_for_url(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        self._policy.check(str(url), self._purpose)
        if self._policy.local_only:
            return self._transport
        return super()._transport_for_url(url)


@lru_cache(maxsize=1)
def trusted_certificates() -> ssl.SSLContext:
    """Return what tells a genuine server. The first call reads a large file; make it outside the event loop."""
    return httpx.create_ssl_context()


def no_certificates() -> ssl.SSLContext:
    """Return a context that trusts nobody, for clients that speak without encryption on this computer only."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def host_of(url: str) -> str:
    """Return the computer an address names, with the port where it is this computer: its servers differ by that."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    return f"{host}:{port}" if port is not None and is_loopback(url) else host


def is_loopback(url: str) -> bool:
    """Tell whether an address is on this computer without asking a name server: loopback numbers and `localhost`."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    if not host:
        return False
    if host.rstrip(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback
