"""The JSON forms of turns and prompt traces, as scripts rely on them. What is absent is null, never missing."""

from __future__ import annotations

from typing import Any

from familiar_app.domain.clock import format_time
from familiar_app.domain.trace import PromptTrace, TracedMessage, messages_as_sent
from familiar_app.domain.turn import Turn

_CANDIDATE = ("kind", "id", "text", "score", "signals", "kept", "why")


def turn_shape(turn: Turn) -> dict[str, Any]:
    """Return a turn's JSON form."""
    author = turn.author
    return {
        "id": turn.id,
        "channel": turn.channel_key,
        "familiar": turn.familiar,
        "guild": turn.guild,
        "role": turn.role.value,
        "author": None if author is None else {"key": author.key, "name": author.name},
        "content": turn.content,
        "at": format_time(turn.at),
        "arrived_at": format_time(turn.arrived_at),
        "message_id": turn.message_id,
        "reply_to": turn.reply_to,
        "mode": turn.mode,
        "revision": turn.revision,
        "deleted": turn.deleted,
    }


def prompt_shape(trace: PromptTrace) -> dict[str, Any]:
    """Return what a prompt is made of."""
    return {
        "messages": [
            {
                "role": message.role,
                "content": message.content,
                "parts": [{"layer": part.layer, "turn": part.turn, "content": part.content} for part in parts],
            }
            for message, parts in zip(messages_as_sent(trace.messages), _parts(trace), strict=True)
        ],
        "tokens": trace.tokens,
        "layers": [
            {
                "name": layer.name,
                "key": layer.key,
                "cached": layer.cached,
                "tokens": layer.tokens,
                "text": layer.text,
                "left_out": [item.model_dump(mode="json") for item in layer.left_out],
            }
            for layer in trace.layers
        ],
        "candidates": [{name: one.get(name) for name in _CANDIDATE} for one in trace.candidates],
        "lorebook": trace.lorebook,
        "sampling": trace.sampling,
    }


def trace_shape(trace: PromptTrace) -> dict[str, Any]:
    """Return a stored trace: the prompt, and what became of it."""
    return prompt_shape(trace) | {
        "id": trace.id,
        "familiar": trace.familiar,
        "channel": trace.channel or None,
        "purpose": trace.purpose,
        "at": format_time(trace.at),
        "turn_id": trace.turn_id,
        "reply_turn_id": trace.reply_turn_id,
        "model": trace.model,
        "provider": trace.provider,
        "sent": trace.sent,
        "usage": trace.usage,
        "ms": trace.ms,
        "answer": trace.answer,
        "error": trace.error,
        "silent": trace.silent,
        "tools": [tool["name"] for tool in trace.tools],
        "rounds": [one.model_dump(mode="json") for one in trace.rounds],
    }


def _parts(trace: PromptTrace) -> list[list[TracedMessage]]:
    """Return which parts make up each message."""
    messages: list[list[TracedMessage]] = []
    for part in trace.messages:
        if part.joined and messages:
            messages[-1].append(part)
        else:
            messages.append([part])
    return messages
