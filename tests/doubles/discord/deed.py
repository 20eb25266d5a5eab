"""More of what people and bots do on the make-believe Discord: press buttons, go on writing, speak through a proxy."""

from __future__ import annotations

from typing import Any

from tests.doubles.discord.scene import EPHEMERAL, Scene
from tests.doubles.discord.world import DM, EVERYTHING, VIEW, Payload

PLURALKIT = 466_378_653_216_014_359
HOOK = 100_000_000_000_000_777
_PRESSED, _DEFERRED = 3, 6


def button_ids(message: Payload) -> list[str]:
    """Return the ids of the buttons under a message."""
    return [button["custom_id"] for row in message.get("components", ()) for button in row["components"]]


def text_of(scene: Scene, message: int) -> str:
    """Return what a message says now."""
    return str(scene.discord.world.messages[message]["content"])


async def press(scene: Scene, who: str, message: int, action: str, *, moderator: bool = False) -> None:
    """Press a button under a message."""
    shown = scene.discord.world.messages[message]
    chosen = next(one for one in button_ids(shown) if one.split(":")[1] == action)
    await press_id(scene, who, shown, chosen, moderator=moderator)


async def press_id(scene: Scene, who: str, message: Payload, custom_id: str, *, moderator: bool = False) -> None:
    """Press a button with an id, also one that is not shown any more."""
    world, person = scene.discord.world, scene.people[who]
    place = world.channels[int(message["channel_id"])]
    shape: Payload = {
        "id": str(world.snowflake()),
        "application_id": str(world.me.id),
        "type": _PRESSED,
        "token": f"press{world.snowflake()}",
        "version": 1,
        "channel_id": place["id"],
        "channel": place,
        "message": message,
        "data": {"custom_id": custom_id, "component_type": 2},
        "locale": "en-US",
        "app_permissions": str(EVERYTHING),
        "entitlements": [],
        "authorizing_integration_owners": {},
        "context": 0,
        "attachment_size_limit": 1 << 20,
    }
    if place["type"] == DM:
        shape["user"] = person.user()
    else:
        rights = str(EVERYTHING if moderator else VIEW)
        shape |= {"guild_id": str(world.guild), "member": {"user": person.user(), **person.member()}}
        shape["member"]["permissions"] = rights
    await scene.discord.gateway.tell("INTERACTION_CREATE", shape)


async def refusal(scene: Scene, count: int = 1) -> str:
    """Wait for a sentence to whoever pressed a button alone, the last of `count` since the beginning."""

    def said() -> list[Payload]:
        return [one for one in scene.discord.rest.callbacks if one.get("content")]

    await scene.until(lambda: len(said()) >= count, "for a sentence to whoever pressed a button")
    answer = said()[count - 1]
    assert answer["flags"] == EPHEMERAL
    return str(answer["content"])


def acknowledged(scene: Scene) -> int:
    """Count the presses that were acknowledged without a word."""
    return sum(one.get("type") == _DEFERRED for one in scene.discord.rest.callbacks)


async def type_on(scene: Scene, who: str, *, channel: str = "general") -> None:
    """Go on writing, so that others see it."""
    world, person = scene.discord.world, scene.people[who]
    data = {
        "channel_id": str(scene.channels[channel]),
        "guild_id": str(world.guild),
        "user_id": str(person.id),
        "timestamp": 1_700_000_000,
        "member": {"user": person.user(), **person.member()},
    }
    await scene.discord.gateway.tell("TYPING_START", data)


async def speak_through_proxy(scene: Scene, name: str, text: str, **more: Any) -> int:
    """Let a bot repeat a message under another name."""
    author = {"id": str(HOOK), "username": name, "discriminator": "0000", "avatar": None, "bot": True}
    sender = next(iter(scene.people))
    shape = {"webhook_id": str(HOOK), "application_id": str(PLURALKIT), "author": author}
    return await scene.write(sender, text, **shape, **more)
