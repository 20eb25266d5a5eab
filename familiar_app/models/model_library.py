"""Downloads under way and the models that are here, for as long as the program runs: panels come and go meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import CatalogueModel, ModelSource, source_from_url
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr
from familiar_app.models.download import Download
from familiar_app.models.download_part import discard_part
from familiar_app.models.download_progress import Fetched, Progress
from familiar_app.models.model_shelf import ModelShelf
from familiar_app.models.network import NetworkPolicy

Listener = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Running:
    """A download that goes on."""

    source: ModelSource
    progress: Progress


@dataclass(frozen=True, slots=True)
class Failed:
    """A download that ended with an error; it can be begun again with its source."""

    source: ModelSource
    error: FamiliarError


class ModelLibrary:
    """Fetches models one beside the other. Listeners hear the name of the file whose state is another now.

    `network` gives the policy in force: that of the open vault, or of the settings where none is open yet.
    """

    def __init__(
        self,
        profile_dir: Path,
        catalogue: Sequence[CatalogueModel],
        network: Callable[[], NetworkPolicy],
        tasks: TaskRegistry,
    ) -> None:
        self.shelf = ModelShelf(profile_dir)
        self.catalogue = tuple(catalogue)
        self._network, self._tasks = network, tasks
        self.running: dict[str, Running] = {}
        self.failed: dict[str, Failed] = {}
        self.fetched: dict[str, Fetched] = {}
        self._work: dict[str, asyncio.Task[None]] = {}
        self._listeners: list[Listener] = []

    def watch(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def unwatch(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    @property
    def local_only(self) -> bool:
        return self._network().local_only

    def begin(self, source: ModelSource, *, anyway: bool = False) -> None:
        """Fetch a model, or go on with it; with `anyway` also where it would never run here.

        Raises RefusedByLocalOnlyError before anything is begun.
        """
        self._network().check(source.url)
        if source.file in self._work:
            return
        self.failed.pop(source.file, None)
        self.running[source.file] = Running(source, Progress("asking", source.host))
        self._work[source.file] = self._tasks.start(
            self._fetch(source, anyway), name=f"fetch {source.file}", owner=self
        )
        self._tell(source.file)

    def begin_again(self, file: str, url: str) -> None:
        """Go on with a download of an earlier day. Raises BadInputError, RefusedByLocalOnlyError."""
        known = next((one for one in self.catalogue if one.url == url), None)
        source = source_from_url(url)
        self.begin(replace(source, file=file, about_bytes=known.about_bytes if known is not None else None))

    def stop(self, file: str) -> None:
        """Stop fetching; what came so far stays."""
        work = self._work.get(file)
        if work is not None:
            work.cancel()

    async def discard(self, file: str) -> None:
        """Throw away what was begun of a file."""
        self.stop(file)
        work = self._work.get(file)
        if work is not None:
            await asyncio.wait([work])
        self.failed.pop(file, None)
        await asyncio.to_thread(discard_part, self.shelf.folder, file)
        self._tell(file)

    async def remove(self, file: str, configs: Mapping[FamiliarId, CharacterConfig]) -> None:
        """Delete a model. Raises UserError where a familiar uses it."""
        check_unused(self.shelf.path_of(file), configs, self.shelf.folder.parent)
        await asyncio.to_thread(self.shelf.remove, file)
        self.fetched.pop(file, None)
        self._tell(file)

    async def close(self) -> None:
        """Stop everything; it can be gone on with another day."""
        await self._tasks.cancel(self)

    async def _fetch(self, source: ModelSource, anyway: bool) -> None:
        def report(progress: Progress) -> None:
            self.running[source.file] = Running(source, progress)
            self._tell(source.file)

        try:
            download = Download(self._network(), self.shelf.folder, source, report, check_memory=not anyway)
            self.fetched[source.file] = await download.run()
        except FamiliarError as error:
            self.failed[source.file] = Failed(source, error)
        finally:
            self.running.pop(source.file, None)
            self._work.pop(source.file, None)
            self._tell(source.file)

    def _tell(self, file: str) -> None:
        for listener in tuple(self._listeners):
            listener(file)


def users_of(path: Path, configs: Mapping[FamiliarId, CharacterConfig], base_dir: Path) -> list[FamiliarId]:
    """Return the familiars one of whose models is this file."""
    return [id_ for id_, config in configs.items() if path.resolve() in _files(config, base_dir)]


def check_unused(path: Path, configs: Mapping[FamiliarId, CharacterConfig], base_dir: Path) -> None:
    """Raise UserError where a familiar's model is this file."""
    users = users_of(path, configs, base_dir)
    if users:
        raise UserError(
            tr("This model is used by {names}.", names=", ".join(users)), tr("Choose another model there first.")
        )


def _files(config: CharacterConfig, base_dir: Path) -> Iterable[Path]:
    for slot in (config.models.prose, config.models.background):
        if slot.provider == "llama_cpp":
            yield (base_dir / Path(slot.model).expanduser()).resolve()
