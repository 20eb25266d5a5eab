"""Fetching a model with the real program: killed in the middle, it goes on the next time; interrupted, it says so."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest

from tests.doubles.model_host import model_bytes, model_host
from tests.doubles.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow
SIZE, STALL = 8_000_000, 5_000_000


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_a_download_that_was_ended_is_gone_on_with(bare: Familiar, number: signal.Signals) -> None:
    async with model_host() as host:
        host.data, host.stall_after = model_bytes(SIZE), STALL
        part = bare.profile / "models" / "model.gguf.part"
        process = bare.start("model", "get", host.url)
        await until(lambda: (part.exists() and part.stat().st_size >= STALL - 2_000_000) or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(number)
        await asyncio.to_thread(process.communicate, None, PATIENCE_S)
        assert process.returncode != 0
        assert not (bare.profile / "models" / "model.gguf").exists()
        host.stall_after = None
        done = await asyncio.to_thread(bare, "model", "get", host.url, "--json")
        assert done.code == 0, done.err
        assert (done.json["checked"], done.json["sha256"]) == (True, host.sha256)
        assert host.asked("GET")[-1]["range"].startswith("bytes=")
        assert host.sent < SIZE + 3_000_000, "what had come was not fetched again"


async def test_fetching_makes_no_profile(bare: Familiar) -> None:
    async with model_host() as host:
        done = await asyncio.to_thread(bare, "model", "get", host.url)
    assert done.code == 0, done.err
    assert not bare.vault.exists()
    assert (await asyncio.to_thread(bare, "init", "--name", "Mira", "--model", "model.gguf")).code == 0
    listed = (await asyncio.to_thread(bare, "model", "list", "--json")).json
    [one] = [each for each in listed if each["file"] == "model.gguf"]
    assert one["used_by"] == ["mira"]
    hosts = (await asyncio.to_thread(bare, "status", "--json")).json["network"]
    assert "huggingface.co" in [each["host"] for each in hosts]
