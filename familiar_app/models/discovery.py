"""Finds model servers on this computer by the ports they usually listen on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import httpx

from familiar_app.domain.contact import LOOKING_FOR_SERVERS
from familiar_app.models.network import NetworkPolicy, no_certificates
from familiar_app.models.openai_stream import read_bounded

_USUAL_PORTS = (("Ollama", 11434), ("LM Studio", 1234), ("llama-server", 8080), ("KoboldCpp", 5001))
_PROBE_S = 1.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024
_MAX_MODELS = 500


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers. `kind` is the program its port belongs to; `base_url` goes into a slot's settings."""

    kind: str
    base_url: str
    models: tuple[str, ...]


async def find_local_servers(
    network: NetworkPolicy, *, ports: tuple[tuple[str, int], ...] = _USUAL_PORTS
) -> list[FoundServer]:
    """Ask each usual port of this computer at once; takes a second at most."""
    async with network.client(
        LOOKING_FOR_SERVERS, timeout=_PROBE_S, trust_env=False, verify=no_certificates()
    ) as client:
        found = await asyncio.gather(*(_ask(client, kind, port) for kind, port in ports))
    return [server for server in found if server is not None]


async def _ask(client: httpx.AsyncClient, kind: str, port: int) -> FoundServer | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    try:
        async with asyncio.timeout(_PROBE_S), client.stream("GET", f"{base_url}/models") as response:
            if response.status_code != 200:
                return None
            data, cut = await read_bounded(response, _MAX_ANSWER_BYTES)
    except (httpx.HTTPError, TimeoutError):
        return None
    names = None if cut else _names(data)
    return None if names is None else FoundServer(kind, base_url, names)


def _names(body: bytes) -> tuple[str, ...] | None:
    """Return the models a server lists, None where this is no such list and so no such server."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        return None
    names = [each["id"] for each in data if isinstance(each, dict) and isinstance(each.get("id"), str)]
    return tuple(names[:_MAX_MODELS])
