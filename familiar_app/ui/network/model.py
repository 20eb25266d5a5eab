"""Whom the program speaks to, as the page shows it. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING

from familiar_app.discord_link.token import token_name
from familiar_app.domain.clock import local_time
from familiar_app.domain.reach import Connected, Reach, reaches
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.date_text import date_time

if TYPE_CHECKING:
    from familiar_app.services import Services

ON = tr_later(
    "Local only is on: the program connects to nothing but this computer. Everything else below is refused before a "
    "connection is made."
)
OFF = tr_later(
    "Local only is off: the program may connect to the hosts below, each for what is said beside it, and to nobody "
    "else. It sends no reports to anybody."
)


@dataclass
class NetworkModel:
    """What the page of the network shows."""

    services: Services
    zone: tzinfo
    rows: list[Reach] = field(default_factory=list)
    loaded: bool = False
    watch: Callable[[], object] = lambda: None

    @property
    def local_only(self) -> bool:
        return self.services.network.local_only

    @property
    def state_text(self) -> str:
        return tr(ON if self.local_only else OFF)

    async def load(self) -> None:
        """Look anew."""
        names = set(await self.services.vault.secrets.names())
        familiars = [
            Connected(one.name, one.config, token_name(one.id) in names) for one in self.services.familiars.values()
        ]
        contacts = self.services.network.contacts
        noted = contacts.newest_first() if contacts is not None else []
        self.rows, self.loaded = reaches(familiars, noted, local_only=self.local_only), True
        self.watch()

    async def forget(self) -> None:
        """Forget whom the program has spoken to."""
        if self.services.network.contacts is not None:
            self.services.network.contacts.clear()
        await self.load()


def allowed_text(one: Reach) -> tuple[str, str]:
    """Return the word for whether it may be spoken to now, and the role to show it in."""
    if one.here:
        return tr("this computer"), "good"
    return (tr("allowed"), "warning") if one.allowed else (tr("refused"), "good")


def history_text(one: Reach, zone: tzinfo) -> str:
    """Say when it was spoken to, and how often."""
    contact = one.contact
    if contact is None:
        return tr("Never spoken to.")
    first, last = (date_time(local_time(at, zone)) for at in (contact.first_at, contact.last_at))
    if not contact.count:
        said = tr("Never spoken to.")
    elif contact.count == 1:
        said = tr("Once, {last}.", last=last)
    else:
        said = ntr(
            "{n} connection or request, the last {last}, the first {first}.",
            "{n} connections or requests, the last {last}, the first {first}.",
            contact.count,
            last=last,
            first=first,
        )
    if not contact.refused:
        return said
    refused = ntr("Local only refused it once.", "Local only refused it {n} times.", contact.refused)
    return f"{said} {refused}"


def purpose_text(one: Reach) -> str:
    """Say what it is spoken to for, and by whom."""
    if not one.used_by:
        return tr(one.purpose)
    return tr("{purpose}, for {names}", purpose=tr(one.purpose), names=", ".join(one.used_by))
