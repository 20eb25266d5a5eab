"""The names by which `--model` and `model get` know models: those of the catalogue, files that are here, addresses."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.model_catalogue import (
    CatalogueModel,
    ModelSource,
    find_model,
    read_catalogue,
    source_from_url,
    source_of,
)
from familiar_app.models.model_shelf import FOLDER, ModelShelf
from familiar_app.store.resource import resource


def shipped_catalogue() -> tuple[CatalogueModel, ...]:
    """Return the models that can be fetched."""
    return read_catalogue(resource("models", "catalogue.toml").read_text(encoding="utf-8"))


def wanted_source(word: str, shelf: ModelShelf) -> ModelSource:
    """Return where a named model, one that was begun, or an address is fetched from. Raises BadInputError."""
    model = find_model(shipped_catalogue(), word)
    if model is not None:
        return source_of(model)
    begun = next((one for one in shelf.unfinished() if one.file == word), None)
    if begun is not None:
        return source_from_url(begun.url)
    if "://" in word:
        return source_from_url(word)
    raise BadInputError("no model has this name.", field="model", next_step="'familiar model list' lists the models.")


def wanted_file(word: str) -> str:
    """Return the name of the file that a name means."""
    model = find_model(shipped_catalogue(), word)
    return model.file if model is not None else word


def named_spec(word: str, profile_dir: Path) -> str | None:
    """Return the SPEC that a model's name stands for, None where it is no name.

    The file is named below the profile, so that a profile can be moved. Raises BadInputError where it is not here.
    """
    model, shelf = find_model(shipped_catalogue(), word), ModelShelf(profile_dir)
    if model is None:
        here = any(one.file == word.strip() for one in shelf.models())
        return f"gguf:{FOLDER}/{word.strip()}" if here else None
    if not shelf.path_of(model.file).is_file():
        raise BadInputError(
            "this model is not here yet.", field="model", next_step=f"Fetch it with 'familiar model get {model.name}'."
        )
    return f"gguf:{FOLDER}/{model.file}"
