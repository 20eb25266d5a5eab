"""The models of a computer as `model list` prints them: those at hand, those begun, those that can be fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from familiar_app.domain.amount import left_text, size_text
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import CatalogueModel
from familiar_app.domain.model_spec import BUNDLED_MODEL
from familiar_app.domain.settings import CharacterConfig
from familiar_app.models.bundled import BUNDLED_NAME, bundled_model_path
from familiar_app.models.discovery import FoundServer
from familiar_app.models.download_part import Unfinished
from familiar_app.models.download_progress import Progress
from familiar_app.models.model_library import users_of
from familiar_app.models.model_shelf import ModelShelf, ShelvedModel, fits_memory

_AT_HAND = ("spec", "name", "where", "weak", "state", "file", "size_bytes", "memory_bytes", "fits_memory", "used_by")
_OF_CATALOGUE = ("title", "maker", "licence", "parameters", "page", "good", "bad")
_KEYS = (*_AT_HAND, "done_bytes", "problem", *_OF_CATALOGUE)


def _shape(**known: Any) -> dict[str, Any]:
    return {key: known.get(key) for key in _KEYS}


def bundled_shape() -> list[dict[str, Any]]:
    """Return the bundled model, where it is installed."""
    try:
        path = bundled_model_path()
    except OutsideError:
        return []
    size = path.stat().st_size
    return [
        _shape(
            spec=BUNDLED_MODEL,
            name=BUNDLED_NAME,
            where="comes with the program",
            weak=True,
            state="here",
            size_bytes=size,
            licence="Apache-2.0",
            maker="Hugging Face",
            parameters="135 million",
        )
    ]


def server_shapes(servers: Iterable[FoundServer]) -> list[dict[str, Any]]:
    """Return the models of the servers that run on this computer."""
    return [
        _shape(spec=f"openai:{server.base_url}#{name}", name=name, where=server.kind, state="served")
        for server in servers
        for name in server.models
    ]


def shelf_shapes(
    shelf: ModelShelf, catalogue: Iterable[CatalogueModel], configs: Mapping[FamiliarId, CharacterConfig]
) -> list[dict[str, Any]]:
    """Return what is in the folder of models, then what was begun, then what can be fetched. Reads the folder."""
    known = {model.file: model for model in catalogue}
    here, begun = shelf.models(), shelf.unfinished()
    found = [_here(one, known.get(one.file), users_of(one.path, configs, shelf.folder.parent)) for one in here]
    found += [_begun(one, known.get(one.file)) for one in begun]
    present = {one.file for one in here} | {one.file for one in begun}
    return found + [_offered(model) for model in known.values() if model.file not in present]


def _here(one: ShelvedModel, model: CatalogueModel | None, users: list[FamiliarId]) -> dict[str, Any]:
    fits = None if one.memory_bytes is None else fits_memory(one.memory_bytes)
    return _shape(
        **_of_catalogue(model),
        spec=f"gguf:{one.path}",
        name=model.name if model else one.file,
        where="in the profile's folder of models",
        state="broken" if one.problem else "here",
        file=one.file,
        size_bytes=one.size_bytes,
        memory_bytes=one.memory_bytes,
        fits_memory=fits,
        used_by=users,
        problem=one.problem or None,
    )


def _begun(one: Unfinished, model: CatalogueModel | None) -> dict[str, Any]:
    return _shape(
        **_of_catalogue(model),
        name=model.name if model else one.file,
        where="begun to be fetched",
        state="begun",
        file=one.file,
        size_bytes=one.size_bytes,
        done_bytes=one.done_bytes,
    )


def _offered(model: CatalogueModel) -> dict[str, Any]:
    return _shape(
        **_of_catalogue(model),
        name=model.name,
        where="can be fetched",
        state="offered",
        file=model.file,
        size_bytes=model.about_bytes,
        memory_bytes=model.memory_bytes,
        fits_memory=fits_memory(model.memory_bytes),
    )


def _of_catalogue(model: CatalogueModel | None) -> dict[str, Any]:
    return {key: getattr(model, key) for key in _OF_CATALOGUE} if model is not None else {}


def model_line(one: Mapping[str, Any]) -> str:
    """Write one model on one line."""
    if one["state"] == "served":
        return f"{one['spec']}  ({one['where']})"
    if one["state"] == "begun":
        whole = f" of {size_text(one['size_bytes'])}" if one["size_bytes"] else ""
        return f"{one['name']}  ({size_text(one['done_bytes'])}{whole} fetched; 'model get {one['name']}' goes on)"
    size = size_text(one["size_bytes"])
    memory = f", needs {size_text(one['memory_bytes'])} of memory" if one["memory_bytes"] else ""
    short = ", which this computer does not have" if one["fits_memory"] is False else ""
    if one["state"] == "offered":
        return f"{one['name']}  {one['title']}: {one['licence']}, about {size}{memory}{short}"
    used = f", used by {', '.join(one['used_by'])}" if one["used_by"] else ""
    problem = f", cannot be used: {one['problem']}" if one["problem"] else ""
    return f"{one['spec']}  ({one['where']}, {size}{memory}{short}{used}{problem})"


def progress_text(step: Progress) -> str:
    """Write how far a download is."""
    done = size_text(step.done_bytes)
    if step.phase == "asking":
        return f"Asking {step.host} for size and checksum…"
    if step.phase == "waiting":
        return f"{done} fetched; the connection broke off, trying again…"
    if step.phase == "checking":
        return f"Checking {size_text(step.total_bytes or 0)}: {step.part or 0:.0%}"
    if step.phase == "done":
        return f"{done} fetched"
    whole = f" of {size_text(step.total_bytes)}" if step.total_bytes else ""
    left = f", {left_text(step.left_s)}" if step.left_s is not None else ""
    speed = f", {size_text(step.bytes_per_s)}/s" if step.bytes_per_s else ""
    return f"{done}{whole} from {step.host}{speed}{left}"
