"""The language models that one suite of tests runs on, each with a record of what it was really sent."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from familiar_app.models import llama_process
from familiar_app.models.bundled import bundled_model_path
from familiar_app.models.llama_cpp import LlamaCppModel
from familiar_app.models.llama_host import HostOptions, HostPool
from familiar_app.models.network import NetworkPolicy
from familiar_app.models.openai import OpenAIModel
from familiar_app.models.port import LanguageModel
from familiar_app.models.scripted import ScriptedModel, read_script

CONTEXT_TOKENS = 1024
STORY = "Once upon a time a lighthouse keeper counted the waves, one by one, until the morning came back."

_SERVER = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.kv_unified, params.verbosity = int(sys.argv[2]), 2, True, 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2
params.hostnames, params.port, params.use_jinja = ["127.0.0.1"], 0, True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@dataclass
class Subject:
    """A model, and the bodies that left this process for it. A scripted model sends none."""

    kind: str
    model: LanguageModel
    sent: list[str] = field(default_factory=list)
    sends: bool = True


@pytest.fixture(scope="session")
def served_model() -> Iterator[str]:
    """Serve the bundled model on this computer as any llama.cpp server would, and give its address."""
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(bundled_model_path()), str(CONTEXT_TOKENS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"},
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        yield address
        process.kill()


@pytest.fixture(params=["scripted", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("llama_cpp", "openai"))])
async def subject(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Subject]:
    made = _make(request, tmp_path, monkeypatch)
    yield made
    await made.model.close()


def _make(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    if request.param == "scripted":
        return Subject("scripted", _scripted(tmp_path), sends=False)
    if request.param == "llama_cpp":
        model = LlamaCppModel(HostPool(), HostOptions(bundled_model_path(), CONTEXT_TOKENS, threads=2))
        subject = Subject("llama_cpp", model)
        _record_frames(subject.sent, monkeypatch)
        return subject
    sent: list[str] = []
    network = _RecordingPolicy(sent)
    address = request.getfixturevalue("served_model")
    return Subject("openai", OpenAIModel(network, base_url=address, model="SmolLM2"), sent)


def _scripted(folder: Path) -> ScriptedModel:
    lines: list[dict[str, Any]] = [
        {"slot": "prose", "purpose": "shape", "reply": {"name": "Ann", "age": 3}},
        *({"slot": "prose", "purpose": "reply", "reply": STORY} for _ in range(8)),
    ]
    path = folder / "script.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return ScriptedModel(read_script(path), name="script", context_tokens=CONTEXT_TOKENS)


def _record_frames(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write = llama_process.write_frame

    def recording(pipe: Any, frame: dict[str, Any]) -> None:
        if frame["op"] == "chat":
            sent.append(frame["body"])
        write(pipe, frame)

    monkeypatch.setattr(llama_process, "write_frame", recording)


class _RecordingPolicy(NetworkPolicy):
    def __init__(self, sent: list[str]) -> None:
        super().__init__(local_only=True)
        self._sent = sent

    def client(self, purpose: str = "", **options: Any) -> httpx.AsyncClient:
        return super().client(purpose, event_hooks={"request": [self._record]}, **options)

    async def _record(self, request: httpx.Request) -> None:
        if request.url.path.endswith("/chat/completions"):
            self._sent.append(request.content.decode())


@pytest.fixture
def no_children() -> Iterator[None]:
    """Fail where a child process of this one is left that was not there before."""
    import psutil

    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    with contextlib.suppress(psutil.NoSuchProcess):
        left = [child for child in left if child.status() != psutil.STATUS_ZOMBIE]
    assert left == []
