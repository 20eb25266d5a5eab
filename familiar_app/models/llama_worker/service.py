"""Serves requests that come in frames: loads the model, streams answers, counts tokens, ends with the pipe.

    in   {"op": "load", "id", "engine", "path", "context_tokens", "gpu_layers", "threads"}
         {"op": "chat", "id", "body"}          body: JSON text of a chat request in OpenAI's form
         {"op": "cancel", "id"}
         {"op": "count", "id", "texts"}
         {"op": "count_prompt", "id", "messages"}
    out  {"id", "loaded": {"engine"}} · {"id", "chunks": [JSON text, …]} · {"id", "end": true}
         {"id", "counts": [n, …]} · {"id", "error": {"code", "message", "prompt_tokens"}}

Three threads: the main one reads frames, so that a cancel or the end of the pipe is seen at once; one answers, one
counts.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from familiar_app.models.llama_worker.engine import Engine, EngineError, LoadOptions, load_engine
from familiar_app.models.llama_worker.frames import Frame, FrameError, read_frame, write_frame
from familiar_app.models.llama_worker.gguf import GgufError, read_header
from familiar_app.models.llama_worker.private_folder import remove_private_folders
from familiar_app.models.llama_worker.template import ChatTemplate

_FLUSH_AFTER_S = 0.02
_MESSAGE_OVERHEAD_TOKENS = 8


class Service:
    """Answers the frames of one parent."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._out_lock = threading.Lock()
        self._engine: Engine | None = None
        self._template: ChatTemplate | None = None
        self._opening_tokens = 0
        self._cancelled: set[int] = set()
        self._answering = _Lane(self._run)
        self._counting = _Lane(self._run)

    def take(self, frame: Frame) -> None:
        """Put one frame where it is worked on."""
        op = frame.get("op")
        if op == "cancel":
            self._cancelled.add(frame["id"])
        elif op in ("load", "chat"):
            self._answering.put(frame)
        else:
            self._counting.put(frame)

    def _run(self, frame: Frame) -> None:
        handlers: dict[str, Callable[[Frame], None]] = {
            "load": self._load,
            "chat": self._chat,
            "count": self._count,
            "count_prompt": self._count_prompt,
        }
        try:
            handlers[frame["op"]](frame)
        except EngineError as error:
            self._send_error(frame, error.code, error.message, error.prompt_tokens)
        except GgufError as error:
            self._send_error(frame, "load", str(error))
        except (OSError, MemoryError) as error:
            self._send_error(frame, "failed", type(error).__name__)

    def _load(self, frame: Frame) -> None:
        options = LoadOptions.from_frame(frame)
        self._template = ChatTemplate(read_header(Path(options.path)))
        engine = load_engine(frame["engine"], options)
        self._opening_tokens = engine.count("")
        self._engine = engine
        self._send({"id": frame["id"], "loaded": {"engine": engine.name}})

    def _chat(self, frame: Frame) -> None:
        request = frame["id"]
        batch = _Batch(lambda chunks: self._send({"id": request, "chunks": chunks}))

        def emit(chunk: str) -> bool:
            if request in self._cancelled:
                return True
            batch.add(chunk)
            return False

        if request not in self._cancelled:
            self._loaded().chat(frame["body"], emit)
            batch.flush()
        self._cancelled.discard(request)
        self._send({"id": request, "end": True})

    def _count(self, frame: Frame) -> None:
        engine = self._loaded()
        counts = [engine.count(text) - self._opening_tokens if text else 0 for text in frame["texts"]]
        self._send({"id": frame["id"], "counts": counts})

    def _count_prompt(self, frame: Frame) -> None:
        messages: list[dict[str, Any]] = frame["messages"]
        engine = self._loaded()
        prompt = self._template.render(messages) if self._template is not None else None
        if prompt is None:
            each = [engine.count(message["content"]) + _MESSAGE_OVERHEAD_TOKENS for message in messages]
            total = sum(each)
        else:
            total = engine.count(prompt)
        self._send({"id": frame["id"], "counts": [total]})

    def _loaded(self) -> Engine:
        if self._engine is None:
            raise EngineError("failed", "No model is loaded.")
        return self._engine

    def _send_error(self, frame: Frame, code: str, message: str, prompt_tokens: int | None = None) -> None:
        error = {"code": code, "message": message, "prompt_tokens": prompt_tokens}
        self._send({"id": frame["id"], "error": error})

    def _send(self, frame: Frame) -> None:
        with self._out_lock:
            try:
                write_frame(self._out, frame)
            except OSError:
                # The parent is gone, so nobody is left to work for.
                _end(0)


class _Lane:
    """One thread that works off frames in order."""

    def __init__(self, work: Callable[[Frame], None]) -> None:
        self._frames: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._work = work
        threading.Thread(target=self._loop, daemon=True).start()

    def put(self, frame: Frame) -> None:
        self._frames.put(frame)

    def _loop(self) -> None:
        while True:
            self._work(self._frames.get())


class _Batch:
    """Collects chunks and hands them on in groups, so that a fast model does not wake the parent for each token."""

    def __init__(self, send: Callable[[list[str]], None]) -> None:
        self._send = send
        self._chunks: list[str] = []
        self._sent_at = 0.0

    def add(self, chunk: str) -> None:
        self._chunks.append(chunk)
        if time.monotonic() - self._sent_at >= _FLUSH_AFTER_S:
            self.flush()

    def flush(self) -> None:
        if self._chunks:
            self._send(self._chunks)
            self._chunks = []
        self._sent_at = time.monotonic()


def main() -> None:
    """Serve until the pipe ends, then end at once."""
    out = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not get between the frames.
    os.dup2(2, 1)
    threading.excepthook = _end_at_defect
    service = Service(out)
    try:
        while (frame := read_frame(sys.stdin.buffer)) is not None:
            service.take(frame)
    except (FrameError, OSError):
        _end(1)
    # Freeing a large model takes seconds that nobody needs; the system takes everything back at once.
    _end(0)


def _end(code: int) -> NoReturn:
    """End the process at once, whatever other threads are at."""
    remove_private_folders()
    os._exit(code)


def _end_at_defect(failure: threading.ExceptHookArgs) -> None:
    """End the process where a thread met an error it did not expect: the parent sees that at once."""
    kind = failure.exc_type.__name__ if failure.exc_type is not None else "unknown"
    os.write(2, f"worker defect: {kind}\n".encode())
    _end(70)
