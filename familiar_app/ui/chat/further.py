"""Which answers were cut off at their length limit, as their traces tell: the person can have them continued."""

from __future__ import annotations

from typing import TYPE_CHECKING

from familiar_app.domain.ids import TurnId
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Turn

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel


def cut_off(trace: PromptTrace) -> bool:
    """Tell whether an answer ended because it was as long as it may be."""
    return trace.error is None and (trace.usage or {}).get("finish") == "length"


class CutAnswers:
    """What is known of the answers at the end of channels. Only the last answer is ever asked about."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._known: dict[TurnId, bool] = {}

    def holds(self, turn: Turn | None) -> bool:
        """Tell whether an answer stands as it was cut off; one that was changed by hand counts as whole."""
        return turn is not None and turn.revision == 1 and self._known.get(turn.id, False)

    def note(self, answer: TurnId, trace: PromptTrace | None) -> None:
        """Take in what the trace of an answer tells."""
        self._known[answer] = trace is not None and cut_off(trace)

    async def look(self) -> None:
        """Read what is not yet known of the last answer of the open channel, and show it."""
        answer = self._chat.open.last_answer() if self._chat.open else None
        if answer is None or answer.trace is None or answer.id in self._known:
            return
        self.note(answer.id, await self._chat.vault.traces.for_turn(answer.id))
        if self._known[answer.id]:
            self._chat.tell("rows")
