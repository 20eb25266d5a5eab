"""Finds out what an OpenAI-compatible server says of its model: whether it has it, its context, its tokenizer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from familiar_app.domain.chat import Message
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import ntr, tr
from familiar_app.models.token_estimate import estimate_prompt_tokens, estimate_tokens
from familiar_app.models.wire import whole_text, wire_messages

_PROBE_S = 3.0
_COUNT_S = 30.0
_LISTED_MODELS = 5
_KEPT_COUNTS = 20_000
_CONTEXT_KEYS = (
    "n_ctx",
    "context_length",
    "max_model_len",
    "loaded_context_length",
    "max_context_length",
    "context_window",
)


@dataclass(frozen=True, slots=True)
class EndpointFacts:
    """What a server said. `context_tokens` is None where it did not; `tokenizes` that it counts tokens for us."""

    context_tokens: int | None
    tokenizes: bool


def endpoint_address(base_url: str) -> str:
    """Return the address requests go below; one without a path gets the usual `/v1`."""
    parts = urlsplit(base_url.rstrip("/"))
    return urlunsplit(parts._replace(path=parts.path or "/v1", query="", fragment=""))


class Endpoint:
    """One model on one server. The client brings key and time-outs."""

    def __init__(self, client: httpx.AsyncClient, address: str, model: str) -> None:
        self._client = client
        self._address = address
        self._root = address.removesuffix("/v1")
        self._model = model
        self._tokenizes = False
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def explore(self) -> EndpointFacts:
        """Ask the server about the model. Raises httpx.HTTPError, or OutsideError where it does not have the model."""
        response = await self._client.get(
            f"{self._address}/models", timeout=httpx.Timeout(_PROBE_S * 3, connect=_PROBE_S)
        )
        if response.status_code in (404, 405, 501):
            # Some endpoints have no list of models; the first request shows whether they have the model.
            return EndpointFacts(None, tokenizes=False)
        if response.status_code != 200:
            raise httpx.HTTPStatusError("refused", request=response.request, response=response)
        models = _models(_json(response), urlsplit(self._address).netloc)
        entry = self._entry(models)
        llama_server = any(model.get("owned_by") == "llamacpp" for model in models)
        if llama_server:
            await self._try_tokenizer()
        return EndpointFacts(await self._context(entry, llama_server=llama_server), self._tokenizes)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count by the server's tokenizer where it has one, else estimate. Raises httpx.HTTPError."""
        if not self._tokenizes:
            return [estimate_tokens(text) for text in texts]
        return [await self._count(text, special=False) if text else 0 for text in texts]

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """Count a whole prompt likewise, through the server's own template. Raises httpx.HTTPError."""
        if not self._tokenizes:
            return estimate_prompt_tokens(messages)
        answer = await self._post("apply-template", {"messages": wire_messages(messages)})
        prompt = answer.get("prompt") if isinstance(answer, dict) else None
        return await self._count(prompt, special=True) if isinstance(prompt, str) else estimate_prompt_tokens(messages)

    async def _count(self, text: str, *, special: bool) -> int:
        key = f"{int(special)}{text}"
        if key not in self._counts:
            answer = await self._post(
                "tokenize", {"content": whole_text(text), "add_special": special, "parse_special": True}
            )
            tokens = answer.get("tokens") if isinstance(answer, dict) else None
            if not isinstance(tokens, list):
                return estimate_tokens(text)
            self._counts[key] = len(tokens)
            while len(self._counts) > _KEPT_COUNTS:
                self._counts.popitem(last=False)
        return self._counts[key]

    async def _post(self, name: str, body: dict[str, Any]) -> Any:
        response = await self._client.post(f"{self._root}/{name}", json=body, timeout=_COUNT_S)
        return _json(response) if response.status_code == 200 else None

    async def _try_tokenizer(self) -> None:
        answer = await self._post("tokenize", {"content": "a", "add_special": False})
        self._tokenizes = isinstance(answer, dict) and isinstance(answer.get("tokens"), list)

    def _entry(self, models: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return what the server says of our model, None where it says nothing of any."""
        names = [model["id"] for model in models]
        for wanted in (self._model, f"{self._model}:latest", self._model.partition(":")[0]):
            if wanted in names:
                return models[names.index(wanted)]
        if not names:
            return None
        if any(model.get("owned_by") == "llamacpp" for model in models):
            # It serves the one model it was started with, whatever name is asked for.
            return models[0]
        shown = ", ".join(name[:80] for name in sorted(names)[:_LISTED_MODELS])
        left = len(names) - _LISTED_MODELS
        offer = tr("It offers {names}.", names=shown)
        if left > 0:
            offer = ntr("It offers {names} and {n} more.", "It offers {names} and {n} more.", left, names=shown)
        host = urlsplit(self._address).netloc
        raise OutsideError(tr("{host} has no model named {model!r}.", host=host, model=self._model), offer)

    async def _context(self, entry: dict[str, Any] | None, *, llama_server: bool) -> int | None:
        if llama_server:
            props = await self._probe("props")
            settings = props.get("default_generation_settings")
            found = _first_count(settings, ("n_ctx",)) if isinstance(settings, dict) else None
            if found:
                return found
        entry = entry or {}
        found = _first_count(entry, _CONTEXT_KEYS)
        if found:
            return found
        if entry.get("owned_by") == "koboldcpp":
            return _first_count(await self._probe("api/extra/true_max_context_length"), ("value",))
        if entry.get("owned_by") == "library":
            return _ollama_context(await self._probe("api/ps"), entry["id"])
        if entry.get("owned_by") == "organization_owner":
            listed = (await self._probe("api/v0/models")).get("data")
            mine = (
                [each for each in listed if isinstance(each, dict) and each.get("id") == entry["id"]]
                if isinstance(listed, list)
                else []
            )
            return _first_count(mine[0], _CONTEXT_KEYS) if mine else None
        meta = entry.get("meta")
        return _first_count(meta, ("n_ctx", "n_ctx_train")) if isinstance(meta, dict) else None

    async def _probe(self, path: str) -> dict[str, Any]:
        """Ask a further address that only some servers have; nothing where this one has not."""
        try:
            response = await self._client.get(f"{self._root}/{path}", timeout=_PROBE_S)
        except httpx.HTTPError:
            return {}
        answer = _json(response) if response.status_code == 200 else None
        return answer if isinstance(answer, dict) else {}


def _models(answer: Any, host: str) -> list[dict[str, Any]]:
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise OutsideError(
            tr("{host} does not answer as an OpenAI-compatible server.", host=host),
            tr("Check the address; it often ends in /v1."),
        )
    return [model for model in data if isinstance(model, dict) and isinstance(model.get("id"), str)]


def _ollama_context(running: dict[str, Any], name: str) -> int | None:
    models = running.get("models")
    for model in models if isinstance(models, list) else []:
        if isinstance(model, dict) and model.get("name") == name:
            return _first_count(model, ("context_length",))
    return None


def _first_count(values: dict[str, Any], keys: Sequence[str]) -> int | None:
    for key in keys:
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None
