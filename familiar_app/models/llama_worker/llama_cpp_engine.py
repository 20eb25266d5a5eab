"""llama.cpp through llama-cpp-python, for people who compiled it for their own hardware. It opens no socket."""

from __future__ import annotations

import json
from typing import Any

import llama_cpp

from familiar_app.models.llama_worker.engine import Emit, EngineError, LoadOptions

_BATCH_TOKENS = 256
_PASSED_ON = (
    "messages",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repeat_penalty",
    "seed",
    "stop",
    "tools",
)


class LlamaCppEngine:
    """One GGUF model. Counting needs no context, so it may run beside an answer."""

    name = "llama_cpp"

    def __init__(self, options: LoadOptions) -> None:
        try:
            self._model = llama_cpp.Llama(
                str(options.path),
                n_ctx=options.context_tokens,
                n_batch=min(_BATCH_TOKENS, options.context_tokens),
                n_gpu_layers=-1 if options.gpu_layers is None else options.gpu_layers,
                n_threads=options.threads,
                verbose=False,
            )
        except (ValueError, OSError, RuntimeError) as error:
            raise EngineError("load", "The engine could not load the model.") from error

    def chat(self, body: str, emit: Emit) -> None:
        request = json.loads(body)
        arguments = {key: request[key] for key in _PASSED_ON if key in request}
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
        if schema is not None:
            arguments["response_format"] = {"type": "json_object", "schema": schema}
        try:
            prompt_tokens = self._stream(arguments, emit)
        except ValueError as error:
            code = "overflow" if "context window" in str(error) else "refused"
            raise EngineError(code, type(error).__name__) from None
        emit(json.dumps({"choices": [], "usage": prompt_tokens}))

    def count(self, text: str) -> int:
        return len(self._model.tokenize(text.encode("utf-8", "replace"), add_bos=True, special=True))

    def _stream(self, arguments: dict[str, Any], emit: Emit) -> dict[str, int]:
        answered = 0
        for chunk in self._model.create_chat_completion(**arguments, stream=True):
            answered += 1
            if emit(json.dumps(chunk)):
                break
        total = self._model.n_tokens
        return {"prompt_tokens": max(0, total - answered), "completion_tokens": min(answered, total)}
