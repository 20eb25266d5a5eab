"""What happens while nobody looks: replies and reminders in local channels, and failures that need the owner. No Qt.

What is told of it holds neither names nor words unless both the settings and an uncovered window allow them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.alarm import ALARM_DUE
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId, is_local
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.turn import Role, Turn

if TYPE_CHECKING:
    from familiar_app.services import Services
    from familiar_app.store.backup_keeper import BackupState

Kind = Literal["reply", "reminder", "discord", "backup", "locked"]
GATHER_S = 0.4
LOOKED_AT = 20
LONGEST_CHARS = 160
LONG_AGO_S = 600
_PLAIN: dict[Kind, tuple[str, str]] = {
    "reply": ("Familiar", tr_later("There is a reply.")),
    "reminder": ("Familiar", tr_later("A reminder is due.")),
    "discord": (tr_later("Discord needs you"), tr_later("A familiar is no longer connected.")),
    "backup": (tr_later("A backup failed"), tr_later("Open Familiar to see why.")),
    "locked": (tr_later("Familiar is locked"), tr_later("It waits for the passphrase.")),
}


@dataclass(frozen=True, slots=True)
class Happening:
    """`panel` and `key` are where it is seen; `familiar` is whose it is, None for nobody's."""

    kind: Kind
    panel: str = ""
    key: str = ""
    familiar: FamiliarId | None = None
    name: str = ""
    text: str = ""

    def told(self, *, words: bool) -> tuple[str, str]:
        """Return heading and text of a notification; with `words`, who said what."""
        heading, plain = map(tr, _PLAIN[self.kind])
        if not words or not self.text:
            return heading, plain
        line = " ".join(self.text.split())
        short = line if len(line) <= LONGEST_CHARS else f"{line[: LONGEST_CHARS - 1]}…"
        return self.name or heading, short


class Happenings:
    """Watches one open vault. `tell` is called with everything that happens; `run` goes on until it is cancelled."""

    def __init__(self, services: Services, tell: Callable[[Happening], object]) -> None:
        self._services, self._tell = services, tell
        self._since = services.clock.now()
        self._seen: set[TurnId] = set()
        self._grown = asyncio.Event()
        self._failed: set[FamiliarId] = set()
        self._backup_failed = False
        self._stops: list[Callable[[], object]] = []

    async def run(self) -> None:
        """Watch, and look at the log shortly after it has grown."""
        turns = self._services.vault.turns
        turns.watch(self._note)
        self._stops.append(self._services.backups.listen(self._backup))
        if self._services.discord is not None:
            self._stops.append(self._services.discord.listen(self._discord))
        try:
            while True:
                await self._grown.wait()
                # What is written comes in bursts; one look serves them all.
                await asyncio.sleep(GATHER_S)
                self._grown.clear()
                await self._look()
        finally:
            turns.unwatch(self._note)
            for stop in self._stops:
                stop()

    async def look(self) -> None:
        """Tell what the familiars have said in local channels since the last look."""
        fresh: list[Turn] = []
        for familiar in list(self._services.familiars):
            for summary in await self._services.vault.channels.list(familiar):
                if is_local(summary.channel.key):
                    fresh += await self._fresh(summary.channel.id)
        for turn in sorted(fresh, key=lambda one: one.id):
            self._seen.add(turn.id)
            if turn.familiar in self._services.familiars:
                await self._tell_turn(turn, turn.familiar)
        self._since = max([self._since, *(turn.arrived_at for turn in fresh)])

    async def _look(self) -> None:
        try:
            await self.look()
        except FamiliarError:
            # The vault is being closed, or its panel tells of the failure: a notification more helps nobody.
            return

    async def _fresh(self, channel: ChannelId) -> Sequence[Turn]:
        page = await self._services.vault.turns.page(channel, limit=LOOKED_AT)
        return [one for one in page if self._counts(one) and one.id not in self._seen]

    def _counts(self, turn: Turn) -> bool:
        """Tell whether a turn was said just now by a familiar; what is imported was not."""
        said = turn.role is Role.ASSISTANT and (turn.trace is not None or turn.answers is not None)
        return said and turn.arrived_at >= self._since and not _imported(turn)

    async def _tell_turn(self, turn: Turn, familiar: FamiliarId) -> None:
        asked = None if turn.answers is None else await self._services.vault.turns.get(turn.answers)
        kind: Kind = "reminder" if asked is not None and asked.mode == ALARM_DUE else "reply"
        name = self._services.familiars[familiar].name
        self._tell(Happening(kind, "chat", str(turn.channel), familiar, name, turn.content))

    def _note(self, _: Sequence[TurnId]) -> None:
        self._grown.set()

    def _backup(self, state: BackupState) -> None:
        failed = state.failure is not None
        if failed and not self._backup_failed:
            self._tell(Happening("backup", "backups"))
        self._backup_failed = failed

    def _discord(self, familiar: FamiliarId) -> None:
        hub = self._services.discord
        hosted = self._services.familiars.get(familiar)
        if hub is None or hosted is None:
            return
        standing = hub.of(familiar)
        # That local-only refuses a connection is the owner's own wish.
        failed = standing.on and standing.status.need in ("token", "intent", "again")
        if failed and familiar not in self._failed:
            self._tell(Happening("discord", "discord", "", familiar, hosted.name, standing.status.trouble))
        (self._failed.add if failed else self._failed.discard)(familiar)


def _imported(turn: Turn) -> bool:
    """Tell whether a turn came in long after it was said."""
    return abs((turn.arrived_at - turn.at).total_seconds()) > LONG_AGO_S
