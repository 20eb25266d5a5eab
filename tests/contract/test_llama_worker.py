"""The worker process of a local model: its end in every way it can come, and what it opens meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from familiar_app.domain.chat import ChatRequest, Finished, Message, Sampling, TextDelta
from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.models.bundled import bundled_model_path
from familiar_app.models.llama_cpp import LlamaCppModel
from familiar_app.models.llama_host import HostOptions, HostPool
from familiar_app.models.llama_process import WorkerProcess
from tests.doubles.waiting import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_children")]

ASK = ChatRequest("prose", "reply", (Message("user", "Count to ten."),), 3, Sampling(temperature=0.0))
LONG = ChatRequest("prose", "reply", ASK.messages, 400, Sampling(temperature=0.0))


def local_model(pool: HostPool | None = None, **options: Any) -> LlamaCppModel:
    options = {"path": bundled_model_path(), "context_tokens": 512, "threads": 2, **options}
    return LlamaCppModel(pool or HostPool(), HostOptions(**options))


async def answer(model: LlamaCppModel) -> list[Any]:
    return [event async for event in model.stream(ASK)]


def workers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.ZombieProcess, psutil.NoSuchProcess):
            if "familiar_app.models.llama_worker" in child.cmdline():
                found.append(child)
    return found


async def kill_in_mid_answer(model: LlamaCppModel) -> None:
    killed = False
    async for event in model.stream(LONG):
        if isinstance(event, TextDelta) and not killed:
            killed = True
            workers()[0].kill()


async def until_no_worker_runs() -> None:
    while workers():  # noqa: ASYNC110 - another process ends, which no event tells
        await asyncio.sleep(0.05)


async def test_a_worker_that_is_killed_fails_its_answer_and_the_next_one_works() -> None:
    model = local_model()
    with pytest.raises(OutsideError, match="stopped working") as caught:
        await kill_in_mid_answer(model)
    assert caught.value.retryable
    assert isinstance((await answer(model))[-1], Finished)
    await model.close()


async def said(model: LlamaCppModel, messages: tuple[Message, ...], tokens: int) -> str:
    request = ChatRequest("prose", "reply", messages, tokens, Sampling(temperature=0.0))
    return "".join([event.text async for event in model.stream(request) if isinstance(event, TextDelta)])


async def test_an_answer_goes_on_where_a_last_message_of_the_assistant_ends() -> None:
    model = local_model()
    assert model.info.goes_on
    ask = Message("user", "What is the capital of France? Tell me a little about it.")
    begun = await said(model, (ask,), 8)
    further = await said(model, (ask, Message("assistant", begun)), 8)
    assert begun + further == await said(model, (ask,), 16)
    await model.close()


async def test_nothing_is_left_after_close() -> None:
    threads = set(threading.enumerate())
    handles = psutil.Process().num_fds() if os.name != "nt" else 0
    model = local_model()
    await answer(model)
    assert len(workers()) == 1
    await model.close()
    assert workers() == []
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert [thread.name for thread in set(threading.enumerate()) - threads if "llama" in thread.name] == []
    assert os.name == "nt" or psutil.Process().num_fds() == handles


async def test_an_idle_worker_ends_and_comes_back() -> None:
    model = local_model(idle_unload_s=0.2)
    await answer(model)
    async with asyncio.timeout(PATIENCE_S):
        await until_no_worker_runs()
    assert isinstance((await answer(model))[-1], Finished)
    await model.close()


async def test_slots_with_the_same_file_share_a_worker() -> None:
    pool = HostPool()
    first, second = local_model(pool), local_model(pool)
    await first.prepare()
    await second.prepare()
    assert len(workers()) == 1
    await first.close()
    assert isinstance((await answer(second))[-1], Finished)
    await second.close()
    assert workers() == []


async def test_closing_while_it_loads_ends_it() -> None:
    model = local_model()
    loading = asyncio.create_task(model.prepare())
    await asyncio.sleep(0.3)
    await model.close()
    with pytest.raises(asyncio.CancelledError):
        await loading


async def test_a_truncated_file_has_its_sentence(tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(bundled_model_path().read_bytes()[:30_000_000])
    model = local_model(path=path)
    with pytest.raises(OutsideError, match="damaged"):
        await model.prepare()
    await model.close()


async def test_no_folder_stays_where_a_load_fails_or_is_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(bundled_model_path().read_bytes()[:30_000_000])
    model = local_model(path=cut)
    with pytest.raises(OutsideError, match="damaged"):
        await model.prepare()
    await model.close()
    assert list(temporary.iterdir()) == []
    for patience_s in (0.0, 0.02, 0.1):
        model = local_model()
        loading = asyncio.create_task(model.prepare())
        async with asyncio.timeout(PATIENCE_S):
            while not any(temporary.iterdir()) and not loading.done():  # noqa: ASYNC110 - another process makes it
                await asyncio.sleep(0.001)
        await asyncio.sleep(patience_s)
        loading.cancel()
        await model.close()
        assert list(temporary.iterdir()) == []


async def test_a_file_of_another_kind_never_reaches_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("These are notes, not a model.", encoding="utf-8")
    monkeypatch.delattr(WorkerProcess, "start")
    model = local_model(path=path)
    with pytest.raises(BadInputError, match="not a GGUF model"):
        await model.prepare()
    await model.close()


async def test_a_context_beyond_the_training_has_its_sentence() -> None:
    model = local_model(context_tokens=100_000)
    with pytest.raises(BadInputError, match="trained for a context of 8192 tokens"):
        await model.prepare()
    await model.close()


def test_a_worker_ends_with_its_parent() -> None:
    program = (
        "import subprocess, sys, time\n"
        "from familiar_app.models import llama_process\n"
        "print(llama_process._spawn().pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        assert worker.is_running()
        parent.kill()
    worker.wait(timeout=PATIENCE_S)


def test_the_worker_brings_along_nothing_of_window_vault_or_network() -> None:
    program = (
        "import sys, familiar_app.models.llama_worker.service, familiar_app.models.llama_worker.xllamacpp_engine\n"
        "parts = ('PySide6', 'httpx', 'sqlcipher3', 'pydantic', 'qasync', 'familiar_app.store', 'familiar_app.ui')\n"
        "print([name for name in parts if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_local_model_opens_no_network_socket(tmp_path: Path) -> None:
    program = (
        "import asyncio\n"
        "from familiar_app.domain.chat import ChatRequest, Message\n"
        "from familiar_app.models.bundled import bundled_model_path\n"
        "from familiar_app.models.llama_cpp import LlamaCppModel\n"
        "from familiar_app.models.llama_host import HostOptions, HostPool\n"
        "async def main():\n"
        "    model = LlamaCppModel(HostPool(), HostOptions(bundled_model_path(), 512, threads=2))\n"
        "    request = ChatRequest('prose', 'reply', (Message('user', 'hi'),), 3)\n"
        "    print([event async for event in model.stream(request)][-1])\n"
        "    print(await model.count_tokens(['hi']))\n"
        "    await model.close()\n"
        "asyncio.run(main())\n"
    )
    trace = tmp_path / "trace"
    done = subprocess.run(
        ["strace", "-f", "-e", "trace=network", "-o", str(trace), sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert "Finished" in done.stdout
    calls = trace.read_text()
    # What there is, is a pair for the event loop to wake itself, and one socket file that nobody is let in at.
    assert "AF_UNIX" in calls
    assert [line for line in calls.splitlines() if "AF_INET" in line or "AF_NETLINK" in line] == []
    after_load = calls[calls.index("listen(") :]
    assert "shutdown(" in after_load
    assert not any(line.rstrip().endswith(") = 3") and "accept" in line for line in after_load.splitlines())


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
async def test_a_worker_that_hangs_is_given_up() -> None:
    model = LlamaCppModel(HostPool(), HostOptions(bundled_model_path(), 512, threads=2), silence_s=1.0)
    await model.prepare()
    os.kill(workers()[0].pid, signal.SIGSTOP)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(OutsideError, match="did not answer any more"):
            await answer(model)
    await model.close()
