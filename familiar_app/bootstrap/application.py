"""The gate to one profile: makes, opens and closes its vault, and builds what stands on it in a visible order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from familiar_app.bootstrap import roster
from familiar_app.bootstrap.contact_book import ContactBook
from familiar_app.bootstrap.discord import build_hub
from familiar_app.bootstrap.familiar_host import FamiliarHost
from familiar_app.domain.clock import Clock
from familiar_app.domain.erasure import ErasurePlan, Receipt
from familiar_app.domain.errors import FamiliarError, LockedError, OutsideError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr
from familiar_app.interchange.lorebook.library import LoreLibrary
from familiar_app.models.network import NetworkPolicy
from familiar_app.services import GateState, Hosted, NewFamiliar, Services
from familiar_app.store import keyring
from familiar_app.store.profile import Profile
from familiar_app.store.profile_swap import finish_exchange
from familiar_app.store.vault import Vault, vault_id
from familiar_app.store.whole_erasure import finish_whole_erasure

log = logging.getLogger(__name__)


class Application:
    """Implements `services.Gate` for one profile folder.

    `local_only` forces the mode on whatever the settings say; None follows the settings. `lasting` is for a vault that
    stays open: its search index is built in the background. With `discord`, those that are switched on are connected.
    """

    def __init__(
        self,
        profile: Profile,
        *,
        clock: Clock,
        tasks: TaskRegistry,
        local_only: bool | None = None,
        lasting: bool = False,
        discord: bool = False,
    ) -> None:
        self._profile = profile
        self._clock = clock
        self._tasks = tasks
        self._forced_local_only = local_only
        self._services: Services | None = None
        self._host: FamiliarHost | None = None
        self._contact_book: ContactBook | None = None
        self._lasting, self._discord = lasting, discord
        self._changing = asyncio.Lock()
        self._finish_erasure()
        if finish_exchange(profile.root):
            log.warning("the restoring of a backup was cut off, and is complete now")
        self._lore_library = LoreLibrary()

    @property
    def state(self) -> GateState:
        if self._services is not None:
            return "open"
        return "locked" if self._profile.exists() else "new"

    @property
    def profile(self) -> Profile:
        return self._profile

    @property
    def local_only(self) -> bool:
        """Whether nothing outside may be reached, also where no vault is open."""
        if self._services is not None:
            return self._services.network.local_only
        return bool(self._forced_local_only) or self._profile.settings().local_only

    @property
    def services(self) -> Services:
        if self._services is None:
            raise LockedError(tr("The vault is not open."), tr("Unlock it first."))
        return self._services

    async def create(self, passphrase: str, familiar: NewFamiliar, *, recovery_code: str, remember: bool) -> Services:
        async with self._changing:
            if self.state != "new":
                raise UserError(
                    tr("There is a vault in this profile already."), tr("Unlock it, or choose another folder.")
                )
            # What an erased profile could not get rid of must be gone before there is anything new beside it.
            await asyncio.to_thread(finish_whole_erasure, self._profile.root)
            own = roster.checked_settings(familiar)
            self._profile.settings()
            vault = await Vault.create(
                self._profile.vault_path, passphrase, recovery_code=recovery_code, clock=self._clock
            )
            try:
                services = await self._build(vault)
                await roster.add(services, self._host_of_open(), familiar, own)
            except BaseException:
                await self._discard(vault)
                raise
            self._begin(services)
            if remember:
                await self._try_to_remember(vault)
            return services

    async def unlock(
        self, *, passphrase: str | None = None, recovery_code: str | None = None, keyring: bool = False
    ) -> Services:
        async with self._changing:
            if self._services is not None:
                return self._services
            # A vault that is being erased is not damaged: what keeps it from being gone is what has to be told.
            await asyncio.to_thread(finish_whole_erasure, self._profile.root)
            key = await asyncio.to_thread(self._key_from_keyring) if keyring else None
            vault = await Vault.open(
                self._profile.vault_path,
                clock=self._clock,
                passphrase=passphrase,
                recovery_code=recovery_code,
                data_key=key,
            )
            try:
                # Nothing may show what was being erased when the program ended.
                await vault.erasure.resume()
                await roster.finish_removals(vault, self._profile)
                services = await self._build(vault)
            except BaseException:
                await vault.close()
                raise
            return self._begin(services)

    async def add_familiar(self, familiar: NewFamiliar) -> Hosted:
        async with self._changing:
            own = roster.checked_settings(familiar)
            return await roster.add(self.services, self._host_of_open(), familiar, own)

    async def reload_familiar(self, familiar: FamiliarId) -> Hosted:
        async with self._changing:
            services, host = self.services, self._host_of_open()
            hosted = await host.host_again(familiar)
            services.familiars[familiar] = hosted
            services.broken.pop(familiar, None)
            if services.discord is not None:
                services.discord.renew(familiar)
            await host.let_go_of_unused()
            return hosted

    async def plan_to_remove(self, familiar: FamiliarId, *, last: bool = False) -> ErasurePlan:
        services = self.services
        target = await asyncio.to_thread(roster.to_erase, self._profile, familiar, last=last)
        return await services.vault.erasure.plan(target)

    async def remove_familiar(
        self, familiar: FamiliarId, progress: Callable[[float], None] | None = None, *, last: bool = False
    ) -> Receipt:
        async with self._changing:
            receipt = await roster.remove(self.services, familiar, progress, last=last)
            await self._host_of_open().let_go_of_unused()
            return receipt

    async def set_local_only(self, on: bool) -> None:
        await asyncio.to_thread(self._profile.save_settings, {"local_only": on})
        if self._services is not None:
            self._services.network.local_only = on or bool(self._forced_local_only)
            if self._services.discord is not None and not self._services.network.local_only:
                await self._services.discord.try_failed()

    async def remember_key(self, on: bool) -> None:
        """Keep a copy of the open vault's key in the system's keyring, or take it away, and set it so."""
        vault = self.services.vault
        if on:
            await self._remember(vault)
            return
        await asyncio.to_thread(self._profile.save_settings, {"remember_key": False})
        await asyncio.to_thread(keyring.forget, vault.id)

    async def close(self) -> None:
        async with self._changing:
            services, self._services = self._services, None
            host, self._host = self._host, None
            if services is None:
                return
            try:
                await self._close_parts(services, host)
            finally:
                await services.vault.close()

    async def _close_parts(self, services: Services, host: FamiliarHost | None) -> None:
        """Close what stands on the vault."""
        if services.discord is not None:
            await services.discord.close()
        late = await self._tasks.cancel(services)
        if late:
            log.warning("%d tasks did not end in time", len(late))
        if host is not None:
            await host.close()
        if self._contact_book is not None:
            await self._contact_book.save()

    async def _build(self, vault: Vault) -> Services:
        settings = self._profile.settings()
        local_only = settings.local_only if self._forced_local_only is None else self._forced_local_only
        self._contact_book = ContactBook(vault, self._clock)
        await self._contact_book.load()
        network = NetworkPolicy(local_only=local_only, contacts=self._contact_book.contacts)
        services = Services(self._profile, vault, self._clock, self._tasks, network)
        host = self._host = FamiliarHost(services, self._lore_library, lasting=self._lasting)
        for familiar in self._profile.familiars():
            try:
                services.familiars[familiar] = await host.host(familiar)
            except FamiliarError as error:
                log.warning("familiar %s could not be loaded", familiar, exc_info=error)
                services.broken[familiar] = error
        if self._discord:
            services.discord = build_hub(services)
        return services

    def _begin(self, services: Services) -> Services:
        """Hand out what was built, and begin what goes on by itself."""
        self._services = services
        if self._lasting:
            self._tasks.start(services.backups.run(), name="backups", owner=services)
            if self._contact_book is not None:
                self._tasks.start(self._contact_book.run(), name="contacts", owner=services)
        if services.discord is not None:
            self._tasks.start(services.discord.begin(), name="Discord", owner=services)
        return services

    def _finish_erasure(self) -> None:
        """Complete the erasure of the whole profile where one was cut off."""
        try:
            if finish_whole_erasure(self._profile.root):
                log.warning("the erasure of the profile was cut off, and is complete now")
        except FamiliarError as error:
            log.warning("the erasure of the profile could not be completed yet", exc_info=error)

    def _host_of_open(self) -> FamiliarHost:
        if self._host is None:
            raise LockedError(tr("The vault is not open."), tr("Unlock it first."))
        return self._host

    def _key_from_keyring(self) -> bytes:
        key = keyring.load(vault_id(self._profile.vault_path))
        if key is None:
            raise LockedError(tr("This computer's keyring has no key for this vault."), tr("Type the passphrase."))
        return key

    async def _try_to_remember(self, vault: Vault) -> None:
        """Give the keyring its copy. The vault is made by now: a failure here must not look like a failed one."""
        try:
            await self._remember(vault)
        except (OutsideError, UserError) as error:
            log.warning("the keyring took no copy of the key", exc_info=error)

    async def _remember(self, vault: Vault) -> None:
        await asyncio.to_thread(keyring.save, vault.id, vault.data_key())
        await asyncio.to_thread(self._profile.save_settings, {"remember_key": True})

    async def _discard(self, vault: Vault) -> None:
        """Take back a vault that was made a moment ago and never handed out."""
        if self._host is not None:
            await self._host.close()
            self._host = None
        await vault.discard()
