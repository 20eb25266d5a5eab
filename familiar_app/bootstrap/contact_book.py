"""Keeps the note of who was spoken to in the vault: read when it is opened, written now and then and at the end."""

from __future__ import annotations

import asyncio

from familiar_app.domain.clock import Clock
from familiar_app.domain.contact import Contacts
from familiar_app.store.vault import Vault

STATE_KEY = "network.contacts"
SAVE_EVERY_S = 20.0


class ContactBook:
    """The contacts of one open vault."""

    def __init__(self, vault: Vault, clock: Clock) -> None:
        self._vault = vault
        self.contacts = Contacts(clock)
        self._saved = 0

    async def load(self) -> None:
        """Read what was noted before."""
        self.contacts.take(await self._vault.state.get(STATE_KEY))

    async def run(self) -> None:
        """Store what is new, until this is cancelled."""
        while True:
            await asyncio.sleep(SAVE_EVERY_S)
            await self.save()

    async def save(self) -> None:
        """Store what is new; a program that spoke to nobody writes nothing."""
        version = self.contacts.version
        if version != self._saved:
            await self._vault.state.set(STATE_KEY, self.contacts.to_json())
            self._saved = version
