"""Looks up what the newest messages bring back from memory, for those who hear the answer.

The cue is the newest message of a person. Where it says nothing by itself ("And then?"), or little but that it refers
to what was said before ("What did she say?"), the messages before it join, one by one, until that is enough.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from familiar_app.context.fact_line import fact_line
from familiar_app.context.history_line import LineStyle, body_text, format_moment, place_mark, speaker_name
from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.prompt_text import fill, prompt_text
from familiar_app.context.retrieved_context import (
    NOT_READY,
    RETRIEVED,
    Chosen,
    Item,
    Line,
    Recollection,
)
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.clock import local_time
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import OWNER, ChannelId, TurnId, is_local
from familiar_app.domain.recall import Hit, Recall, Recalled, Window
from familiar_app.domain.stop_word import STOP_WORDS
from familiar_app.domain.text import tr_later
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.turn_then import Then

log = logging.getLogger(__name__)

TELLING_WORDS = 3
"""Enough for a message that refers to others; one that does not needs a single one."""
MOST_MESSAGES = 4
JUST_MISSED = 16
"""Candidates beyond those that may be shown, kept in the trace."""
MOST_HELD = 8
_CUE_CHARS = 2000
_WORD = re.compile(r"\w{2,}")
_REFERRING = frozenset(
    ("he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "their", "this", "that", "these", "those")
)


@dataclass(frozen=True, slots=True)
class MemoryMoment:
    """The moment that is asked about: the turns up to now, oldest first, and the first one the prompt surely shows."""

    turns: Sequence[Turn]
    style: LineStyle
    shown_from: TurnId | None
    cap_tokens: int


class MemoryReader:
    """Looks into memory for the prompts of one familiar."""

    def __init__(self, counter: TokenCounter, embedder: Embedder | None) -> None:
        self._counter = counter
        self._embedder = embedder

    async def read(self, ctx: LayerContext, moment: MemoryMoment) -> Recollection:
        """Return what comes back. Raises OutsideError where the vault or the model's tokenizer fails."""
        most = ctx.config.budget.text.max_rag_items
        first = moment.shown_from
        request = Recall(
            familiar=ctx.familiar,
            cue=cue_of(moment.turns),
            weights=ctx.weights,
            limit=most if moment.cap_tokens else 0,
            missed=JUST_MISSED,
            as_of=ctx.as_of,
            known_at=ctx.known_at,
            window=None if first is None else Window(ctx.channel.id, first),
            until=ctx.until,
            audience=ctx.audience,
        )
        found, why_nothing = await self._look(ctx, request)
        heading = fill(prompt_text(f"layer/{RETRIEVED}"), char=ctx.char, text="")
        (frame,) = await self._counter.count([f"{heading}\nNoted:\n\nSaid earlier:\n"])
        recalled = Recollection(
            char=ctx.char,
            items=await self._items(ctx, moment, found),
            held=found.held,
            limit=most,
            cap_tokens=moment.cap_tokens,
            frame_tokens=frame,
            speakers=found.speakers,
            why_nothing=why_nothing,
        )
        chosen = await recalled.choose(self._counter, moment.cap_tokens)
        return replace(recalled, whole=chosen.text, key=_key(request, recalled, chosen))

    async def _look(self, ctx: LayerContext, request: Recall) -> tuple[Recalled, str]:
        """Search, by words alone where the embedder fails; tell why nothing was found where nothing could be."""
        look, why = partial(ctx.vault.retrieval.look, request, held=MOST_HELD, beside=True), ""
        try:
            found = await look(self._embedder)
        except OutsideError as error:
            if self._embedder is None:
                raise
            log.warning("the embedder failed; memory is searched by words alone", exc_info=error)
            found, why = await look(), tr_later("searched by words alone: no embedder")
        if not found.ready:
            return found, NOT_READY
        if found.missing:
            late = f"searched without the {found.missing} oldest turns: they are not indexed yet"
            why = f"{why}; {late}" if why else late
        return found, why

    async def _items(self, ctx: LayerContext, moment: MemoryMoment, found: Recalled) -> tuple[Item, ...]:
        around = {hit.turn.id: hit.turn for hit in found.hits if hit.turn is not None} | dict(found.beside)
        if ctx.known_at is not None or ctx.as_of is not None:
            # The index knows the turns as they are; those who look back see them as they stood.
            around = await ctx.vault.turns.standing(around.values(), Then(ctx.known_at, ctx.as_of))
        marks = await _place_marks(ctx, around.values())
        written = [_turn_line(ctx, turn, moment.style, marks[turn.channel]) for turn in around.values()]
        facts = {
            hit.id: fact_line(ctx, hit.fact, hit.labels, hit.told_by) for hit in found.hits if hit.fact is not None
        }
        counts = iter(await self._counter.count([*written, *facts.values()]))
        turns = {
            turn.id: Line((turn.channel, turn.id), text, next(counts))
            for turn, text in zip(around.values(), written, strict=True)
        }
        noted = {number: Line((0, -number), text, next(counts)) for number, text in facts.items()}
        return tuple(_item(ctx, hit, turns, noted) for hit in found.hits if hit.fact is not None or hit.id in turns)


def cue_of(turns: Sequence[Turn]) -> str:
    """Return what is searched for: the newest words of a person, and as much before them as it takes to tell enough."""
    spoken = [turn for turn in turns if turn.role in (Role.USER, Role.ASSISTANT) and turn.content.strip()]
    while spoken and spoken[-1].role is not Role.USER:
        spoken.pop()
    said: list[str] = []
    telling: set[str] = set()
    needed = 1
    for turn in reversed(spoken[-MOST_MESSAGES:]):
        words = set(_WORD.findall(turn.content[:_CUE_CHARS].casefold()))
        said.append(turn.content[:_CUE_CHARS])
        telling |= words - STOP_WORDS
        if words & _REFERRING:
            needed = TELLING_WORDS
        if len(telling) >= needed:
            break
    return "\n".join(said)


def _key(request: Recall, recalled: Recollection, chosen: Chosen) -> str:
    """Return what changes with everything that is shown, or told of in the trace."""
    audience = request.audience
    return key_of(
        request.cue,
        request.weights,
        None if audience is None else (audience.mode, sorted(audience.open_to), audience.unplaced),
        [(one.hit.kind, one.hit.id, round(one.hit.score, 9), one.own.text, one.beside) for one in recalled.items],
        [(hit.kind, hit.id, round(hit.score, 9), hit.text, hit.held) for hit in recalled.held],
        chosen.text,
        recalled.why_nothing,
    )


def _item(ctx: LayerContext, hit: Hit, turns: Mapping[TurnId, Line], noted: Mapping[int, Line]) -> Item:
    dropped = ctx.variation.drops(hit.kind, hit.id)
    if hit.fact is not None:
        return Item(hit, noted[hit.id], dropped=dropped)
    beside = tuple(turns[TurnId(number)] for number in hit.neighbours if number in turns)
    return Item(hit, turns[TurnId(hit.id)], beside, dropped)


def _turn_line(ctx: LayerContext, turn: Turn, style: LineStyle, mark: str) -> str:
    """Write a turn in one line, so that nothing in it can pass for another."""
    moment = format_moment(local_time(turn.at, style.zone), with_date=True)
    who = "a note" if turn.role is Role.SYSTEM else speaker_name(turn, style)
    if turn.author is not None and turn.author.key == OWNER:
        who = ctx.user_label
    return f"[T#{turn.id} {moment} {who}{mark}] {' '.join(body_text(turn).split())}"


async def _place_marks(ctx: LayerContext, turns: Iterable[Turn]) -> dict[ChannelId, str]:
    """Return how each channel is marked in a line; the one that is spoken in, and the window, are not."""
    marks: dict[ChannelId, str] = {}
    for turn in turns:
        if turn.channel in marks:
            continue
        marks[turn.channel] = ""
        if turn.channel != ctx.channel.id and not is_local(turn.channel_key):
            channel = await ctx.vault.channels.get(turn.channel)
            if channel is not None:
                marks[turn.channel] = place_mark(channel) if channel.guild is not None else " in a direct message"
    return marks
