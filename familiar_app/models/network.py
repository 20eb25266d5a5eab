"""The only place that makes HTTP clients, and the rule about which addresses they may reach."""

from __future__ import annotations

import ipaddress
import ssl
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from familiar_app.domain.errors import UserError


class RefusedByLocalOnlyError(UserError):
    """An address outside this computer was asked for while local-only mode is on."""

    def __init__(self) -> None:
        super().__init__(
            "Local-only mode is on, so nothing outside this computer can be reached.",
            "Turn local-only mode off, or choose a model that runs on this computer.",
        )


class NetworkPolicy:
    """Decides on every connection before a socket exists. Setting `local_only` acts on clients made earlier, too."""

    def __init__(self, *, local_only: bool) -> None:
        self.local_only = local_only

    def check(self, url: str) -> None:
        """Raise RefusedByLocalOnlyError where the address may not be reached."""
        if self.local_only and not is_loopback(url):
            raise RefusedByLocalOnlyError

    def client(self, **options: Any) -> httpx.AsyncClient:
        """Return a client whose every request, redirects included, passes `check`.

        Takes the options of `httpx.AsyncClient`. Redirects are not followed unless asked for.
        """
        options.setdefault("verify", trusted_certificates())
        # A proxy named by the environment would be a way out, so in local-only mode the environment is not read.
        options.setdefault("trust_env", not self.local_only)
        transport = options.pop("transport", None)
        return _CheckedClient(self, transport=transport, **options)


class _CheckedClient(httpx.AsyncClient):
    """A client that asks the policy for each single request, at the last place before a transport is chosen."""

    def __init__(self, policy: NetworkPolicy, **options: Any) -> None:
        super().__init__(**options)
        self._policy = policy

    def _transport_for_url(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        self._policy.check(str(url))
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
