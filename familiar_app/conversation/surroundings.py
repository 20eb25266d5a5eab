"""Finds the other places a familiar may speak of in a channel, and the one that somebody means by a name."""

from __future__ import annotations

from collections.abc import Iterable

from familiar_app.conversation.tool import Surroundings
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.turn import Channel
from familiar_app.store.vault import Vault


async def surroundings_of(
    vault: Vault, familiar: FamiliarId, config: CharacterConfig, channel: Channel
) -> Surroundings:
    """Look around a channel: places whose matter may not be heard in it are not there."""
    audience = await vault.audiences.of(familiar, channel, config.audience_mode(channel.key))
    heard = await vault.channels.heard(familiar)
    places = tuple(one for one in heard if one.id != channel.id and one.id in audience.open_to)
    waiting = await vault.alarms.waiting(familiar, channel=channel.id)
    focused = bool(await vault.attention.focus(familiar))
    return Surroundings(channel, places, len(waiting), focused)


def place_named(name: str, places: Iterable[Channel]) -> Channel | None:
    """Return the place that a name means: its title with or without `#`, its key, or its number. None where unclear."""
    wanted = name.strip().lstrip("#<").rstrip(">").strip().casefold()
    found = [one for one in places if wanted in _names(one)]
    return found[0] if len(found) == 1 else None


def _names(place: Channel) -> set[str]:
    key = place.key.casefold()
    return {key, key.partition(":")[2], place.title.strip().lstrip("#").strip().casefold()}
