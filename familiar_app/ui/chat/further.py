"""Which answers broke off, at their length limit or because they were stopped: the person can have them continued."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from familiar_app.domain.ids import TurnId
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Turn

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel

BreakOff = Literal["", "length", "stopped"]
_STOPPED = "stopped"


def cut_off(trace: PromptTrace) -> bool:
    """Tell whether an answer ended because it was as long as it may be."""
    return trace.error is None and (trace.usage or {}).get("finish") == "length"


def broken_off(trace: PromptTrace | None) -> BreakOff:
    """Tell why an answer is not whole; an empty word where it is, for all that its trace tells."""
    if trace is None:
        return ""
    return "stopped" if trace.error == _STOPPED else "length" if cut_off(trace) else ""


class CutAnswers:
    """What is known of the answers at the end of channels. Only the last answer is ever asked about."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._known: dict[TurnId, BreakOff] = {}

    def of(self, turn: Turn | None) -> BreakOff:
        """Tell why an answer that stands as it was made broke off; one that was changed by hand counts as whole."""
        return self._known.get(turn.id, "") if turn is not None and turn.revision == 1 else ""

    def holds(self, turn: Turn | None) -> bool:
        """Tell whether an answer can be gone on with."""
        return bool(self.of(turn))

    def note(self, answer: TurnId, trace: PromptTrace | None) -> None:
        """Take in what the trace of an answer tells."""
        self._known[answer] = broken_off(trace)

    async def look(self) -> None:
        """Read what is not yet known of the last answer of the open channel, and show it."""
        answer = self._chat.open.last_answer() if self._chat.open else None
        if answer is None or answer.trace is None or answer.id in self._known:
            return
        self.note(answer.id, await self._chat.vault.traces.for_turn(answer.id))
        if self._known[answer.id]:
            self._chat.tell("rows")
