"""What every command works with: its arguments, the gate, the output; and how it opens the vault."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from familiar_app.cli import passphrase
from familiar_app.cli.endpoint_note import name_endpoints
from familiar_app.cli.output import Output
from familiar_app.domain.errors import BugError, FamiliarError, UsageError, UserError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, is_local
from familiar_app.domain.turn import Channel, ChannelSummary
from familiar_app.services import Gate, Hosted, Services


class CommandFailedError(FamiliarError):
    """An error that happened half-way; `details` tells scripts what was done all the same."""

    def __init__(self, cause: FamiliarError, done: str, details: Mapping[str, Any]) -> None:
        super().__init__(f"{cause.message} {done}".strip(), cause.next_step)
        self.exit_code = cause.exit_code
        self.kind = cause.kind
        self.details = details


@dataclass(slots=True)
class Command:
    """One run of one command."""

    args: argparse.Namespace
    gate: Gate
    out: Output
    _used: FamiliarId | None = field(default=None, init=False)

    async def open(self) -> Services:
        """Open the vault with what the options, the environment, the keyring or the person give."""
        if self.gate.state == "new":
            raise UserError(
                f"There is no profile in {self.gate.profile.root}.",
                "Make one with 'familiar init', or name another folder with --profile-dir.",
            )
        if self.gate.state == "open":
            return self.gate.services
        services = await passphrase.unlock(self.gate, self.args.passphrase_file, self.out)
        if self._used is not None:
            self._remember(self._used)
        await name_endpoints(services, self.out)
        return services

    def familiar(self) -> FamiliarId:
        """Return the familiar that is meant: the named one, the only one, else the one used last.

        It is the one used last from now on. Only whoever holds the vault writes that down: a window that is open
        beside this command has its own.
        """
        self._used = self._chosen()
        if self.gate.state == "open":
            self._remember(self._used)
        return self._used

    def _remember(self, familiar: FamiliarId) -> None:
        if self.gate.profile.settings().last_familiar != familiar:
            self.gate.profile.save_settings({"last_familiar": familiar})

    def _chosen(self) -> FamiliarId:
        profile = self.gate.profile
        known = profile.familiars()
        if not known:
            raise UserError("There is no familiar in this profile.", "Make one with 'familiar init'.")
        if self.args.familiar is not None:
            chosen = FamiliarId(self.args.familiar)
            if chosen not in known:
                raise UserError("There is no familiar with this id.", f"There are: {', '.join(known)}.")
            return chosen
        if len(known) == 1:
            return known[0]
        last = profile.settings().last_familiar
        if last in known:
            return last
        raise UsageError("There are several familiars.", f"Name one with --familiar: {', '.join(known)}.")

    def hosted(self, services: Services) -> Hosted:
        """Return the familiar that is meant, ready to talk. Raises what kept it from being loaded."""
        chosen = self.familiar()
        if chosen in services.familiars:
            return services.familiars[chosen]
        if chosen in services.broken:
            raise services.broken[chosen]
        raise BugError(f"The familiar {chosen} was not loaded.")

    async def find_channel(self, services: Services, name: str) -> Channel:
        """Return an existing channel by its key. Raises UserError where the familiar has none of that name."""
        key = ChannelKey(name)
        channel = await services.vault.channels.find(key, familiar=self.familiar() if is_local(key) else None)
        if channel is None:
            raise UserError("There is no channel of this name.", "'familiar status' lists the channels.")
        return channel

    async def channel_or_new(self, services: Services, name: str) -> Channel:
        """Return the channel; a local one that does not exist yet is only made up, since nothing may be stored."""
        key = ChannelKey(name)
        familiar = self.familiar()
        if is_local(key) and await services.vault.channels.find(key, familiar=familiar) is None:
            return Channel(id=ChannelId(0), key=key, familiar=familiar, title=key)
        return await self.find_channel(services, name)


async def heard(services: Services, familiar: FamiliarId) -> list[ChannelSummary]:
    """Return the familiar's own channels and those it hears, archived ones too."""
    channels = services.vault.channels
    return [*await channels.list(familiar), *await channels.list(familiar, archived=True)]
