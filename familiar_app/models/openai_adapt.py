"""What an endpoint has turned out not to know, and the form of request it gets instead."""

from __future__ import annotations

import json
from typing import Any

from familiar_app.models.openai_error import Refusal

_FORM_WORDS = ("response_format", "json_schema", "structured output", "schema", "grammar", "guided")
_OPTION_WORDS = ("stream_options", "include_usage")
_TOOL_WORDS = ("tool", "function call", "jinja")
_OWN_SAMPLING = ("top_k", "min_p", "repeat_penalty", "repetition_penalty")


class Adaptations:
    """Learns from refusals. Each is learnt once, so a request is sent again a bounded number of times."""

    def __init__(self, *, local: bool) -> None:
        self._local = local
        self._known: set[str] = set()

    @property
    def without_tools(self) -> bool:
        """Whether the endpoint takes no tools."""
        return "no_tools" in self._known

    def apply(self, wire: dict[str, Any]) -> dict[str, Any]:
        """Return the request in the form the endpoint takes."""
        sent = dict(wire)
        penalty = sent.get("repeat_penalty")
        if penalty is not None:
            # Local servers call it as llama.cpp does, hosted ones as the transformers library does.
            sent["repetition_penalty"] = penalty
            if not self._local:
                del sent["repeat_penalty"]
        if "no_schema" in self._known and "response_format" in sent:
            sent["messages"] = _with_schema_told(sent)
            del sent["response_format"]
        if "no_tools" in self._known:
            sent.pop("tools", None)
        if "completion_tokens" in self._known:
            sent["max_completion_tokens"] = sent.pop("max_tokens")
        if "no_usage" in self._known:
            sent.pop("stream_options", None)
        if "plain_sampling" in self._known:
            sent = {key: value for key, value in sent.items() if key not in _OWN_SAMPLING}
        return sent

    def learn(self, refusal: Refusal, wire: dict[str, Any]) -> bool:
        """Take in a refusal; True where another form of the same request is worth sending."""
        lesson = self._lesson(refusal, wire)
        if lesson is None or lesson in self._known:
            return False
        self._known.add(lesson)
        return True

    def _lesson(self, refusal: Refusal, wire: dict[str, Any]) -> str | None:
        if refusal.status not in (400, 404, 415, 422, 500, 501):
            return None
        if "response_format" in wire and refusal.mentions(*_FORM_WORDS):
            return "no_schema"
        if "tools" in wire and refusal.mentions(*_TOOL_WORDS):
            return "no_tools"
        if refusal.status not in (400, 422):
            return None
        if refusal.mentions("max_completion_tokens"):
            return "completion_tokens"
        if refusal.mentions(*_OPTION_WORDS):
            return "no_usage"
        if refusal.mentions(*_OWN_SAMPLING) and any(key in wire for key in _OWN_SAMPLING):
            return "plain_sampling"
        return None


def _with_schema_told(sent: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages with the answer's form told in words, behind what is there."""
    schema = json.dumps(sent["response_format"]["json_schema"]["schema"], ensure_ascii=False)
    told = f"Answer with one JSON value and nothing else. It must fit this JSON Schema:\n{schema}"
    messages = list(sent["messages"])
    last = messages[-1]
    # Some templates take system messages at the beginning only, so the words join the last message of the person.
    if last["role"] == "user":
        return [*messages[:-1], {**last, "content": f"{last['content']}\n\n{told}"}]
    return [*messages, {"role": "user", "content": told}]
