"""Puts layers and lines together into the messages that a model gets.

Every chat template understands the form: one system message, then user and assistant in turn, a user first and, where
there is somebody to answer, a user last. So everything before the history is one system message, neighbouring lines of
one role are one message, a history that begins with the familiar gets a user's message before it, and the closing
layers end the last user message (or, where the settings say so, stand in a system message of their own).
"""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.context.lorebook import LOREBOOK, Insertion
from familiar_app.context.prompt_text import prompt_text
from familiar_app.context.recent_history import HistoryLine
from familiar_app.domain.lorebook.entry import LoreRole
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
    insertions: Sequence[Insertion] = (),
) -> tuple[TracedMessage, ...]:
    """Return the parts of the messages in order, without empty ones; `messages_as_sent` joins them."""
    parts: list[TracedMessage] = []
    for layer, text in head:
        _add(parts, "system", text, layer, gap="\n\n")
    inserted = _by_place(insertions, len(lines))
    if lines and lines[0].role == "assistant" and not inserted.get(0):
        _add(parts, "user", opening(), history_layer)
    for place, line in enumerate(lines):
        _insert(parts, inserted.get(place, ()), opens=place == 0)
        turn = line.turn.id if line.turn.id > 0 else None
        _add(parts, line.role, line.text, history_layer, gap=_GAP[line.role], turn=turn)
    _insert(parts, inserted.get(len(lines), ()), closes=True)
    for layer, text in tail:
        # Round brackets set it apart from the words of the last speaker.
        framed = f"({text})" if text and closing_role == "user" else text
        _add(parts, closing_role, framed, layer, gap="\n\n")
    return tuple(parts)


def _by_place(insertions: Sequence[Insertion], lines: int) -> dict[int, list[Insertion]]:
    """Sort insertions by the number of lines before them; what lies deeper than the history comes first."""
    places: dict[int, list[Insertion]] = {}
    for one in insertions:
        place = min(one.depth, lines) if one.from_start else max(0, lines - one.depth)
        places.setdefault(place, []).append(one)
    return places


def _insert(
    parts: list[TracedMessage], insertions: Sequence[Insertion], *, opens: bool = False, closes: bool = False
) -> None:
    """Add text among the lines. The familiar's own words neither open nor close the conversation.

    A system message in its midst is refused by many templates, so what is no speaker's stands in round brackets.
    """
    for one in insertions:
        own = one.role is LoreRole.ASSISTANT and not opens and not closes
        role, text = ("assistant", one.text) if own else ("user", f"({one.text})")
        _add(parts, role, text, LOREBOOK, gap=_GAP[role])


def _add(
    parts: list[TracedMessage], role: str, text: str, layer: str, *, gap: str = "\n", turn: int | None = None
) -> None:
    if not text:
        return
    joined = bool(parts) and parts[-1].role == role
    parts.append(
        TracedMessage(role=role, content=gap + text if joined else text, layer=layer, turn=turn, joined=joined)
    )
