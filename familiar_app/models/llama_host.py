"""Keeps a GGUF model at hand: starts its worker when it is needed, shares it between slots, ends it when idle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.models.llama_fit import Fit, fit, free_memory_bytes, read_model_file
from familiar_app.models.llama_process import WorkerGoneError, WorkerProcess
from familiar_app.models.turnstile import Turnstile

log = logging.getLogger(__name__)

_LOAD_TIMEOUT_S = 900.0


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What makes two slots share one worker. None in `context_tokens` fits it to the model and to memory."""

    path: Path
    context_tokens: int | None = None
    gpu_layers: int | None = None
    threads: int | None = None
    engine: str = "auto"
    idle_unload_s: float = 0.0


class LlamaHost:
    """One model in at most one worker process."""

    def __init__(self, options: HostOptions) -> None:
        self.options = options
        self.turnstile = Turnstile()
        self.fit: Fit | None = None
        self._process: WorkerProcess | None = None
        self._loading: asyncio.Task[WorkerProcess] | None = None
        self._ending: list[WorkerProcess] = []
        self._users = 0
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def process(self) -> WorkerProcess | None:
        """The worker that runs now, if any."""
        return self._process if self._process is not None and self._process.alive else None

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the worker from being ended for idleness."""
        self._users += 1
        self._stop_idle_timer()
        try:
            yield
        finally:
            self._users -= 1
            self._start_idle_timer()

    async def ready(self) -> WorkerProcess:
        """Return a worker with the model loaded. Raises BadInputError or OutsideError with the reason."""
        if self._closed:
            raise OutsideError(tr("The local model has been closed."), tr("Open the familiar again."))
        if self.process is not None:
            return self.process
        if self._loading is None:
            self._loading = asyncio.create_task(self._load(), name="load local model")
            self._loading.add_done_callback(self._loaded)
        # Somebody who stops waiting does not stop the loading, which others may wait for too.
        return await asyncio.shield(self._loading)

    async def close(self) -> None:
        """End the worker and all that belongs to it."""
        self._closed = True
        self._stop_idle_timer()
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait([self._loading])
        if self._process is not None:
            self._ending.append(self._process)
            self._process = None
        for process in self._ending:
            await process.close()
        self._ending.clear()

    def drop(self, process: WorkerProcess) -> None:
        """Give up a worker that does not answer any more."""
        process.kill()
        self._ending.append(process)
        if self._process is process:
            self._process = None

    def _loaded(self, task: asyncio.Task[WorkerProcess]) -> None:
        self._loading = None
        if not task.cancelled() and task.exception() is None:
            self._process = task.result()
            self._start_idle_timer()

    async def _load(self) -> WorkerProcess:
        self._forget_ended()
        self.fit = await asyncio.to_thread(self._fit)
        process = await WorkerProcess.start()
        try:
            await self._load_into(process, self.fit)
        except BaseException:
            process.kill()
            self._ending.append(process)
            raise
        log.info("local model loaded, context of %d tokens", self.fit.context_tokens)
        return process

    def _fit(self) -> Fit:
        header = read_model_file(self.options.path)
        # What lies on a graphics card needs no memory here, and how much that is the engine alone knows.
        free = free_memory_bytes() if self.options.gpu_layers in (None, 0) else None
        return fit(header, self.options.context_tokens, free_bytes=free)

    async def _load_into(self, process: WorkerProcess, chosen: Fit) -> None:
        try:
            answer = await process.ask(
                "load",
                timeout_s=_LOAD_TIMEOUT_S,
                engine=self.options.engine,
                path=str(self.options.path),
                context_tokens=chosen.context_tokens,
                gpu_layers=self.options.gpu_layers,
                threads=self.options.threads,
            )
        except WorkerGoneError:
            raise _load_error("", list(process.log_lines)) from None
        except TimeoutError:
            raise _load_error("slow", []) from None
        if "error" in answer:
            raise _load_error(answer["error"]["code"], list(process.log_lines))

    def _forget_ended(self) -> None:
        if self._process is not None:
            self._process.end_soon()
            self._ending.append(self._process)
            self._process = None
        self._ending = [process for process in self._ending if not process.ended]

    def _start_idle_timer(self) -> None:
        self._stop_idle_timer()
        if self._users or self._closed or not self.options.idle_unload_s:
            return
        self._idle = asyncio.get_running_loop().call_later(self.options.idle_unload_s, self._unload)

    def _stop_idle_timer(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _unload(self) -> None:
        self._idle = None
        if not self._users and self._process is not None:
            log.info("local model unloaded after a quiet time")
            self._process.end_soon()
            self._ending.append(self._process)
            self._process = None


class HostPool:
    """Hands out one host for equal options, and closes it when its last user gives it back."""

    def __init__(self) -> None:
        self._hosts: dict[HostOptions, tuple[LlamaHost, int]] = {}

    def take(self, options: HostOptions) -> LlamaHost:
        host, users = self._hosts.get(options) or (LlamaHost(options), 0)
        self._hosts[options] = (host, users + 1)
        return host

    async def give_back(self, host: LlamaHost) -> None:
        known, users = self._hosts.get(host.options, (None, 0))
        if known is host and users > 1:
            self._hosts[host.options] = (host, users - 1)
            return
        if known is host:
            del self._hosts[host.options]
        await host.close()


def _load_error(code: str, lines: list[str]) -> OutsideError:
    text = "\n".join(lines).lower()
    if code == "no_engine":
        return OutsideError(
            tr("No engine for GGUF files is installed."),
            tr("Install the package xllamacpp, or use a model behind an address."),
        )
    if code == "slow":
        return OutsideError(tr("The model took too long to load."), tr("Choose a smaller model."), retryable=True)
    if "unknown model architecture" in text or "unknown pre-tokenizer" in text:
        return OutsideError(
            tr("The installed engine does not know this kind of model."),
            tr("Update the program, or choose another model."),
        )
    if any(sign in text for sign in ("failed to allocate", "out of memory", "unable to allocate", "bad_alloc")):
        return OutsideError(
            tr("There is not enough memory for the model."), tr("Choose a smaller model or a smaller context_tokens.")
        )
    return OutsideError(
        tr("The model's file could not be loaded; it may be damaged."),
        tr("Download it again, or choose another model."),
    )
