"""A large memory: an answer waits a bounded time for its index, and what looks closely waits for all of it."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.cli.output import Output
from familiar_app.cli.search import build_index
from familiar_app.context.prompt import PromptRequest
from familiar_app.conversation.inspector import Inspector
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.index import search_index
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.store.vault import Vault
from tests.doubles.held_index import HeldIndex
from tests.doubles.talk import MIRA, make_config
from tests.unit.context.hearing import Hearing, hearing

SMALL = "[budget.text]\nrecent_history_tokens = 32\nhistory_step_turns = 1\n"


class Stage:
    """A vault of 60 turns whose index stands still after the newest ten, until `go` is set."""

    def __init__(self, place: Hearing, vault: Vault) -> None:
        self.place, self.vault = place, vault
        self.go = threading.Event()
        self.tasks = TaskRegistry(lambda _name, error: self.failures.append(error))
        self.failures: list[BaseException] = []
        self.err = io.StringIO()
        self.command: Any = SimpleNamespace(out=Output(False, io.StringIO(), self.err))
        self.services: Any = SimpleNamespace(vault=vault, tasks=self.tasks)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    async with hearing(tmp_path / "vault.db", indexed=False) as place:
        for number in range(60):
            await place.say(f"Parcel {number} has come.")
        made = Stage(place, place.vault)
        place.use(SMALL)
        monkeypatch.setattr(search_index, "CHUNK_TURNS", 10)
        # The commits of the first ten turns, and of the facts after them.
        monkeypatch.setattr(place.vault.index, "_make", partial(HeldIndex, 2, made.go))
        yield made
        made.go.set()
        assert await made.tasks.cancel() == []
        assert made.failures == []


async def test_an_answer_waits_so_long_and_says_what_is_missing(stage: Stage) -> None:
    assert await build_index(stage.command, stage.services, at_most_s=0.3) is None
    assert stage.err.getvalue().splitlines()[-1] == (
        "Memory is searched in the newest 10 of 60 turns: the others are not indexed yet."
    )
    request = PromptRequest(stage.place.places["main"], pending="Which parcel was number 3, which number 52?")
    trace = (await stage.place.assembler.assemble(request)).trace
    layer = next(one for one in trace.layers if one.name == "retrieved_context")
    assert "Parcel 52 has come." in layer.text
    assert "Parcel 3 has come." not in layer.text
    assert [(one.what, one.reason) for one in layer.left_out if "indexed" in one.reason] == [
        ("retrieved_context", "searched without the 50 oldest turns: they are not indexed yet")
    ]
    stage.go.set()
    await stage.vault.index.ready()
    trace = (await stage.place.assembler.assemble(request)).trace
    layer = next(one for one in trace.layers if one.name == "retrieved_context")
    assert "Parcel 3 has come." in layer.text
    assert not [one for one in layer.left_out if "indexed" in one.reason]


async def test_a_command_that_searches_waits_for_all(stage: Stage) -> None:
    waiting = asyncio.ensure_future(build_index(stage.command, stage.services))
    while stage.vault.index.status.indexed < 10:
        await stage.vault.index.moved()
    assert not waiting.done()
    stage.go.set()
    assert await waiting is None
    assert stage.vault.index.status == IndexStatus("ready", 60, 60)
    assert "not indexed" not in stage.err.getvalue()


async def test_a_prompt_that_is_looked_at_waits_for_all_of_memory(stage: Stage) -> None:
    config, assembler = make_config(SMALL), stage.place.assembler
    inspector = Inspector(MIRA, config, stage.vault, assembler.model, assembler)
    stage.vault.index.start(stage.tasks)
    heard: list[int] = []
    request = PromptRequest(stage.place.places["main"], pending="Which parcel was number 3?", preview=True)
    waiting = asyncio.ensure_future(inspector.assemble(request, lambda status: heard.append(status.indexed)))
    while stage.vault.index.status.indexed < 10:
        await stage.vault.index.moved()
    assert not waiting.done()
    stage.go.set()
    trace = (await waiting).trace
    assert "Parcel 3 has come." in next(one.text for one in trace.layers if one.name == "retrieved_context")
    assert heard[-1] == 60
