"""Puts layers and lines together into the messages that a model gets.

Every chat template understands the form: one system message, then user and assistant in turn, a user first and, where
there is somebody to answer, a user last. So everything before the history is one system message, neighbouring lines of
one role are one message, a history that begins with the familiar gets a user's message before it, and the closing
layers end the last user message (or, where the settings say so, stand in a system message of their own).
"""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.context.prompt_text import prompt_text
from familiar_app.context.recent_history import HistoryLine
from familiar_app.domain.trace import TracedMessage

NamedText = tuple[str, str]
_GAP = {"user": "\n", "assistant": "\n\n"}


def opening() -> str:
    """Return what stands before a history that begins with the familiar's own words."""
    return prompt_text("opening")


def compose(
    head: Sequence[NamedText],
    lines: Sequence[HistoryLine],
    tail: Sequence[NamedText],
    *,
    history_layer: str,
    closing_role: str,
) -> tuple[TracedMessage, ...]:
    """Return the parts of the messages in order, without empty ones; `messages_as_sent` joins them."""
    parts: list[TracedMessage] = []
    for layer, text in head:
        _add(parts, "system", text, layer, gap="\n\n")
    if lines and lines[0].role == "assistant":
        _add(parts, "user", opening(), history_layer)
    for line in lines:
        turn = line.turn.id if line.turn.id > 0 else None
        _add(parts, line.role, line.text, history_layer, gap=_GAP[line.role], turn=turn)
    for layer, text in tail:
        # Round brackets set it apart from the words of the last speaker.
        framed = f"({text})" if text and closing_role == "user" else text
        _add(parts, closing_role, framed, layer, gap="\n\n")
    return tuple(parts)


def _add(
    parts: list[TracedMessage], role: str, text: str, layer: str, *, gap: str = "\n", turn: int | None = None
) -> None:
    if not text:
        return
    joined = bool(parts) and parts[-1].role == role
    parts.append(
        TracedMessage(role=role, content=gap + text if joined else text, layer=layer, turn=turn, joined=joined)
    )
