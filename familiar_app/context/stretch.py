"""Which turns of a channel a prompt may show: up to where, as of when, and which not."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.context.history_line import is_shown
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.turn import Turn
from familiar_app.store.turn_then import Then
from familiar_app.store.vault import Vault


@dataclass(frozen=True, slots=True)
class Stretch:
    """The turns of a channel up to `until` (inclusive; None: the newest) and a `pending` one that is not stored.

    With `then` they are those of an earlier moment; `without` are left out.
    """

    channel: ChannelId
    until: TurnId | None = None
    pending: Turn | None = None
    then: Then | None = None
    without: frozenset[int] = frozenset()

    @property
    def end(self) -> TurnId | None:
        """The first turn that does not belong to it by its number."""
        return None if self.until is None else TurnId(self.until + 1)

    def shows(self, turn: Turn) -> bool:
        """Tell whether there is anything of a turn to show here."""
        return is_shown(turn) and turn.id not in self.without

    async def before(self, vault: Vault, edge: TurnId | None, limit: int) -> list[Turn]:
        """Read the last turns before `edge` (None: the end), oldest first; those that are not shown too."""
        if self.then is None:
            return await vault.turns.page(self.channel, before=edge, limit=limit)
        return await vault.turns.page_then(self.channel, self.then, before=edge, limit=limit)

    async def later(self, vault: Vault, limit: int) -> list[Turn]:
        """Read the turns behind `until`, among which are answers to earlier ones that were made again."""
        if self.until is None:
            return []
        if self.then is None:
            return await vault.turns.page(self.channel, after=self.until, limit=limit)
        return await vault.turns.page_then(self.channel, self.then, after=self.until, limit=limit)
