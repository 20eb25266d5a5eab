"""From a slot's settings to a model, and the servers found on this computer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.chat import ChatRequest, Message
from familiar_app.domain.errors import BadInputError, OutsideError, UserError
from familiar_app.domain.settings import ModelSlot
from familiar_app.models import discovery
from familiar_app.models.bundled import bundled_model_path
from familiar_app.models.discovery import FoundServer, find_local_servers
from familiar_app.models.factory import SharedModels, build_model
from familiar_app.models.network import NetworkPolicy
from tests.doubles.waiting import PATIENCE_S

LOCAL = NetworkPolicy(local_only=True)
REQUEST = ChatRequest("prose", "reply", (Message("user", "hi"),), 20)


def slot(**changes: Any) -> ModelSlot:
    values: dict[str, Any] = {
        "provider": "llama_cpp",
        "model": "smollm2",
        "base_url": "",
        "api_key_secret": "",
        "context_tokens": "auto",
        "max_answer_tokens": 200,
        "timeout_s": 60.0,
        "max_retries": 0,
        "max_requests_in_flight": 2,
        "gpu_layers": "auto",
        "threads": "auto",
        "idle_unload_s": 0.0,
        "sampling": dict.fromkeys(("temperature", "top_p", "top_k", "min_p", "repeat_penalty", "seed"), "auto")
        | {"stop": []},
    }
    return ModelSlot.model_validate({**values, **changes})


async def no_secret(name: str) -> str | None:
    raise AssertionError(name)


async def build(base_dir: Path, *, shared: SharedModels | None = None, **changes: Any) -> Any:
    return await build_model(slot(**changes), network=LOCAL, secret=no_secret, base_dir=base_dir, shared=shared)


async def test_the_bundled_model_is_known_to_be_weak_before_it_is_loaded(tmp_path: Path) -> None:
    model = await build(tmp_path)
    assert model.info.name == "SmolLM2-135M-Instruct"
    assert model.info.context_tokens == 8192
    assert model.info.weak
    assert model.info.local
    await model.close()


async def test_a_file_of_ones_own_is_taken_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").symlink_to(bundled_model_path())
    model = await build(tmp_path, model="mine.gguf", context_tokens=1000)
    assert model.info.context_tokens == 1000
    assert not model.info.weak
    await model.close()


async def test_a_missing_file_shows_when_it_is_needed(tmp_path: Path) -> None:
    model = await build(tmp_path, model="gone.gguf")
    with pytest.raises(BadInputError, match="does not exist"):
        await model.prepare()
    await model.close()


async def test_slots_use_up_one_script_together(tmp_path: Path) -> None:
    lines = [{"slot": "prose", "reply": "one"}, {"slot": "prose", "reply": "two"}]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    shared = SharedModels()
    first = await build(tmp_path, shared=shared, provider="scripted", model="s.jsonl")
    second = await build(tmp_path, shared=shared, provider="scripted", model=str(tmp_path / "s.jsonl"))
    texts = [await said(model) for model in (first, second)]
    assert texts == ["one", "two"]
    with pytest.raises(OutsideError, match="No unused line"):
        await said(first)


async def said(model: Any) -> str:
    return "".join([event.text async for event in model.stream(REQUEST) if hasattr(event, "text")])


async def test_an_endpoint_gets_the_key_that_is_named(server: Any, tmp_path: Path) -> None:
    server.answers = [server.events({"choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]})]
    asked: list[str] = []

    async def secret(name: str) -> str | None:
        asked.append(name)
        return "k1"

    chosen = slot(provider="openai", model="m", base_url=server.url, api_key_secret="api-key:here")
    model = await build_model(chosen, network=LOCAL, secret=secret, base_dir=tmp_path)
    assert [event.text async for event in model.stream(REQUEST) if hasattr(event, "text")] == ["ok"]
    assert asked == ["api-key:here"]
    assert "authorization: bearer k1" in server.heads[0].lower()
    await model.close()


async def test_local_only_mode_lets_a_distant_model_be_built_and_not_asked(tmp_path: Path) -> None:
    model = await build(tmp_path, provider="openai", model="m", base_url="https://example.com/v1")
    assert not model.info.local
    with pytest.raises(UserError, match="Local-only mode"):
        await model.prepare()
    with pytest.raises(UserError, match="Local-only mode"):
        await said(model)
    await model.close()


async def test_servers_on_this_computer_are_found(
    server: Any, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "_PROBE_S", PATIENCE_S)
    server.answers = [server.reply(200, {"data": [{"id": "llama3.2:latest"}, {"id": 7}, "x"]})]
    found = await find_local_servers(LOCAL, ports=(("Ollama", server.port), ("LM Studio", unused_tcp_port)))
    assert found == [FoundServer("Ollama", f"http://127.0.0.1:{server.port}/v1", ("llama3.2:latest",))]


async def test_a_port_that_never_answers_is_given_up(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert discovery._PROBE_S <= 1
    monkeypatch.setattr(discovery, "_PROBE_S", 0.05)
    server.answers = [server.until_left]
    assert await find_local_servers(LOCAL, ports=(("Ollama", server.port),)) == []


@pytest.mark.parametrize("body", ["<html>", "[]", "{}", '{"data": {}}', "[" * 9999])
async def test_another_server_on_such_a_port_is_none(server: Any, body: str) -> None:
    server.answers = [server.reply(200, body)]
    assert await find_local_servers(LOCAL, ports=(("Ollama", server.port),)) == []
