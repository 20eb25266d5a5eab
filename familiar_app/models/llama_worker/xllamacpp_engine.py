"""llama.cpp through xllamacpp, called inside this process.

Its `Server` always starts an HTTP listener. The worker gives it a socket file in a private folder instead of a network
address, takes the listener down as soon as the model is loaded, and from then on calls the handlers directly.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import stat
from typing import Any

import xllamacpp

from familiar_app.models.llama_worker.engine import Emit, EngineError, LoadOptions
from familiar_app.models.llama_worker.private_folder import private_folder

CHAT_SLOT = 0
_COUNT_SLOT = 1
# A cancelled answer stops between two batches of the prompt: smaller ones stop sooner, larger ones read faster.
_BATCH_TOKENS = 256
_CACHE_MIB = 512


class XllamacppEngine:
    """One GGUF model. Two slots share its context: answers are made in the first, tokens counted in the second."""

    name = "xllamacpp"

    def __init__(self, options: LoadOptions) -> None:
        self._context_tokens = options.context_tokens
        self._server = _load(options)
        self._padding = ",0" * options.context_tokens

    def chat(self, body: str, emit: Emit) -> None:
        refusal: list[dict[str, Any]] = []

        def take(chunk: str) -> bool:
            if chunk.startswith('{"error"'):
                refusal.append(json.loads(chunk)["error"])
                return True
            return emit(chunk)

        self._server.handle_chat_completions(body, take)
        if refusal:
            raise _engine_error(refusal[0])

    def count(self, text: str) -> int:
        # A prompt that cannot fit is refused with its exact length before any of it is computed, so the text is sent
        # with as many further tokens as the whole context has.
        prompt = f"[{json.dumps(text)}{self._padding}]"
        answers: list[str] = []
        self._server.handle_completions(
            f'{{"prompt":{prompt},"max_tokens":1,"id_slot":{_COUNT_SLOT}}}', lambda answer: answers.append(answer)
        )
        total = json.loads(answers[0]).get("error", {}).get("n_prompt_tokens") if answers else None
        if not isinstance(total, int):
            raise EngineError("failed", "The engine did not count the tokens.")
        return total - self._context_tokens


def _load(options: LoadOptions) -> Any:
    with private_folder():
        before = _sockets()
        try:
            server = xllamacpp.Server(_params(options))
        except RuntimeError as error:
            raise EngineError("load", "The engine could not load the model.") from error
        for descriptor in _sockets() - before:
            _take_down(descriptor)
    return server


def _params(options: LoadOptions) -> Any:
    params = xllamacpp.CommonParams()
    params.model.path = str(options.path)
    params.n_ctx = options.context_tokens
    params.n_batch = params.n_ubatch = min(_BATCH_TOKENS, options.context_tokens)
    params.n_parallel = 2
    params.kv_unified = True
    params.use_jinja = True
    params.cache_ram_mib = _CACHE_MIB
    params.offline = True
    params.ui = False
    params.verbosity = 1
    params.hostnames = ["w.sock"]
    params.api_keys = [secrets.token_urlsafe(32)]
    if options.gpu_layers is not None:
        params.n_gpu_layers = options.gpu_layers
    if options.threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    return params


def _sockets() -> set[int]:
    """Return the numbers of this process's open sockets. Empty on Windows, where sockets have none."""
    if os.name == "nt":
        return set()
    found = set()
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                found.add(descriptor)
    return found


def _take_down(descriptor: int) -> None:
    # The number stays with the engine, which closes it at its end; only the listening stops.
    listener = socket.socket(fileno=os.dup(descriptor))
    with contextlib.suppress(OSError):
        listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _engine_error(error: dict[str, Any]) -> EngineError:
    if error.get("type") == "exceed_context_size_error":
        return EngineError("overflow", "The prompt does not fit.", prompt_tokens=error.get("n_prompt_tokens"))
    message = str(error.get("message", ""))
    if "context size" in message.lower():
        return EngineError("overflow", "The prompt does not fit.")
    refused = error.get("code") == 400
    # What the engine says can repeat the prompt, so only its kind goes on.
    return EngineError("refused" if refused else "failed", str(error.get("type", "")))
