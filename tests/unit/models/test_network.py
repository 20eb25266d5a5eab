"""Local-only mode: what counts as this computer, and that nothing else is reached."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from familiar_app.domain.contact import Contacts
from familiar_app.domain.errors import UserError
from familiar_app.models.network import NetworkPolicy, host_of, is_loopback

HERE = ["http://localhost:1/v1", "http://LOCALHOST/", "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:80/"]
HERE += ["https://[::ffff:127.0.0.1]/", "http://localhost.:80"]
ELSEWHERE = ["http://example.com", "http://127.0.0.1.example.com", "http://localhost.example.com", "http://0.0.0.0"]
ELSEWHERE += [
    "http://192.168.1.2",
    "http://10.0.0.1",
    "http://[::]",
    "http://[fe80::1]",
    "http://2130706433",
    "http://0x7f.1",
]
ELSEWHERE += ["http://127.0.0.1@example.com/", "http:///v1", "not an address", "http://[broken"]


@pytest.mark.parametrize("url", HERE)
def test_this_computer_is_allowed(url: str) -> None:
    assert is_loopback(url)
    NetworkPolicy(local_only=True).check(url)


@pytest.mark.parametrize("url", ELSEWHERE)
def test_everything_else_is_refused(url: str) -> None:
    assert not is_loopback(url)
    with pytest.raises(UserError, match="Local-only mode"):
        NetworkPolicy(local_only=True).check(url)
    NetworkPolicy(local_only=False).check(url)


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every socket and look-up that is tried."""
    tried: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: tried.append(address))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: tried.append(args))
    return tried


async def test_a_refused_request_opens_no_socket(sockets: list[Any]) -> None:
    async with NetworkPolicy(local_only=True).client() as client:
        with pytest.raises(UserError, match="Local-only mode"):
            await client.get("http://example.com/")
    assert sockets == []


async def test_the_switch_acts_on_clients_made_before(sockets: list[Any]) -> None:
    policy = NetworkPolicy(local_only=False)
    async with policy.client() as client:
        policy.local_only = True
        with pytest.raises(UserError, match="Local-only mode"):
            await client.get("http://example.com/")
    assert sockets == []


async def test_a_redirect_is_no_way_out(server: Any) -> None:
    server.answers = [server.reply(302, "", Location="http://example.com/")]
    async with NetworkPolicy(local_only=True).client(follow_redirects=True) as client:
        with pytest.raises(UserError, match="Local-only mode"):
            await client.get(server.url)
    assert len(server.heads) == 1


async def test_a_proxy_of_the_environment_is_no_way_out(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.answers = [server.reply(200, "direct")]
    policy = NetworkPolicy(local_only=False)
    async with policy.client() as client:
        policy.local_only = True
        assert (await client.get(server.url)).text == "direct"


async def test_contacts_are_noted_refused_ones_too(server: Any, clock: Any) -> None:
    contacts = Contacts(clock)
    policy = NetworkPolicy(local_only=True, contacts=contacts)
    server.answers = [server.reply(200, "")]
    async with policy.client("Trying out") as client:
        await client.get(server.url)
        with pytest.raises(UserError, match="Local-only mode"):
            await client.get("http://example.com/secret-path?q=secret")
    noted = {one.host: (one.purpose, one.count, one.refused) for one in contacts.newest_first()}
    assert noted == {f"127.0.0.1:{server.port}": ("Trying out", 1, 0), "example.com": ("Trying out", 0, 1)}
    assert "secret" not in str(contacts.to_json())


def test_a_look_without_a_purpose_is_not_noted(clock: Any) -> None:
    contacts = Contacts(clock)
    NetworkPolicy(local_only=False, contacts=contacts).check("http://example.com")
    assert contacts.newest_first() == []


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Example.com:8443/a", "example.com"),
        ("http://127.0.0.1:8080/v1", "127.0.0.1:8080"),
        ("wss://gateway.discord.gg/?v=10", "gateway.discord.gg"),
        ("http://[broken", ""),
    ],
)
def test_a_host_is_named_without_what_stands_behind_it(url: str, host: str) -> None:
    assert host_of(url) == host
