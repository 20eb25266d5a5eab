"""Builds the language model that a slot's settings name. Building reaches no server and loads no weights."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.settings import ModelSlot
from familiar_app.models.bundled import BUNDLED_NAME, bundled_model_path, is_bundled
from familiar_app.models.discovery import FoundServer as FoundServer
from familiar_app.models.discovery import find_local_servers as find_local_servers
from familiar_app.models.llama_cpp import LlamaCppModel
from familiar_app.models.llama_fit import read_model_file
from familiar_app.models.llama_host import HostOptions, HostPool
from familiar_app.models.network import NetworkPolicy, trusted_certificates
from familiar_app.models.openai import OpenAIModel, Patience
from familiar_app.models.port import LanguageModel
from familiar_app.models.scripted import Script, ScriptedModel, read_script
from familiar_app.models.turnstile import Turnstile

SecretReader = Callable[[str], Awaitable[str | None]]


@dataclass(slots=True)
class SharedModels:
    """What slots have in common: workers that run one file, scripts that are used up, doors of endpoints."""

    hosts: HostPool = field(default_factory=HostPool)
    scripts: dict[Path, Script] = field(default_factory=dict)
    turnstiles: dict[tuple[str, int], Turnstile] = field(default_factory=dict)


async def build_model(
    slot: ModelSlot,
    *,
    network: NetworkPolicy,
    secret: SecretReader,
    base_dir: Path,
    shared: SharedModels | None = None,
) -> LanguageModel:
    """Return the model of a slot; relative file names are taken from `base_dir`.

    Give all slots of a program the same `shared`, so that one file is loaded once. Raises BadInputError (settings,
    script) or OutsideError. A GGUF file that is missing or broken shows at `prepare` or at the first request.
    """
    shared = shared if shared is not None else SharedModels()
    if slot.provider == "scripted":
        return await _scripted(slot, base_dir, shared)
    if slot.provider == "llama_cpp":
        return await _llama_cpp(slot, base_dir, shared)
    return await _openai(slot, network, secret, shared)


async def _scripted(slot: ModelSlot, base_dir: Path, shared: SharedModels) -> ScriptedModel:
    path = _path(slot.model, base_dir)
    if path not in shared.scripts:
        shared.scripts[path] = await asyncio.to_thread(read_script, path)
    return ScriptedModel(shared.scripts[path], name=path.name, context_tokens=slot.context_tokens)


async def _llama_cpp(slot: ModelSlot, base_dir: Path, shared: SharedModels) -> LlamaCppModel:
    bundled = is_bundled(slot.model)
    path = bundled_model_path() if bundled else _path(slot.model, base_dir)
    try:
        header = await asyncio.to_thread(read_model_file, path)
    except FamiliarError:
        # The familiar can still be opened and its memory read; `prepare` gives the reason.
        header = None
    options = HostOptions(
        path=path,
        context_tokens=slot.context_tokens,
        gpu_layers=slot.gpu_layers,
        threads=slot.threads,
        idle_unload_s=slot.idle_unload_s,
    )
    return LlamaCppModel(
        shared.hosts,
        options,
        header=header,
        name=BUNDLED_NAME if bundled else None,
        weak=bundled,
        silence_s=max(slot.timeout_s, 300.0),
    )


async def _openai(slot: ModelSlot, network: NetworkPolicy, secret: SecretReader, shared: SharedModels) -> OpenAIModel:
    key = await secret(slot.api_key_secret) if slot.api_key_secret else None
    await asyncio.to_thread(trusted_certificates)
    door = (slot.base_url, slot.max_requests_in_flight)
    turnstile = shared.turnstiles.setdefault(door, Turnstile(slot.max_requests_in_flight))
    return OpenAIModel(
        network,
        base_url=slot.base_url,
        model=slot.model,
        api_key=key,
        context_tokens=slot.context_tokens,
        patience=Patience(first_token_s=slot.timeout_s, between_tokens_s=slot.timeout_s, max_retries=slot.max_retries),
        turnstile=turnstile,
    )


def _path(name: str, base_dir: Path) -> Path:
    return (base_dir / Path(name).expanduser()).resolve()
