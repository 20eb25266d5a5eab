"""The models of this computer as rows: those that are here, under way, begun, and on offer. Knows no Qt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from familiar_app.domain.amount import left_text, size_text
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import CatalogueModel, ModelSource, source_from_url, source_of
from familiar_app.domain.model_spec import BUNDLED_MODEL
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later
from familiar_app.models.bundled import BUNDLED_NAME
from familiar_app.models.download_part import Unfinished
from familiar_app.models.download_progress import Progress
from familiar_app.models.model_library import Failed, ModelLibrary, users_of
from familiar_app.models.model_shelf import FOLDER, ShelvedModel, fits_memory

RowState = Literal["bundled", "here", "broken", "running", "begun", "failed", "offered"]
GROUPS: tuple[tuple[str, tuple[RowState, ...]], ...] = (
    (tr_later("On this computer"), ("bundled", "here", "broken")),
    (tr_later("Being fetched"), ("running", "begun", "failed")),
    (tr_later("Can be fetched"), ("offered",)),
)
Configs = Callable[[], Mapping[FamiliarId, CharacterConfig]]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model. `facts` are short (size, memory, licence), `about` says what it is good and bad at.

    `warning` is what keeps it from running well, or an error. `part` is None where nobody knows how far it is.
    """

    state: RowState
    file: str
    title: str
    facts: str
    about: str = ""
    warning: str = ""
    step: str = ""
    part: float | None = None
    source: ModelSource | None = None
    page: str = ""
    used_by: tuple[FamiliarId, ...] = ()
    too_large: bool = False

    @property
    def stored_name(self) -> str:
        """What a familiar's settings call it: below the profile, so that a profile can be moved."""
        return f"{FOLDER}/{self.file}"


@dataclass
class ModelShelfModel:
    """What a ModelShelfView shows. `configs` gives the familiars' settings, to tell who uses a model, `name_of` a name.

    Listeners hear `rows` when the list is another, or a file's name when only its progress is.
    """

    library: ModelLibrary
    configs: Configs = dict
    name_of: Callable[[FamiliarId], str] = str
    rows: list[ModelRow] = field(default_factory=list)
    loaded: bool = False
    _listeners: list[Callable[[str], object]] = field(default_factory=list)
    _under_way: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.library.watch(self._heard)

    def watch(self, listener: Callable[[str], object]) -> None:
        self._listeners.append(listener)

    def close(self) -> None:
        """Hear no more."""
        self.library.unwatch(self._heard)
        self._listeners.clear()

    async def load(self) -> None:
        """Read the folder anew. Raises OutsideError."""
        shelf = self.library.shelf
        here, begun = await asyncio.to_thread(lambda: (shelf.models(), shelf.unfinished()))
        known = {model.file: model for model in self.library.catalogue}
        running, failed = self.library.running, self.library.failed
        rows = [self._bundled()]
        rows += [self._here(one, known.get(one.file)) for one in here]
        rows += [_running(file, known.get(file), one.progress) for file, one in running.items()]
        rows += [_failed(file, known.get(file), one) for file, one in failed.items() if file not in running]
        busy = {*running, *failed}
        rows += [_begun(one, known.get(one.file)) for one in begun if one.file not in busy]
        present = {row.file for row in rows}
        rows += [_offered(model) for model in known.values() if model.file not in present]
        self._under_way = frozenset(running)
        self.rows, self.loaded = rows, True
        self._tell("rows")

    def row(self, file: str) -> ModelRow | None:
        """Return a file's row as it is at this moment."""
        running = self.library.running.get(file)
        if running is not None:
            return _running(file, self._known(file), running.progress)
        return next((row for row in self.rows if row.file == file), None)

    def users_text(self, row: ModelRow) -> str:
        """Name the familiars that use a model."""
        return ", ".join(self.name_of(one) for one in row.used_by)

    def group(self, states: tuple[RowState, ...]) -> list[ModelRow]:
        return [row for row in self.rows if row.state in states]

    def fetch(self, row: ModelRow) -> None:
        """Fetch a model or go on with it; one that is too large was confirmed. Raises RefusedByLocalOnlyError."""
        if row.source is not None:
            self.library.begin(row.source, anyway=True)

    def fetch_address(self, address: str) -> None:
        """Fetch from an address of one's own. Raises BadInputError, RefusedByLocalOnlyError."""
        self.library.begin(source_from_url(address))

    async def remove(self, row: ModelRow) -> None:
        """Delete a model or what was begun of it. Raises UserError where a familiar uses it."""
        if row.state in ("here", "broken"):
            await self.library.remove(row.file, self.configs())
        else:
            await self.library.discard(row.file)
        await self.load()

    def _known(self, file: str) -> CatalogueModel | None:
        return next((model for model in self.library.catalogue if model.file == file), None)

    def _bundled(self) -> ModelRow:
        slots = {id_: (config.models.prose, config.models.background) for id_, config in self.configs().items()}
        return ModelRow(
            "bundled",
            "",
            BUNDLED_NAME,
            tr("98 MB · needs little memory · Apache-2.0"),
            tr("Comes with the program and works at once. It is weak: it loses the thread and makes things up."),
            used_by=tuple(id_ for id_, both in slots.items() if any(one.model == BUNDLED_MODEL for one in both)),
        )

    def _here(self, one: ShelvedModel, model: CatalogueModel | None) -> ModelRow:
        users = tuple(users_of(one.path, self.configs(), self.library.shelf.folder.parent))
        short = _short(one.memory_bytes)
        return ModelRow(
            "broken" if one.problem else "here",
            one.file,
            model.title if model is not None else one.file,
            _facts(size_text(one.size_bytes), one.memory_bytes, model),
            _about(model),
            one.problem[:1].upper() + one.problem[1:] if one.problem else short,
            page=model.page if model is not None else "",
            used_by=users,
            too_large=bool(short),
        )

    def _heard(self, file: str) -> None:
        self._tell(file if frozenset(self.library.running) == self._under_way else "changed")

    def _tell(self, what: str) -> None:
        for listener in tuple(self._listeners):
            listener(what)


def _running(file: str, model: CatalogueModel | None, step: Progress) -> ModelRow:
    title = model.title if model is not None else file
    return ModelRow("running", file, title, "", step=step_text(step), part=step.part)


def _failed(file: str, model: CatalogueModel | None, failed: Failed) -> ModelRow:
    title = model.title if model is not None else file
    return ModelRow("failed", file, title, "", warning=str(failed.error), source=failed.source)


def _begun(one: Unfinished, model: CatalogueModel | None) -> ModelRow:
    source = source_of(model) if model is not None and model.url == one.url else source_from_url(one.url)
    return ModelRow(
        "begun",
        one.file,
        model.title if model is not None else one.file,
        _here_text(one),
        part=one.done_bytes / one.size_bytes if one.size_bytes else None,
        source=source,
    )


def _here_text(one: Unfinished) -> str:
    done = size_text(one.done_bytes)
    if not one.size_bytes:
        return tr("{done} are here", done=done)
    return tr("{done} of {whole} are here", done=done, whole=size_text(one.size_bytes))


def _offered(model: CatalogueModel) -> ModelRow:
    short = _short(model.memory_bytes)
    facts = _facts(tr("about {size}", size=size_text(model.about_bytes)), model.memory_bytes, model)
    return ModelRow(
        "offered",
        model.file,
        model.title,
        facts,
        _about(model),
        short,
        source=source_of(model),
        page=model.page,
        too_large=bool(short),
    )


def _facts(size: str, memory_bytes: int | None, model: CatalogueModel | None) -> str:
    parts = [size, tr("needs {size} of memory", size=size_text(memory_bytes)) if memory_bytes else ""]
    if model is not None:
        parts += [tr("{n} parameters", n=tr(model.parameters)), model.licence, tr("by {maker}", maker=tr(model.maker))]
    return " · ".join(part for part in parts if part)


def _about(model: CatalogueModel | None) -> str:
    return f"{tr(model.good)} {tr(model.bad)}" if model is not None else ""


def _short(memory_bytes: int | None) -> str:
    if memory_bytes is None or fits_memory(memory_bytes) is not False:
        return ""
    return tr("This computer has too little memory for it.")


def step_text(step: Progress) -> str:
    """Say how far a download is."""
    done = size_text(step.done_bytes)
    match step.phase:
        case "asking":
            return tr("Asking {host} for size and checksum…", host=step.host)
        case "waiting":
            return tr("{done} are here. {host} broke off; trying again…", done=done, host=step.host)
        case "checking":
            return tr("Checking what came: {n}%", n=round((step.part or 0) * 100))
        case "done":
            return tr("{done} are here.", done=done)
    if step.total_bytes:
        came = tr("{done} of {whole} from {host}", done=done, whole=size_text(step.total_bytes), host=step.host)
    else:
        came = tr("{done} from {host}", done=done, host=step.host)
    speed = f"{size_text(step.bytes_per_s)}/s" if step.bytes_per_s else ""
    left = left_text(step.left_s) if step.left_s is not None else ""
    return " · ".join(part for part in (came, speed, left) if part)


def fetched_text(library: ModelLibrary, file: str) -> str:
    """Say what came of a download that ended well: whether it could be checked."""
    fetched = library.fetched.get(file)
    if fetched is None or fetched.was_here:
        return tr("{file} is here.", file=file)
    if fetched.checked:
        return tr("{file} is here, and its checksum is the one that the host gave.", file=file)
    return tr("{file} is here. The host gave no checksum, so it could not be checked.", file=file)
