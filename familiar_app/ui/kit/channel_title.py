"""What a channel is called, the same wherever it is named."""

from __future__ import annotations

from familiar_app.domain.ids import MAIN_CHANNEL
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel


def channel_title(channel: Channel) -> str:
    """Return what to call a channel to people."""
    if channel.key == MAIN_CHANNEL and channel.title in ("", "main", "Main"):
        return tr("Main")
    return channel.title or channel.key.partition(":")[2] or channel.key
