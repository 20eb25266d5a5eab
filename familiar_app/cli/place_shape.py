"""How a familiar stands on Discord, and which reminders wait, as `status` prints it. Connects to nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from familiar_app.discord_link.token import token_name
from familiar_app.domain.clock import format_time
from familiar_app.domain.ids import is_of_discord
from familiar_app.domain.turn import ChannelSummary
from familiar_app.services import Hosted, Services


async def place_shape(services: Services, hosted: Hosted, channels: Sequence[ChannelSummary]) -> dict[str, Any]:
    """Return the JSON form."""
    vault, familiar = services.vault, hosted.id
    focus, unread = await vault.attention.focus(familiar), await vault.attention.unread(familiar)
    waiting = await vault.alarms.waiting(familiar)
    keys = {one.channel.id: one.channel.key for one in channels}
    return {
        "discord": {
            "token": token_name(familiar) in await vault.secrets.names(),
            "mode": hosted.config.discord.mode,
            "direct_messages": hosted.config.discord.direct_messages,
            "channels": sum(is_of_discord(one.channel.key) for one in channels),
            "focus": [{"channel": one.channel.key, "pinned": one.pinned} for one in focus],
            "unread": [{"channel": one.channel.key, "count": one.count} for one in unread],
        },
        "reminders": [
            {"id": one.id, "channel": keys.get(one.channel), "due_at": format_time(one.due_at), "text": one.text}
            for one in waiting
        ],
    }


def place_lines(shape: dict[str, Any], *, local_only: bool) -> list[str]:
    """Return the same in words, without what is not there."""
    discord, reminders = shape["discord"], shape["reminders"]
    lines = []
    if discord["token"] or discord["channels"]:
        token = "has a token" if discord["token"] else "no token"
        held = ", not connected while local-only mode is on" if local_only and discord["token"] else ""
        lines.append(f"Discord: {token}, listens in {discord['channels']} channels (mode {discord['mode']}){held}")
    if discord["focus"]:
        named = ", ".join(f"{one['channel']}{' (pinned)' if one['pinned'] else ''}" for one in discord["focus"])
        unread = sum(one["count"] for one in discord["unread"])
        lines.append(f"attends to {named}; {unread} messages unread elsewhere")
    if reminders:
        count = "1 reminder waits, for" if len(reminders) == 1 else f"{len(reminders)} reminders wait, the next for"
        lines.append(f"{count} {reminders[0]['due_at']}")
    return lines


def index_line(index: dict[str, Any]) -> str:
    """Return how the search index stands, in words."""
    if index["error"]:
        return f"Search index: failed: {index['error']}"
    if index["total"]:
        return f"Search index: {index['state']}, {index['indexed']} of {index['total']} texts"
    return "Search index: in memory alone; built when something is searched, and while the window or 'serve' runs"
