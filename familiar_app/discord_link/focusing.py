"""Lets managers decide what a familiar attends to on Discord, and tells how that stands."""

from __future__ import annotations

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.incoming import Spot
from familiar_app.discord_link.scribe import Scribe
from familiar_app.discord_link.speak_rule import LOOK_AFTER


async def set_focus(conversation: Conversation, scribe: Scribe, spot: Spot, *, on: bool) -> str:
    """Pin a familiar's attention to a channel, or let go of it, and say so."""
    name, attention = conversation.name, conversation.vault.attention
    if not scribe.listens(spot):
        return f"{name} does not listen here."
    channel = await scribe.channel(spot)
    if on:
        await attention.pin(conversation.familiar, channel.id)
        return (
            f"{name} attends to this channel until /focus off. In channels it does not attend to, it answers those "
            f"who speak to it, counts the rest, and takes a look after {LOOK_AFTER} messages."
        )
    await attention.release(conversation.familiar, channel.id)
    left = len(await attention.focus(conversation.familiar))
    others = f"{left} other channel{'s' if left > 1 else ''}" if left else "every channel it listens in"
    return f"{name} is not held to this channel any more; it attends to {others}."


def workings(conversation: Conversation) -> str:
    """Tell by what a familiar answers, and whether its memory can be searched."""
    info, index = conversation.model.info, conversation.vault.index.status
    where = "on its owner's computer" if info.local else "at an endpoint elsewhere"
    search = {"building": "is being built", "ready": "is ready", "failed": "has failed"}.get(
        index.state, "is not built"
    )
    return f"{conversation.name} answers with {info.name}, {where}; the search index {search}."


async def attention_here(conversation: Conversation, spot: Spot) -> str:
    """Tell in a sentence what a familiar attends to and which reminders wait, empty where there is nothing to tell."""
    vault, familiar = conversation.vault, conversation.familiar
    channel = await vault.channels.find(spot.key)
    if channel is None:
        return ""
    parts, regard = [], await vault.attention.of(familiar, channel.id)
    if regard.chosen:
        elsewhere = f"attends to other channels, {regard.unread} unread here"
        held = "attends to this channel" if regard.attends else elsewhere
        parts.append(held + (" (pinned)" if regard.pinned else ""))
    if waiting := len(await vault.alarms.waiting(familiar, channel=channel.id)):
        parts.append(f"has {waiting} reminder{'s' if waiting > 1 else ''} to give here")
    return f"{conversation.name} {' and '.join(parts)}." if parts else ""
