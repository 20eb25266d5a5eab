"""Downloads that go on while nobody looks, and which models may be deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import ModelSource, source_from_url
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.model_library import ModelLibrary, users_of
from familiar_app.models.network import NetworkPolicy, RefusedByLocalOnlyError
from tests.doubles.model_host import ModelHost, model_host
from tests.doubles.talk import make_config
from tests.doubles.waiting import until


@pytest.fixture
async def host() -> AsyncIterator[ModelHost]:
    async with model_host() as running:
        yield running


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[ModelLibrary]:
    errors: list[BaseException] = []
    policy = NetworkPolicy(local_only=True)
    made = ModelLibrary(tmp_path, (), lambda: policy, TaskRegistry(lambda _name, error: errors.append(error)))
    yield made
    await made.close()
    assert errors == []


async def test_a_download_goes_on_by_itself(host: ModelHost, library: ModelLibrary) -> None:
    heard: list[str] = []
    library.watch(heard.append)
    library.begin(source_from_url(host.url))
    assert list(library.running) == ["model.gguf"]
    library.begin(source_from_url(host.url))
    await until(lambda: "model.gguf" in library.fetched)
    assert library.fetched["model.gguf"].checked
    assert library.running == {}
    assert len(host.asked("GET")) == 1, "the second wish joined the first"
    assert set(heard) == {"model.gguf"}
    [model] = library.shelf.models()
    assert model.file == "model.gguf"


async def test_a_failure_stays_to_be_read_and_tried_again(host: ModelHost, library: ModelLibrary) -> None:
    host.head_status = 404
    library.begin(source_from_url(host.url))
    await until(lambda: "model.gguf" in library.failed)
    failed = library.failed["model.gguf"]
    assert "no such file" in failed.error.message
    host.head_status = 0
    library.begin(failed.source)
    assert library.failed == {}
    await until(lambda: "model.gguf" in library.fetched)


async def test_what_was_stopped_is_gone_on_with(host: ModelHost, library: ModelLibrary) -> None:
    host.stall_after = 100_000
    library.begin(source_from_url(host.url))
    await until(lambda: library.running["model.gguf"].progress.done_bytes == 100_000)
    library.stop("model.gguf")
    await until(lambda: not library.running)
    assert library.failed == {}, "what the person stopped is no failure"
    [begun] = library.shelf.unfinished()
    host.stall_after = None
    library.begin_again(begun.file, begun.url)
    await until(lambda: "model.gguf" in library.fetched)
    assert host.sent == len(host.data)


async def test_what_was_begun_can_be_thrown_away(host: ModelHost, library: ModelLibrary) -> None:
    host.stall_after = 100_000
    library.begin(source_from_url(host.url))
    await until(lambda: library.running["model.gguf"].progress.done_bytes == 100_000)
    await library.discard("model.gguf")
    assert library.shelf.unfinished() == []
    assert list(library.shelf.folder.iterdir()) == []


async def test_local_only_begins_nothing(library: ModelLibrary) -> None:
    with pytest.raises(RefusedByLocalOnlyError):
        library.begin(ModelSource("https://example.com/model.gguf", "model.gguf"))
    assert library.running == {}
    assert not library.shelf.folder.exists()


async def test_a_model_that_is_used_is_not_deleted(library: ModelLibrary) -> None:
    library.shelf.folder.mkdir()
    path = library.shelf.folder / "model.gguf"
    path.write_bytes(b"x")
    root = library.shelf.folder.parent
    mira = FamiliarId("mira")
    for name in ("models/model.gguf", str(path), "models/../models/model.gguf"):
        config = make_config(f"models.background = {{provider = 'llama_cpp', model = '{name}'}}")
        assert users_of(path, {mira: config}, root) == [mira]
        with pytest.raises(UserError, match="used by mira"):
            await library.remove("model.gguf", {mira: config})
    await library.remove("model.gguf", {mira: make_config()})
    assert not path.exists()
