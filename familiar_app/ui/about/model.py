"""What the page about the program shows, and the diagnostics that are copied: no names, paths or words. Knows no Qt."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Sequence
from typing import TYPE_CHECKING

from familiar_app import __version__
from familiar_app.domain.text import in_english, tr, tr_later
from familiar_app.store import schema
from familiar_app.ui.kit.date_text import long_date
from familiar_app.ui.kit.desktop import Build, Desktop, Library

if TYPE_CHECKING:
    from familiar_app.services import Services

UPDATES = tr_later("Familiar does not look for new versions: it connects to nothing that you have not set up.")


class AboutModel:
    """`build` and `shown` are filled by `load`."""

    def __init__(self, services: Services, desktop: Desktop) -> None:
        self._services, self._desktop = services, desktop
        self.build: Build | None = None
        self.query = ""

    async def load(self) -> None:
        """Read which libraries there are, once."""
        if self.build is None:
            self.build = await asyncio.to_thread(self._desktop.build)

    @property
    def shown(self) -> Sequence[Library]:
        """The libraries in whose name or licence every word of the search occurs."""
        words = self.query.casefold().split()
        every = () if self.build is None else self.build.libraries
        return [one for one in every if all(word in f"{one.name} {one.licence}".casefold() for word in words)]

    @property
    def version(self) -> str:
        """The version, and from when it is where it was packed."""
        if self.build is None:
            return __version__
        packed = self.build.packed
        if packed is None:
            return tr("{version}, run from its sources", version=__version__)
        return tr("{version}, packed on {date}", version=__version__, date=long_date(packed))

    def facts(self, qt: str) -> list[tuple[str, str]]:
        """Return what stands at the top, as pairs of a name and a value."""
        profile = self._services.profile
        root = str(profile.root)
        if self._desktop.portable:
            root = tr("{folder} (portable, beside the program)", folder=root)
        return [
            (tr("Version"), self.version),
            (tr("Runs on"), f"Python {platform.python_version()}, Qt {qt}, {_system()}"),
            (tr("Profile"), root),
            (tr("Log"), str(profile.log_dir)),
        ]

    async def diagnostics(self, qt: str) -> str:
        """Return what helps to find a fault: versions, counts and switches, in English for whoever helps."""
        services = self._services
        index = services.vault.index.status
        lines = [
            f"Familiar {in_english(self.version)}",
            f"Python {platform.python_version()}, Qt {qt}, {_system()}, {platform.machine()}",
            f"portable: {_yes(self._desktop.portable)}; local only: {_yes(services.network.local_only)}",
            f"vault: schema {schema.VERSION}, {await services.vault.turns.count()} turns",
            f"index: {index.state}, {index.indexed} of {index.total}",
            f"familiars: {len(services.familiars)} loaded, {len(services.broken)} not loaded",
        ]
        for number, one in enumerate(services.familiars.values(), 1):
            places = "here" if one.prose.info.local else "elsewhere"
            slots = f"{one.config.models.prose.provider}, {one.config.models.background.provider}"
            lines.append(f"familiar {number}: models {slots}; replies come from {places}")
        if self.build is not None:
            lines.append(f"libraries: {', '.join(f'{one.name} {one.version}' for one in self.build.libraries)}")
        return "\n".join(lines)


def _system() -> str:
    return f"{platform.system()} {platform.release()}"


def _yes(on: bool) -> str:
    return "yes" if on else "no"
