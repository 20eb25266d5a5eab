"""Pictures of Discord in the whole window: `python -m tests.ui.discord_pictures FOLDER [NAME …]`.

The familiar is connected by the real client library to the make-believe Discord, where people talk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

os.environ["QT_API"] = "pyside6"

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from familiar_app.discord_link.rights import ATTACH, SEND
from familiar_app.domain.clock import SystemClock
from familiar_app.ui.discord.panel import create_discord_panel
from familiar_app.ui.kit.theme import Theme
from tests.doubles.discord.world import GUILD, PUBLIC_THREAD
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import Stage, stage
from tests.ui.discord_scene import DiscordScene
from tests.ui.picture_window import main, open_world, panel_window, picture_name
from tests.ui.pictures import settle

Show = Callable[[DiscordScene, Any], Awaitable[None]]
LOOKS = (("light", 1.0), ("dark", 1.0), ("light", 1.5))


def furnish(on: Stage) -> None:
    """Give the server its channels; in one of them the bot may not write."""
    world = on.discord.world
    for name in ("harbour", "recipes", "moderators"):
        on.scene.open_channel(name)
    on.scene.channels["the old ship"] = int(
        world.add_channel("the old ship", kind=PUBLIC_THREAD, parent=on.scene.channels["harbour"])["id"]
    )
    denied = str(SEND.bit | ATTACH.bit)
    locked = world.channels[on.scene.channels["recipes"]]
    locked["permission_overwrites"] = [{"id": str(GUILD), "type": 0, "allow": "0", "deny": denied}]
    plain = world.guild_payload

    def without_everything(me: Any) -> Any:
        payload = plain(me)
        payload["roles"][0]["permissions"] = str(((1 << 51) - 1) & ~(1 << 3))
        return payload

    world.guild_payload = without_everything  # type: ignore[method-assign]


async def talk(scene: DiscordScene) -> None:
    """Let people talk for a while."""
    hub, say = scene.hub, scene.on.scene
    await hub.set_token(MIRA, scene.on.discord.gateway.token)
    await hub.switch(MIRA, True)
    await scene.until(lambda: hub.of(MIRA).servers, "for the servers")
    for name in ("general", "harbour", "recipes"):
        await hub.subscribe(MIRA, say.channels[name], True)
    scene.on.model.lines = {"tide": "It turns at nine, [@Ann]. Take the lamp."}
    scene.on.discord.world.silenced.add(say.channels["recipes"])
    await say.write("Ben", "the nets are dry")
    await say.write("Ann", "@Mira when does the tide turn?", channel="harbour")
    await say.replies(1)
    await say.write("Ben", "@Ann are you coming?", channel="harbour")
    await say.whisper("Ben", "are you there?")
    await say.write("Ben", "@Mira which fish for Friday?", channel="recipes")
    await scene.until(lambda: hub.journal(MIRA).entries[-1].fate is not None, "for the answer")
    await say.write("Ann", "@Mira good night", channel="moderators")
    await scene.until(lambda: len(hub.journal(MIRA).entries) >= 6, "for all of it")


async def guide(_scene: DiscordScene, _view: Any) -> None:
    """Nothing is set up."""


async def connected(scene: DiscordScene, view: Any) -> None:
    await talk(scene)
    view.load()
    await settle(20)
    view.reveal(scene.on.scene.channels["harbour"])


async def lacking(scene: DiscordScene, view: Any) -> None:
    await connected(scene, view)
    view.reveal(scene.on.scene.channels["recipes"])


async def why(scene: DiscordScene, view: Any) -> None:
    await connected(scene, view)
    view.noticed.setCurrentIndex(view.noticed_rows.index(0, 0))


async def server(scene: DiscordScene, view: Any) -> None:
    await connected(scene, view)
    view.places.setCurrentIndex(view.place_rows.index(0, 0))
    QTest.keyClick(view.places, Qt.Key.Key_Return)


async def refused(scene: DiscordScene, _view: Any) -> None:
    await scene.hub.set_token(MIRA, "MTAw.wrong.token")
    await scene.hub.switch(MIRA, True)
    await scene.until(lambda: scene.hub.of(MIRA).status.state == "failed")


async def without_intent(scene: DiscordScene, _view: Any) -> None:
    scene.profile.save_config(MIRA, {"discord.mode": "ambient"})
    scene.host()
    scene.on.discord.gateway.allowed = 0
    await scene.hub.set_token(MIRA, scene.on.discord.gateway.token)
    await scene.hub.switch(MIRA, True)
    await scene.until(lambda: scene.hub.of(MIRA).status.state == "failed")


SCENES: dict[str, Show] = {
    "discord-guide": guide,
    "discord": connected,
    "discord-lacking": lacking,
    "discord-why": why,
    "discord-server": server,
    "discord-refused": refused,
    "discord-intent": without_intent,
}


async def take(name: str, theme: Theme, folder: Path, root: Path) -> None:
    """Write the pictures of one scene, each over a vault and a Discord of its own."""
    root.mkdir()
    for look in LOOKS:
        place = root / f"{look[0]}{look[1]}"
        place.mkdir()
        async with stage(place, subscribed=False) as on:
            furnish(on)
            scene = DiscordScene(on, theme, place)
            await picture(name, scene, look, folder)
            await scene.hub.close()
            await on.tasks.cancel()


async def picture(name: str, scene: DiscordScene, look: tuple[str, float], folder: Path) -> None:
    """Write one picture."""

    def create(services: Any, context: Any) -> Any:
        scene.services.profile = services.profile
        services.discord, services.vault, services.network = scene.hub, scene.on.vault, scene.on.network
        services.clock = SystemClock()
        return create_discord_panel(services, context)

    world = open_world(scene.folder / "window", scene.theme, SystemClock(), look, (create,), weak=False)
    world.gate.open_services.vault = scene.on.vault
    async with panel_window(world, "discord", lambda view: view.model.loaded) as (window, view):
        await SCENES[name](scene, view)
        await settle(40)
        window.grab().save(str(folder / picture_name(name, look)))


if __name__ == "__main__":
    main(sys.argv[1:], list(SCENES), take)
