"""The rows of models, without a window: what stands in which group, and in which words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.domain.errors import BadInputError, OutsideError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import ModelSource, read_catalogue, source_of
from familiar_app.domain.task import TaskRegistry
from familiar_app.models import model_shelf as shelf_module
from familiar_app.models.download_part import PartFile
from familiar_app.models.download_progress import Fetched, Progress
from familiar_app.models.download_remote import RemoteFile
from familiar_app.models.model_library import Failed, ModelLibrary, Running
from familiar_app.models.network import NetworkPolicy, RefusedByLocalOnlyError
from familiar_app.store.resource import resource
from familiar_app.ui.kit.model_shelf import GROUPS, ModelShelfModel, fetched_text, step_text
from tests.doubles.model_host import model_bytes
from tests.doubles.talk import make_config

SHIPPED = read_catalogue(resource("models", "catalogue.toml").read_text(encoding="utf-8"))
MIRA = FamiliarId("mira")


@pytest.fixture
async def model(tmp_path: Path) -> AsyncIterator[ModelShelfModel]:
    policy = NetworkPolicy(local_only=True)
    library = ModelLibrary(tmp_path, SHIPPED, lambda: policy, TaskRegistry(lambda *_: None))
    library.shelf.folder.mkdir()
    used = make_config("models.prose = {provider = 'llama_cpp', model = 'models/own.gguf'}")
    made = ModelShelfModel(library, lambda: {MIRA: used})
    yield made
    made.close()
    await library.close()


def source(number: int) -> ModelSource:
    return source_of(SHIPPED[number])


def groups(model: ModelShelfModel) -> list[list[tuple[str, str]]]:
    return [[(row.state, row.title) for row in model.group(states)] for _heading, states in GROUPS]


async def test_every_model_stands_in_one_group(model: ModelShelfModel) -> None:
    folder = model.library.shelf.folder
    (folder / "own.gguf").write_bytes(model_bytes(1000))
    (folder / "bad.gguf").write_bytes(b"no")
    part = PartFile(folder, SHIPPED[0].file)
    part.note(RemoteFile(SHIPPED[0].url, 2000, "0" * 64, None))
    part.write(b"x" * 500)
    part.close()
    model.library.failed[SHIPPED[1].file] = Failed(source(1), OutsideError("It broke.", "Wait."))
    await model.load()
    here, fetched, offered = groups(model)
    assert here == [("bundled", "SmolLM2-135M-Instruct"), ("broken", "bad.gguf"), ("here", "own.gguf")]
    assert fetched == [("failed", SHIPPED[1].title), ("begun", SHIPPED[0].title)]
    assert [title for _, title in offered] == [one.title for one in SHIPPED[2:]]
    begun = model.row(SHIPPED[0].file)
    assert begun is not None
    assert (begun.part, begun.facts) == (0.25, "500 bytes of 2 kB are here")
    assert begun.source == source(0)
    failed = model.row(SHIPPED[1].file)
    assert failed is not None
    assert failed.warning == "It broke. Wait."


async def test_who_uses_a_model_is_told_and_keeps_it(model: ModelShelfModel) -> None:
    (model.library.shelf.folder / "own.gguf").write_bytes(model_bytes(1000))
    await model.load()
    row = model.row("own.gguf")
    assert row is not None
    assert (row.used_by, row.stored_name) == ((MIRA,), "models/own.gguf")
    with pytest.raises(UserError, match="used by mira"):
        await model.remove(row)


async def test_too_little_memory_is_told(model: ModelShelfModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf_module, "built_in_memory_bytes", lambda: 4 * 10**9)
    await model.load()
    large, small = model.row(SHIPPED[-1].file), model.row(SHIPPED[1].file)
    assert large is not None
    assert small is not None
    assert (large.too_large, small.too_large) == (True, False)
    assert "too little memory" in large.warning


async def test_local_only_and_bad_addresses_are_refused(model: ModelShelfModel) -> None:
    await model.load()
    row = model.row(SHIPPED[0].file)
    assert row is not None
    with pytest.raises(RefusedByLocalOnlyError):
        model.fetch(row)
    with pytest.raises(BadInputError):
        model.fetch_address("somewhere")


async def test_progress_alone_changes_one_row_and_an_end_changes_the_list(model: ModelShelfModel) -> None:
    heard: list[str] = []
    model.library.running["a.gguf"] = Running(source(0), Progress("fetching", "h", 1, 10))
    await model.load()
    model.watch(heard.append)
    model.library._tell("a.gguf")
    row = model.row("a.gguf")
    assert row is not None
    assert row.part == 0.1
    model.library.running.clear()
    model.library._tell("a.gguf")
    assert heard == ["a.gguf", "changed"]


def test_steps_in_words() -> None:
    assert step_text(Progress("fetching", "h.example", 500_000_000, 2_000_000_000, 5_000_000)) == (
        "500 MB of 2.0 GB from h.example · 5 MB/s · 5 min left"
    )
    assert step_text(Progress("checking", "h", 1, 2)) == "Checking what came: 50%"
    assert "trying again" in step_text(Progress("waiting", "h", 1000))


async def test_what_was_not_checked_is_not_called_checked(model: ModelShelfModel) -> None:
    model.library.fetched["a.gguf"] = Fetched(Path("a.gguf"), 1, "0" * 64, checked=False)
    assert "could not be checked" in fetched_text(model.library, "a.gguf")
    model.library.fetched["a.gguf"] = Fetched(Path("a.gguf"), 1, "0" * 64, checked=True)
    assert "could not be checked" not in fetched_text(model.library, "a.gguf")
