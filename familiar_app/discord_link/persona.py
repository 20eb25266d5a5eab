"""The personas of one connection: for each familiar that shares the account, what speaks in its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.client import GatewayClient
from familiar_app.discord_link.webhook import Mask, Persona
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId


@dataclass
class Personas:
    """Made when they first speak. `picture` gives a familiar's picture, `note` is told what a persona may not do."""

    picture: Callable[[FamiliarId], bytes | None]
    note: Callable[[FamiliarError], object]
    _known: dict[FamiliarId, Persona] = field(default_factory=dict)

    def of(self, conversation: Conversation, client: GatewayClient) -> Persona:
        """Return the persona of a familiar over a connection; it lasts until `clear`."""
        familiar = conversation.familiar
        if familiar not in self._known:
            way, picture = conversation.config.discord.persona, partial(self.picture, familiar)
            mask = Mask(familiar, conversation.name, way, picture)
            self._known[familiar] = Persona(client, conversation.vault, mask, self.note)
        return self._known[familiar]

    def try_again(self) -> None:
        """Ask for webhooks again where none could be made."""
        for persona in self._known.values():
            persona.try_again()

    def clear(self) -> None:
        """Let go of all of them; their connection is gone."""
        self._known.clear()
