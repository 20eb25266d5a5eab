"""What the worker asks of an engine, and the choice between those that are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from familiar_app.models.llama_worker.frames import Frame

Emit = Callable[[str], bool]
"""Takes one chunk of an answer as JSON text; returns True once the answer is not wanted any more."""

ENGINES = ("xllamacpp", "llama_cpp")


class EngineError(Exception):
    """The engine refused or failed. `code` is one of `no_engine`, `load`, `refused`, `overflow`, `failed`."""

    def __init__(self, code: str, message: str, *, prompt_tokens: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.prompt_tokens = prompt_tokens


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How a model is loaded. None leaves the number of layers on the GPU, or of threads, to the engine."""

    path: Path
    context_tokens: int
    gpu_layers: int | None = None
    threads: int | None = None

    @classmethod
    def from_frame(cls, frame: Frame) -> LoadOptions:
        return cls(Path(frame["path"]), frame["context_tokens"], frame.get("gpu_layers"), frame.get("threads"))


class Engine(Protocol):
    """A loaded model. `chat` is called from one thread at a time, `count` from another at the same time."""

    name: str

    def chat(self, body: str, emit: Emit) -> None:
        """Answer a chat request in OpenAI's form, chunk by chunk. Raises EngineError."""
        ...

    def count(self, text: str) -> int:
        """Count the tokens of a text, with what the tokenizer puts before every prompt. Raises EngineError."""
        ...


def load_engine(name: str, options: LoadOptions) -> Engine:
    """Load a model with the engine of that name; `auto` takes the first that is installed. Raises EngineError."""
    chosen = next((each for each in ENGINES if importlib.util.find_spec(each)), None) if name == "auto" else name
    if chosen == "xllamacpp" and importlib.util.find_spec("xllamacpp"):
        from familiar_app.models.llama_worker.xllamacpp_engine import XllamacppEngine

        return XllamacppEngine(options)
    if chosen == "llama_cpp" and importlib.util.find_spec("llama_cpp"):
        from familiar_app.models.llama_worker.llama_cpp_engine import LlamaCppEngine

        return LlamaCppEngine(options)
    raise EngineError("no_engine", "No engine for GGUF files is installed.")
