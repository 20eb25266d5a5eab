"""What the newest messages bring back from memory: noted facts, and earlier turns with those beside them.

Finding is the part of `memory_reader`; here is how it is chosen, written down and told of in a trace. An item is shown
whole or not at all. What the recent history shows already is left out, and so is what the room does not hold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from familiar_app.context.layer import LayerContext
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.ranking import NEUTRAL
from familiar_app.domain.recall import Hit
from familiar_app.domain.record import record
from familiar_app.domain.text import tr_later
from familiar_app.domain.trace import LeftOut

RETRIEVED = "retrieved_context"
NOT_READY = tr_later("the search index is not ready yet")
_FRAME = "layer/retrieved_context"
_FACTS, _TURNS = "Noted:", "Said earlier:"
# What each code in a trace means.
KEPT, SCORE, CAP, LIMIT, HELD, WINDOW, LEFT_OUT = "kept", "score", "cap", "limit", "audience", "window", "left_out"
_REASONS = {
    CAP: tr_later("longer than the room left for what is remembered"),
    SCORE: tr_later("nothing in it fits what is spoken of"),
    LIMIT: tr_later("enough better ones were found"),
    WINDOW: tr_later("stands among the recent turns already"),
}


@record(frozen=True, slots=True)
class Line:
    """A turn or a fact as it is written. `place` puts turns in order: channel, then number."""

    place: tuple[int, int]
    text: str
    tokens: int


@record(frozen=True, slots=True)
class Item:
    """One hit with the lines it needs: its own, and for a turn those beside it."""

    hit: Hit
    own: Line
    beside: tuple[Line, ...] = ()
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """What stands in the prompt, and for each item why it does or does not."""

    text: str = ""
    verdicts: Mapping[tuple[str, int], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was found for one moment, best first. `why_nothing` tells why nothing could be looked up.

    `char` names the familiar in the heading, `limit` is the most items, `frame_tokens` what the heading takes.
    """

    key: str = ""
    char: str = ""
    items: tuple[Item, ...] = ()
    held: tuple[Hit, ...] = ()
    limit: int = 0
    cap_tokens: int = 0
    frame_tokens: int = 0
    speakers: float = 1.0
    why_nothing: str = ""
    whole: str = ""

    async def choose(self, counter: TokenCounter, room: int, shown: Collection[int] = ()) -> Chosen:
        """Take the best items that `room` tokens hold; `shown` are the turns that the prompt has anyway."""
        taken = _Taken(self.limit, room - self.frame_tokens, frozenset(shown))
        for item in self.items:
            taken.weigh(item)
        while taken.order:
            text = self._text(taken)
            if (await counter.count([text]))[0] <= room:
                return Chosen(text, taken.verdicts)
            # Joined lines can cost more than they did one by one.
            taken.give_back()
        return Chosen("", taken.verdicts)

    async def fit(self, counter: TokenCounter, room: int, shown: Collection[int]) -> Chosen:
        """Take what the cap holds where that fits into `room`, else less."""
        chosen = await self.choose(counter, self.cap_tokens, shown)
        if room < self.cap_tokens and (await counter.count([chosen.text]))[0] > room:
            return await self.choose(counter, room, shown)
        return chosen

    def candidates(self, chosen: Chosen) -> tuple[dict[str, Any], ...]:
        """Return every candidate as a trace keeps it, what was held back from the audience last."""
        found = [_candidate(one.hit, chosen.verdicts[_key(one.hit)], _cost(one)) for one in self.items]
        return (*found, *(_candidate(hit, HELD, 0) for hit in self.held))

    def left_out(self, chosen: Chosen) -> tuple[LeftOut, ...]:
        """Return what was found and not shown, but for what was simply out-ranked."""
        found = [] if not self.why_nothing else [LeftOut(what=RETRIEVED, tokens=0, reason=self.why_nothing)]
        for item in self.items:
            why = chosen.verdicts[_key(item.hit)]
            if why in (CAP, WINDOW):
                found.append(LeftOut(what=_what(item.hit), tokens=_cost(item), reason=_REASONS[why]))
        found += [LeftOut(what=_what(hit), tokens=0, reason=str(hit.held)) for hit in self.held]
        return tuple(found)

    def ranking(self, weights: Mapping[str, float]) -> dict[str, Any]:
        """Return what the candidates were ranked by, so that they can be ranked again."""
        return {
            "speakers": self.speakers,
            "limit": self.limit,
            "cap_tokens": self.cap_tokens,
            "weights": dict(weights),
        }

    def _text(self, taken: _Taken) -> str:
        facts = [item.own.text for item in taken.order if item.hit.kind != "turn"]
        parts = [f"{_FACTS}\n" + "\n".join(facts)] if facts else []
        lines = sorted(taken.lines.values(), key=lambda line: line.place)
        if lines:
            parts.append(f"{_TURNS}\n" + "\n".join(line.text for line in lines))
        return fill(prompt_text(_FRAME), char=self.char, text="\n\n".join(parts))


@dataclass(slots=True)
class _Taken:
    """What has been taken so far, within a number of items and of tokens."""

    limit: int
    room: int
    shown: frozenset[int]
    order: list[Item] = field(default_factory=list)
    lines: dict[int, Line] = field(default_factory=dict)
    verdicts: dict[tuple[str, int], str] = field(default_factory=dict)

    def weigh(self, item: Item) -> None:
        self.verdicts[_key(item.hit)] = self._weigh(item)

    def give_back(self) -> None:
        """Let the last item go."""
        item = self.order.pop()
        self.verdicts[_key(item.hit)] = CAP
        kept = [one for one in self.order if one.hit.kind == "turn"]
        self.lines = {}
        for one in kept:
            self._add(one, self._new(one, with_beside=True))

    def _weigh(self, item: Item) -> str:
        hit = item.hit
        if item.dropped:
            return LEFT_OUT
        if hit.kind == "turn" and hit.id in self.shown:
            return WINDOW
        if hit.kind == "turn" and hit.id in self.lines:
            return KEPT
        if not _fits(hit):
            return SCORE
        if len(self.order) >= self.limit:
            return LIMIT
        for with_beside in (True, False):
            lines = self._new(item, with_beside=with_beside)
            cost = sum(line.tokens + 1 for line in lines)
            if cost <= self.room:
                self.room -= cost
                self.order.append(item)
                self._add(item, lines)
                return KEPT
        return CAP

    def _new(self, item: Item, *, with_beside: bool) -> list[Line]:
        """Return the lines that an item adds to what is there and to what the prompt shows."""
        lines = (item.own, *item.beside) if with_beside else (item.own,)
        return [line for line in lines if line.place[1] not in self.lines and line.place[1] not in self.shown]

    def _add(self, item: Item, lines: list[Line]) -> None:
        if item.hit.kind == "turn":
            self.lines |= {line.place[1]: line for line in lines}


class RetrievedContextLayer:
    """Shows what was found for this moment; the assembler had it looked up before."""

    name = RETRIEVED

    async def invalidation_key(self, ctx: LayerContext) -> str:
        return ctx.recalled.key if ctx.recalled is not None else ""

    async def build(self, ctx: LayerContext) -> str:
        return ctx.recalled.whole if ctx.recalled is not None else ""


def _fits(hit: Hit) -> bool:
    """Tell whether anything but its age and importance speaks for a hit; what only stands near in time comes along."""
    signals = hit.signals
    near = signals["nearness"]
    if near.weight > 0 and near.raw is not None and near.normalised >= NEUTRAL:
        return True
    return any(signals[name].raw for name in ("bm25", "neighbours", "facts", "named"))


def _key(hit: Hit) -> tuple[str, int]:
    return hit.kind, hit.id


def _what(hit: Hit) -> str:
    return f"{hit.kind} {hit.id}"


def _cost(item: Item) -> int:
    return item.own.tokens + sum(line.tokens for line in item.beside)


def _candidate(hit: Hit, why: str, tokens: int) -> dict[str, Any]:
    return {
        "kind": hit.kind,
        "id": hit.id,
        "text": hit.text,
        "score": hit.score,
        "signals": {
            name: {"raw": one.raw, "normalised": one.normalised, "weight": one.weight}
            for name, one in hit.signals.items()
        },
        "kept": why == KEPT,
        "why": why,
        "reason": str(hit.held) if hit.held is not None else _REASONS.get(why),
        "tokens": tokens,
        "neighbours": list(hit.neighbours),
        "sources": list(hit.sources),
    }
