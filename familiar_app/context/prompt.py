"""What a prompt is asked for with, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from familiar_app.domain.chat import ChatRequest
from familiar_app.domain.ids import TurnId
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Channel
from familiar_app.domain.variation import UNCHANGED, Variation


@dataclass(frozen=True)
class PromptRequest:
    """What a prompt is wanted for. The history goes up to and including `until`, by default to the newest turn.

    `pending` is the text of a message by the owner that is not stored; it is shown as the last one. With `known_at` the
    prompt is the one that would have been made at that instant, out of what was there and believed by then; with
    `as_of` its facts are those that were true at that time in the world. With `preview` looking changes nothing.
    `lore` is a trace's story of its lorebooks, whose chance and timers are taken again. `set_aside_tokens` are left
    free for what is added to the prompt afterwards. With `must_speak` the answer may not be silence.
    """

    channel: Channel
    mode: str = "text"
    purpose: str = "reply"
    until: TurnId | None = None
    pending: str | None = None
    known_at: datetime | None = None
    as_of: datetime | None = None
    variation: Variation = UNCHANGED
    preview: bool = False
    lore: Mapping[str, Any] | None = None
    set_aside_tokens: int = 0
    must_speak: bool = False

    @property
    def looks_only(self) -> bool:
        """Whether this is not the prompt of a reply that will be stored."""
        return self.preview or self.pending is not None or self.known_at is not None or self.variation != UNCHANGED


@dataclass(frozen=True)
class AssembledPrompt:
    """A request for the model and its trace. `speakers` are the names of the others as the prompt shows them."""

    request: ChatRequest
    trace: PromptTrace
    char: str = ""
    speakers: tuple[str, ...] = ()
    may_stay_silent: bool = False
