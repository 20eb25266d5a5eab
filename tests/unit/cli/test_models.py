"""`model list`, `get` and `remove`, against a host on loopback; and models named at `init`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from familiar_app.cli import model_command, model_name, model_shape
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import CatalogueModel
from familiar_app.models import model_shelf
from familiar_app.models.discovery import FoundServer
from familiar_app.models.download_part import PartFile
from familiar_app.models.download_progress import Progress
from familiar_app.models.download_remote import RemoteFile
from familiar_app.models.network import NetworkPolicy
from tests.doubles.model_host import ModelHost, model_host
from tests.doubles.talk import make_config
from tests.unit.cli.conftest import Program


class Offered(CatalogueModel):
    """A model of a catalogue that lies on loopback."""

    address = ""

    @property
    def url(self) -> str:
        return self.address


@pytest.fixture
async def host(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelHost]:
    async with model_host() as running:
        Offered.address = running.url
        tiny = Offered(
            "tiny", "Tiny", "Somebody", "MIT", "1", "a/b", "model.gguf", 300_000, 10, 8192, "Small.", "Dull."
        )
        monkeypatch.setattr(model_name, "shipped_catalogue", lambda: (tiny,))
        monkeypatch.setattr(model_command, "shipped_catalogue", lambda: (tiny,))

        async def find(_network: Any) -> list[FoundServer]:
            return [FoundServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3",))]

        monkeypatch.setattr(model_command, "find_local_servers", find)
        yield running


@pytest.fixture
def program(program: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    configs = {"aria": make_config()}
    monkeypatch.setattr(type(program.profile), "config", lambda _self, id_: configs.get(id_, make_config()))
    gate = type(program.gate)
    use = gate._use

    def with_policy(self: Any, vault: Any) -> None:
        use(self, vault)
        self.opened.network = NetworkPolicy(local_only=True)

    monkeypatch.setattr(gate, "_use", with_policy)
    program.configs = configs  # type: ignore[attr-defined]
    return program


def states(listed: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["name"], one["state"]) for one in listed if one["spec"] != "smollm2"]


async def test_a_model_is_offered_fetched_listed_used_and_deleted(host: ModelHost, program: Program) -> None:
    listed = (await program("model", "list", "--json")).json
    assert states(listed) == [("qwen3", "served"), ("tiny", "offered")]
    assert set(map(frozenset, listed)) == {frozenset(listed[0])}, "each has every key"
    got = await program("model", "get", "tiny", "--json")
    assert got.code == 0
    assert (got.json["checked"], got.json["sha256"], got.json["was_here"]) == (True, host.sha256, False)
    path = program.profile.root / "models" / "model.gguf"
    assert path.read_bytes() == host.data
    here = next(one for one in (await program("model", "list", "--json")).json if one["name"] == "tiny")
    assert (here["state"], here["spec"], here["size_bytes"], here["used_by"]) == (
        "here",
        f"gguf:{path}",
        len(host.data),
        [],
    )
    program.configs["aria"] = make_config(  # type: ignore[attr-defined]
        "models.prose = {provider = 'llama_cpp', model = 'models/model.gguf'}"
    )
    refused = await program("model", "remove", "tiny", "--json")
    assert (refused.code, path.exists()) == (4, True)
    assert "used by aria" in refused.json["error"]["message"]
    program.configs["aria"] = make_config()  # type: ignore[attr-defined]
    assert (await program("model", "remove", "tiny", "--json")).json == {"removed": "model.gguf"}
    assert not path.exists()


async def test_the_host_is_named_first_and_what_was_checked_last(host: ModelHost, program: Program) -> None:
    got = await program("model", "get", "tiny")
    first, second = got.err.splitlines()[:2]
    assert first == "Fetching Tiny by Somebody, MIT, from 127.0.0.1."
    assert second == f"Connecting to 127.0.0.1:{host.port}."
    assert got.err.splitlines()[-1] == "Its checksum is the one that the host gave."
    assert got.out == f"gguf:{program.profile.root / 'models' / 'model.gguf'}\n"
    again = await program("model", "get", "tiny")
    assert "nothing was fetched" in again.err


async def test_an_own_address_without_a_checksum_is_told(host: ModelHost, program: Program) -> None:
    host.linked = False
    got = await program("model", "get", host.url)
    assert got.code == 0
    assert f"could not be checked. Its SHA-256 is {host.sha256}" in got.err


async def test_what_was_begun_is_listed_and_gone_on_with(host: ModelHost, program: Program) -> None:
    part = PartFile(program.profile.root / "models", "model.gguf")
    part.note(RemoteFile(host.url, len(host.data), host.sha256, None))
    part.write(host.data[:100_000])
    part.close()
    listed = (await program("model", "list", "--json")).json
    begun = next(one for one in listed if one["name"] == "tiny")
    assert (begun["state"], begun["done_bytes"], begun["spec"]) == ("begun", 100_000, None)
    assert "100 kB of 300 kB fetched" in (await program("model", "list")).out
    assert (await program("model", "get", "tiny")).code == 0
    assert host.sent == len(host.data) - 100_000


async def test_local_only_refuses_with_a_way_out(host: ModelHost, program: Program) -> None:
    refused = await program("--local-only", "model", "get", "https://example.com/x.gguf", "--json")
    assert refused.code == 4
    assert "nothing is fetched from example.com" in refused.json["error"]["message"]
    assert "settings.toml" in refused.json["error"]["next"]
    assert not (program.profile.root / "models").exists()


@pytest.mark.parametrize("word", ["nothing-of-that-name", "http://example.com/x.gguf", "https://example.com/x.zip"])
async def test_what_cannot_be_fetched_is_bad_input(host: ModelHost, program: Program, word: str) -> None:
    refused = await program("model", "get", word, "--json")
    assert refused.code == 4
    assert refused.json["error"]["next"]


async def test_too_little_memory_is_told_before_the_fetching(
    host: ModelHost, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("familiar_app.models.download.built_in_memory_bytes", lambda: 1_000_000)
    refused = await program("model", "get", "tiny", "--json")
    assert refused.code == 5
    assert "this computer has" in refused.json["error"]["message"]
    assert host.asked("GET") == []
    assert (await program("model", "get", "tiny", "--anyway")).code == 0


async def test_without_a_profile_models_can_be_listed_and_fetched(host: ModelHost, new_program: Program) -> None:
    new_program.profile.values["local_only"] = True
    assert states((await new_program("model", "list", "--json")).json) == [("qwen3", "served"), ("tiny", "offered")]
    assert (await new_program("model", "get", "tiny")).code == 0


async def test_a_fetched_model_is_named_at_init(host: ModelHost, program: Program, tmp_path: Path) -> None:
    early = await program("init", "--id", "bell", "--name", "Bell", "--model", "tiny", "--json")
    assert early.code == 4
    assert "model get tiny" in early.json["error"]["next"]
    await program("model", "get", "tiny")
    for word in ("tiny", "model.gguf"):
        assert model_name.named_spec(word, program.profile.root) == "gguf:models/model.gguf"
    assert model_name.named_spec("smollm2", program.profile.root) is None
    assert (await program("init", "--id", "bell", "--name", "Bell", "--model", "tiny")).code == 0


def test_progress_is_told_in_words() -> None:
    step = Progress("fetching", "h.example", 1_200_000_000, 4_900_000_000, 12_300_000)
    assert model_shape.progress_text(step) == "1.2 GB of 4.9 GB from h.example, 12 MB/s, 5 min left"
    assert "trying again" in model_shape.progress_text(Progress("waiting", "h", 5_000_000))


def test_a_list_says_what_does_not_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_shelf, "built_in_memory_bytes", lambda: 4 * 10**9)
    shelf = model_shelf.ModelShelf(tmp_path)
    lines = [
        model_shape.model_line(one)
        for one in model_shape.shelf_shapes(shelf, model_name.shipped_catalogue(), {FamiliarId("a"): make_config()})
    ]
    assert not lines[0].endswith("does not have")
    assert lines[-1].endswith("which this computer does not have")
