"""Tool calls for models that have no form of their own for them: a tag around one JSON object in the answer's text.

The prompt explains the tag. What stands between the tags is read strictly; anything else is told back to the model,
and never shown to anybody.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.domain.chat import ToolCall, ToolSpec

OPEN, CLOSE = "<tool_call>", "</tool_call>"
MAX_CALL_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A call that is not in the form the prompt explains, and what is wrong with it."""

    problem: str
    text: str


def explanation(specs: Sequence[ToolSpec]) -> str:
    """Return what the prompt says about tools and how to call them."""
    listed = "\n".join(_listed(spec) for spec in specs)
    return fill(prompt_text("tools"), tools=listed)


def read_call(text: str, number: int) -> ToolCall | Unreadable:
    """Read what stands between the tags: an object with exactly `name` and `arguments`."""
    if len(text) > MAX_CALL_CHARS:
        return Unreadable("it is too long", text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Unreadable("it is not one JSON object", text)
    if not isinstance(value, dict) or set(value) != {"name", "arguments"}:
        return Unreadable("it must have name and arguments, and nothing else", text)
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return Unreadable("name must be a text and arguments an object", text)
    return ToolCall(f"text_{number}", name, json.dumps(arguments, ensure_ascii=False))


def written_call(call: ToolCall | Unreadable) -> str:
    """Return a call as the model wrote it."""
    if isinstance(call, Unreadable):
        return f"{OPEN}{call.text[:MAX_CALL_CHARS]}{CLOSE}"
    return f'{OPEN}{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}{CLOSE}'


def _listed(spec: ToolSpec) -> str:
    properties = spec.parameters.get("properties", {})
    required = spec.parameters.get("required", ())
    lines = [f"- {spec.name}: {spec.description}"]
    for name, told in properties.items():
        choice = f" One of: {', '.join(told['enum'])}." if "enum" in told else ""
        wanted = "" if name in required else ", may be left out"
        lines.append(f"  - {name} ({told.get('type', 'any')}{wanted}): {told.get('description', '')}{choice}")
    return "\n".join(lines)
