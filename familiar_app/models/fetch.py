"""Fetches one small JSON document by the rules of the network policy."""

from __future__ import annotations

import logging

import httpx

from familiar_app.models.network import NetworkPolicy, RefusedByLocalOnlyError

MAX_BYTES = 100_000
log = logging.getLogger(__name__)


async def fetch_json(network: NetworkPolicy, url: str, *, timeout_s: float, purpose: str) -> object | None:
    """Return what stands at an address; None where nothing does, it is no JSON, or it may not or cannot be reached."""
    try:
        async with network.client(purpose, timeout=timeout_s) as client:
            answer = await client.get(url)
        if answer.status_code != httpx.codes.OK or len(answer.content) > MAX_BYTES:
            return None
        found: object = answer.json()
    except RefusedByLocalOnlyError:
        log.info("local-only mode is on, so nothing is looked up")
    except (httpx.HTTPError, ValueError) as error:
        log.info("a look-up failed (%s)", type(error).__name__)
    else:
        return found
    return None
