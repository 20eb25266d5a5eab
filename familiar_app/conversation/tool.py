"""What a tool is: something the familiar may do while it answers. `tool_registry` lists them, a class for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from familiar_app.domain.chat import ToolSpec
from familiar_app.domain.ids import TurnId
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.turn import Channel


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What lies around a channel: the other places that may be spoken of in it, and what is at work there.

    `reminders` are waiting in the channel; `focused` tells whether the familiar attends to chosen channels only.
    """

    here: Channel | None = None
    places: tuple[Channel, ...] = ()
    reminders: int = 0
    focused: bool = False


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a tool is offered for: the settings, whether saying nothing would be an answer, what lies around."""

    config: CharacterConfig
    may_stay_silent: bool
    around: Surroundings = field(default_factory=Surroundings)


@dataclass(frozen=True, slots=True)
class Caller:
    """Where a call comes from, its id, and whether the familiar has said something in this reply already."""

    context: ToolContext
    call_id: str
    has_spoken: bool
    channel: Channel | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers. `text` is for the model; the log keeps `told` in its place, where that is given. `shows` are
    the turns whose words the text repeats.

    `logged` tells that nothing is to be put into the log: the tool has done so itself, in one transaction with what it
    did (then `turn` is that turn), or there is nothing to tell later. `silences` ends the reply without a word.
    """

    success: bool
    text: str
    logged: bool = False
    turn: TurnId | None = None
    silences: bool = False
    told: str | None = None
    shows: tuple[TurnId, ...] = ()


class Tool(Protocol):
    """A tool. `call` never raises for what a model can do wrong: that is an answer without success."""

    @property
    def spec(self) -> ToolSpec: ...

    def fits(self, occasion: Occasion) -> bool:
        """Tell whether the tool makes sense on this occasion."""
        ...

    async def call(self, arguments: Mapping[str, Any], caller: Caller, /) -> ToolAnswer: ...
