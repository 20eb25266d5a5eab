"""Adds a familiar to a profile and its open vault, whole or not at all, and removes one from both.

The gate sees to it that only one such change is under way at a time.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from familiar_app.bootstrap.familiar_host import FamiliarHost
from familiar_app.domain.erasure import OfFamiliar, Receipt
from familiar_app.domain.errors import BadInputError, FamiliarError, UserError
from familiar_app.domain.ids import FamiliarId, familiar_id_from_name, is_familiar_id
from familiar_app.domain.settings import model_slot_from_spec
from familiar_app.domain.text import tr
from familiar_app.services import Hosted, NewFamiliar, Services
from familiar_app.store.profile import Profile
from familiar_app.store.vault import Vault

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


def checked_settings(familiar: NewFamiliar) -> Mapping[str, Any]:
    """Return what a new familiar sets for itself. Raises UserError where its model or its id cannot be one."""
    slot = model_slot_from_spec(familiar.model)
    if familiar.id is not None and not is_familiar_id(familiar.id):
        raise BadInputError(
            tr("an id has lower-case letters, digits, '-' and '_', and begins with a letter or digit."), field="id"
        )
    return {f"models.{name}.{key}": value for name in ("prose", "background") for key, value in slot.items()}


async def add(services: Services, host: FamiliarHost, familiar: NewFamiliar, own: Mapping[str, Any]) -> Hosted:
    """Make a familiar with the settings of `checked_settings`, and host it. Where that fails, nothing is left of it."""
    profile = services.profile
    taken = frozenset(profile.familiars())
    chosen = familiar.id or familiar_id_from_name(familiar.card.name, taken)
    if chosen in taken:
        raise BadInputError(
            tr("a familiar with this id exists already."), field="id", next_step=tr("Choose another id.")
        )
    settings = dict(own)
    if familiar.api_key:
        name = _api_key_name(chosen)
        await services.vault.secrets.set(name, familiar.api_key)
        settings["models.prose.api_key_secret"] = settings["models.background.api_key_secret"] = name
    try:
        await _to_its_end(profile.add_familiar, chosen, familiar.card, settings, str(uuid.uuid4()))
        if familiar.avatar_png is not None:
            await _to_its_end(profile.save_avatar, chosen, familiar.avatar_png)
        if familiar.card_kept is not None:
            await _to_its_end(profile.save_kept_card, chosen, familiar.card_kept)
        if familiar.lorebook_toml is not None:
            await _to_its_end(profile.save_lorebook, chosen, familiar.lorebook_toml)
        hosted = await host.host(chosen)
    except BaseException:
        await _take_back(services, chosen, familiar)
        raise
    services.familiars[chosen] = hosted
    return hosted


def to_erase(profile: Profile, familiar: FamiliarId, *, last: bool = False) -> OfFamiliar:
    """Return what goes with a familiar, but for memories that a copy shares.

    Raises UserError for the only one, unless `last` allows a profile with none. Reads every familiar's settings: call
    it in a thread.
    """
    others = [one for one in profile.familiars() if one != familiar]
    if not others and not last:
        raise UserError(tr("This is the only familiar of the profile."), tr("Make another one first."))
    lineage = profile.config(familiar).lineage
    shared = any(profile.config(one).lineage == lineage for one in others)
    return OfFamiliar(familiar, None if shared else lineage)


async def remove(
    services: Services, familiar: FamiliarId, progress: Callable[[float], None] | None, *, last: bool = False
) -> Receipt:
    """Erase a familiar from the vault, and its folder. Raises UserError as `to_erase`."""
    profile = services.profile
    target = await asyncio.to_thread(to_erase, profile, familiar, last=last)
    await _to_its_end(profile.mark_leaving, familiar)
    hosted = services.familiars.pop(familiar, None)
    services.broken.pop(familiar, None)
    if services.discord is not None:
        await services.discord.forget(familiar)
    if hosted is not None:
        await hosted.projectors.stop()
        await hosted.conversation.reminders.stop()
        await hosted.conversation.leave()
    return await _erase(services.vault, profile, target, progress)


async def finish_removals(vault: Vault, profile: Profile) -> None:
    """Complete what a kill cut off: a familiar whose folder says that it was to go, goes now.

    Where that fails, it is tried again when the vault is next opened: nothing else may wait for it.
    """
    try:
        await asyncio.to_thread(profile.clear_unfinished)
        for familiar in await asyncio.to_thread(profile.leaving):
            target = await asyncio.to_thread(to_erase, profile, familiar, last=True)
            await _erase(vault, profile, target, None)
            log.warning("the erasure of a familiar was cut off, and is complete now")
    except FamiliarError as error:
        log.warning("the erasure of a familiar that was cut off could not be completed", exc_info=error)


async def _erase(
    vault: Vault, profile: Profile, target: OfFamiliar, progress: Callable[[float], None] | None
) -> Receipt:
    familiar = target.familiar
    receipt = await vault.erasure.erase(target, progress)
    spared = await asyncio.to_thread(_secrets_of_others, profile, familiar)
    for name in await vault.secrets.names():
        # No id has a dot in it, so this takes no other familiar's.
        if name.startswith(f"{familiar}.") and name not in spared:
            await vault.secrets.delete(name)
    await _to_its_end(profile.remove_familiar, familiar)
    return receipt


def _secrets_of_others(profile: Profile, familiar: FamiliarId) -> set[str]:
    """Return the names of secrets that other familiars, such as copies of this one, go on using."""
    configs = [profile.config(one) for one in profile.familiars() if one != familiar]
    return {slot.api_key_secret for config in configs for slot in (config.models.prose, config.models.background)}


async def _take_back(services: Services, chosen: FamiliarId, familiar: NewFamiliar) -> None:
    """Undo `add` as far as it came."""
    if chosen in services.profile.familiars():
        await _to_its_end(services.profile.discard_familiar, chosen)
    if familiar.api_key:
        await services.vault.secrets.delete(_api_key_name(chosen))


def _api_key_name(familiar: FamiliarId) -> str:
    return f"{familiar}.api_key"


async def _to_its_end(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in a thread. Where the waiting is cancelled, it ends all the same only when `work` is done."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
