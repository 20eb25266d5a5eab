"""A Discord of one's own on loopback, for the real client library with nothing changed but its addresses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from tests.doubles.discord.gateway import Gateway
from tests.doubles.discord.rest import Rest
from tests.doubles.discord.world import World

TOKEN = "MTAw.double.token-of-the-tests"


@dataclass
class FakeDiscord:
    """World, REST and gateway behind one address."""

    world: World
    rest: Rest
    gateway: Gateway
    address: str = ""
    """What replaces `https://discord.com`; the gateway answers under the same one."""


@asynccontextmanager
async def fake_discord(world: World | None = None, *, token: str = TOKEN) -> AsyncIterator[FakeDiscord]:
    """Run a Discord while the block lasts."""
    world = world or World()
    gateway = Gateway(world, token)
    rest = Rest(world, gateway, token)
    app = web.Application(client_max_size=16 << 20)
    app.router.add_get("/gateway/", gateway.handle)
    app.router.add_route("*", "/api/v10/{path:.*}", rest.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    gateway.url = f"ws://127.0.0.1:{port}/gateway/"
    try:
        yield FakeDiscord(world, rest, gateway, f"http://127.0.0.1:{port}")
    finally:
        gateway.cut_all()
        await runner.cleanup()
