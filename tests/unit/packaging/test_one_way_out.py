"""Nothing in the program opens a connection but by the few modules that ask the network policy first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[3] / "familiar_app"
SPEAKING = ("socket", "ssl", "aiohttp", "httpx", "requests", "websockets", "ftplib", "smtplib", "http", "telnetlib")
SPEAKING = (*SPEAKING, "urllib.request", "urllib3", "huggingface_hub", "xmlrpc", "asyncio.streams", "socketserver")
ALLOWED = {
    "models/network.py": {"httpx", "ssl"},
    "models/discovery.py": {"httpx"},
    "models/download.py": {"httpx"},
    "models/download_remote.py": {"httpx"},
    "models/endpoint.py": {"httpx"},
    "models/fetch.py": {"httpx"},
    "models/openai.py": {"httpx"},
    "models/openai_stream.py": {"httpx"},
    "models/llama_worker/xllamacpp_engine.py": {"socket"},
    "discord_link/client.py": {"aiohttp"},
    "discord_link/fault.py": {"aiohttp"},
}
"""The modules that may know such a library, and which. Only the first of them makes clients."""
OPENING = ("open_connection", "create_connection", "start_server", "create_server", "QNetworkAccessManager")
OPENING = (*OPENING, "QTcpSocket", "QUdpSocket", "QSslSocket", "QWebSocket", "QWebEngineView")


def modules() -> list[str]:
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def spoken_to(name: str) -> str | None:
    return next((one for one in SPEAKING if name == one or name.startswith(f"{one}.")), None)


def test_no_module_knows_a_way_out_but_the_listed() -> None:
    found = {}
    for module in modules():
        tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
        known = {one for name in imported(tree) if (one := spoken_to(name)) is not None} - ALLOWED.get(module, set())
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if more := known | (attributes | names).intersection(OPENING):
            found[module] = more
    assert found == {}


def test_the_list_has_nothing_that_is_gone() -> None:
    for module, known in ALLOWED.items():
        tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
        assert {spoken_to(name) for name in imported(tree)} - {None} == known, module


def test_only_the_policy_makes_clients() -> None:
    makers = [
        module
        for module in ALLOWED
        for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "httpx"
        and node.func.attr in ("AsyncClient", "Client", "get", "post", "stream", "request")
    ]
    assert makers == [], "each goes through NetworkPolicy.client"


def test_the_scan_would_see_one() -> None:
    tree = ast.parse("import urllib.request\nfrom http import client\nimport aiohttp.web as w")
    assert {spoken_to(name) for name in imported(tree)} - {None} == {"urllib.request", "http", "aiohttp"}
