"""What the connection tells of servers, channels, rights and limits, and a channel that speaks in its own way."""

from __future__ import annotations

from pathlib import Path

from familiar_app.discord_link import rights
from familiar_app.discord_link.client import GatewayClient
from familiar_app.discord_link.speak_rule import Why
from tests.doubles.discord.rest import Fault
from tests.doubles.discord.world import GUILD, PUBLIC_THREAD
from tests.e2e.discord.stage import Stage, stage


def client_of(on: Stage) -> GatewayClient:
    client = on.link.client
    assert client is not None
    return client


async def test_servers_are_listed_with_their_channels_and_threads(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        harbour = on.scene.open_channel("harbour")
        on.discord.world.channels[harbour]["permission_overwrites"] = [
            {"id": str(GUILD), "type": 0, "allow": "0", "deny": str(rights.SEND.bit)}
        ]
        on.discord.world.add_channel("the ship", kind=PUBLIC_THREAD, parent=on.scene.channels["general"])
        async with on.connected():
            await on.scene.until(lambda: bool(client_of(on).servers()), "for the server")
            (tavern,) = client_of(on).servers()
            known = client_of(on).spot(on.scene.channels["general"])
    assert (tavern.name, tavern.key) == ("The Tavern", f"discord:{GUILD}")
    assert [(one.title, one.kind, one.parent) for one in tavern.places] == [
        ("general", "text", None),
        ("the ship", "thread", on.scene.channels["general"]),
        ("harbour", "text", None),
    ]
    assert known is not None
    assert (known[0].title, known[0].guild, len(known[1])) == ("general", GUILD, 1)


async def test_a_limit_is_seen(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.discord.rest.faults.append(Fault("POST", r"/messages$", 429, retry_after_s=0.4))
        changes: list[str] = []
        on.link.on_surroundings = lambda: changes.append("")
        async with on.connected():
            await on.scene.write("Ann", "@Mira good evening")
            seen = client_of(on).limits
            await on.scene.until(lambda: any(one.refused for one in seen.now()), "for the limit")
            before = len(changes)
            await on.scene.replies(1)
    assert before > 0


async def test_a_channel_may_be_ambient_where_the_others_are_not(tmp_path: Path) -> None:
    toml = f'[channels."discord:{100_000_000_000_000_010}"]\nmode = "ambient"\n'
    async with stage(tmp_path, toml) as on, on.connected():
        await on.scene.write("Ann", "what a storm")
        await on.scene.until(lambda: bool(on.link.journal.entries), "for the message")
    assert on.link.journal.entries[-1].why is Why.AMBIENT


async def test_a_connection_that_broke_is_told_until_it_is_taken_up_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.statuses.clear()
        on.discord.gateway.cut_all()
        await on.scene.until(lambda: on.discord.gateway.resumed == 1 and len(on.statuses) > 1, "for the resumption")
        assert [one.state for one in on.statuses] == ["connecting", "connected"]
