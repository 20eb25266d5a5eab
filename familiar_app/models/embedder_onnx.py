"""A sentence embedding model as an ONNX file beside its `tokenizer.json`, run on the processor of this computer.

The form is that of fastembed's local models: mean of the last hidden states over the real tokens, scaled to length 1.
The runtime and the tokenizer are used directly; neither touches the network, and the runtime's telemetry is off. The
model is loaded at the first use, in the one thread that also runs it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from familiar_app.domain.embedding import Vector
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_TOKENS = 256
BATCH_TEXTS = 16
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxEmbedder:
    """One model from two files. `threads` is how many processor cores a batch may take."""

    def __init__(self, name: str, model: Path, tokenizer: Path, *, threads: int = 1) -> None:
        self._name = name
        self._model = model
        self._tokenizer = tokenizer
        self._threads = threads
        self._loaded: _Loaded | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embed")

    @property
    def name(self) -> str:
        return self._name

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each text. What is longer than 256 tokens is cut."""
        if not texts:
            return []
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._embed, list(texts))

    async def close(self) -> None:
        """Let the model go once what it is working on is done."""
        self._loaded = None
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        try:
            loaded = self._loaded = self._loaded or _load(self._model, self._tokenizer, self._threads)
            return _run(loaded, texts)
        except Exception as error:
            # Neither library raises anything narrower: a damaged file is a bare Exception to both.
            raise OutsideError(
                tr("The embedding model cannot be used."),
                tr("Check the folder of model and tokenizer, or switch the embedder off in the settings."),
            ) from error


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: Any
    session: Any
    inputs: frozenset[str]


def _load(model: Path, tokenizer: Path, threads: int) -> _Loaded:
    # Imported here: the runtime takes half a second, and most runs of the program need neither.
    import onnxruntime
    from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)
    words = Tokenizer.from_file(str(tokenizer))
    words.no_padding()
    words.enable_truncation(MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    inputs = frozenset(one.name for one in session.get_inputs())
    if not inputs <= _INPUTS:
        raise ValueError("the model asks for inputs that no tokenizer gives")
    return _Loaded(words, session, inputs)


def _run(loaded: _Loaded, texts: Sequence[str]) -> list[Vector]:
    """Embed texts in batches of about equal length, so that little is spent on padding."""
    encoded = [one.ids for one in loaded.tokenizer.encode_batch([_valid(text) for text in texts])]
    order = sorted(range(len(texts)), key=lambda index: len(encoded[index]))
    found: dict[int, Vector] = {}
    for start in range(0, len(order), BATCH_TEXTS):
        batch = order[start : start + BATCH_TEXTS]
        for index, row in zip(batch, _batch(loaded, [encoded[index] for index in batch]), strict=True):
            found[index] = Vector(len(row), row.astype("<f4").tobytes())
    return [found[index] for index in range(len(texts))]


def _valid(text: str) -> str:
    """Replace halves of surrogate pairs, which are no text outside Python."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _batch(loaded: _Loaded, encoded: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Return unit vectors, (n, d) float32."""
    import numpy as np

    longest = max(len(ids) for ids in encoded)
    tokens = np.zeros((len(encoded), longest), np.int64)
    mask = np.zeros_like(tokens)
    for row, ids in enumerate(encoded):
        tokens[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    hidden = loaded.session.run(None, {name: given[name] for name in loaded.inputs})[0]
    if hidden.ndim == 3:
        counted = mask[..., None].astype(np.float32)
        hidden = (hidden * counted).sum(1) / np.maximum(counted.sum(1), 1.0)
    lengths: NDArray[np.float32] = np.linalg.norm(hidden, axis=1, keepdims=True)
    return np.asarray(hidden / np.maximum(lengths, 1e-12), np.float32)
