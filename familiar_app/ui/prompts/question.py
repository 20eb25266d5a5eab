"""Questions about what is not in a prompt: why something is missing, and whether it would be said elsewhere.

Knows nothing of Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from familiar_app.domain.clock import local_time, parse_time
from familiar_app.domain.ids import TraceId
from familiar_app.domain.text import tr
from familiar_app.domain.trace_word import reason_text
from familiar_app.domain.turn import Channel
from familiar_app.ui.kit.date_text import numeric_date_time
from familiar_app.ui.prompts.candidate import why_word
from familiar_app.ui.prompts.item_word import item_word, opened

if TYPE_CHECKING:
    from familiar_app.conversation.inspector import Inspector
    from familiar_app.conversation.why_not import Named, WhyNot

MOST = 30


class WhyNotQuestion:
    """Finds things by their words and asks why one of them is not in the prompt."""

    def __init__(self) -> None:
        self.text = ""
        self.found: tuple[Named, ...] = ()
        self.answer: WhyNot | None = None
        self._asked = 0

    async def search(self, inspector: Inspector, trace: TraceId, text: str) -> bool:
        """Find what has these words; False where something else was typed meanwhile."""
        self._asked += 1
        ticket = self._asked
        found = await inspector.find(trace, text.strip(), limit=MOST) if text.strip() else []
        if ticket != self._asked:
            return False
        self.text, self.found, self.answer = text.strip(), tuple(found), None
        return True

    async def ask(self, inspector: Inspector, trace: TraceId, kind: str, number: int | str) -> None:
        """Learn why it is missing, or that it is there. Changes nothing."""
        self.answer = await inspector.why_not(trace, kind, number)

    def told(self, zone: tzinfo) -> str:
        """Return the answer as a sentence, its time as clocks in `zone` show it; "" where nothing was answered."""
        if self.answer is None:
            return ""
        at = str(self.answer.detail.get("at") or "")
        if not at:
            return self.answer.sentence
        return self.answer.sentence.replace(at, numeric_date_time(local_time(parse_time(at), zone)))

    def clear_answer(self) -> None:
        """Forget the answer: it was about another prompt."""
        self.answer = None


def named_line(named: Named) -> str:
    """Return a found thing as one line."""
    return f"{opened(item_word(named.kind, named.id))}: {' '.join(named.text.split())}"


@dataclass(frozen=True, slots=True)
class HeardRow:
    """Something that memory has on a matter, and whether it would be told in a place."""

    kind: str
    id: int | str
    text: str
    told: bool
    why: str


class AudienceQuestion:
    """Asks what of a matter would be told in a channel, and what would be held back."""

    def __init__(self) -> None:
        self.channel: Channel | None = None
        self.rows: tuple[HeardRow, ...] = ()
        self.summary = ""

    async def ask(self, inspector: Inspector, channel: Channel, title: str, text: str) -> None:
        """Look into memory as that channel would. Changes nothing."""
        heard = await inspector.would_say(channel, text)
        self.channel = channel
        held = [_heard(one, told=False) for one in heard.held_back]
        self.rows = (*held, *(_heard(one, told=True) for one in heard.kept))
        if not self.rows:
            self.summary = tr("Memory has nothing on this that {title} would see.", title=title)
        elif held:
            self.summary = tr(
                "In {title}: {held} held back, {told} could be told.",
                title=title,
                held=len(held),
                told=len(heard.kept),
            )
        else:
            self.summary = tr(
                "In {title}: nothing is held back; {told} could be told.", title=title, told=len(heard.kept)
            )


def _heard(one: Mapping[str, Any], *, told: bool) -> HeardRow:
    why = str(one.get("why") or "")
    text = " ".join(str(one.get("text") or "").split())
    reason = str(one.get("reason") or "")
    shown = tr("It may be told here.") if told else reason_text(reason) if reason else why_word(why)
    return HeardRow(str(one.get("kind", "")), one.get("id", 0), text, told, shown)
