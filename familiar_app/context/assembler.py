"""Builds the prompt for one reply out of its layers, within the model's context, and tells how in a trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from random import SystemRandom
from typing import Any

from familiar_app.context.fitting import Fitter
from familiar_app.context.history_line import LineStyle, place_mark, short_name, speaker_name
from familiar_app.context.layer import LayerContext
from familiar_app.context.layer_memo import LayerMemo
from familiar_app.context.lore_reader import LoreMoment, LoreReader, reach
from familiar_app.context.lore_replay import replay_of, without_entries
from familiar_app.context.lore_shelf import Lorebooks
from familiar_app.context.lorebook import LOREBOOK, LoreReading
from familiar_app.context.memory_reader import MemoryMoment, MemoryReader
from familiar_app.context.newest_turns import newest_turns
from familiar_app.context.plan import Fitted, Plan, layer_traces, moment_notes, told_lore
from familiar_app.context.prompt import AssembledPrompt as AssembledPrompt
from familiar_app.context.prompt import PromptRequest as PromptRequest
from familiar_app.context.prompt_text import check_mode
from familiar_app.context.recent_history import ReadHistory, RecentHistory
from familiar_app.context.registry import HISTORY, LAYERS, check_layers, check_order
from familiar_app.context.retrieved_context import RETRIEVED, Recollection
from familiar_app.context.saved_memories import SAVED_MEMORIES
from familiar_app.context.saved_memory_reader import SavedMemoryReader, Spoken
from familiar_app.context.stretch import Stretch
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.audience import Audience
from familiar_app.domain.budget import answer_tokens
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ChatRequest
from familiar_app.domain.clock import Clock
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.ids import OWNER, FamiliarId, TurnId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.trace import PromptTrace, messages_as_sent
from familiar_app.domain.turn import Author, Channel, Role, Turn
from familiar_app.models.port import LanguageModel
from familiar_app.store.turn_then import Then
from familiar_app.store.vault import Vault

_PENDING = TurnId(0)
_INSERTION_FRAME_TOKENS = 3


@dataclass
class Assembler:
    """Assembles the prompts of one familiar. `card` is asked at every assembly, so an edit counts at once.

    `chance` gives numbers in [0, 1) to lorebook entries that have a probability.
    Raises BadInputError for settings that name unknown layers.
    """

    familiar: FamiliarId
    card: Callable[[], CharacterCard]
    config: CharacterConfig
    vault: Vault
    model: LanguageModel
    clock: Clock
    owner_name: str
    lorebooks: Lorebooks | None = None
    embedder: Embedder | None = None
    chance: Callable[[], float] = field(default_factory=lambda: SystemRandom().random)
    _counter: TokenCounter = field(init=False)
    _memo: LayerMemo = field(init=False)
    _reader: RecentHistory = field(init=False)
    _fitter: Fitter = field(init=False)

    def __post_init__(self) -> None:
        check_layers(self.config)
        self._counter = TokenCounter(self.model)
        self._memo = LayerMemo()
        self._reader = RecentHistory(self.vault, self._counter)
        self._saved = SavedMemoryReader(self._counter, self.embedder)
        self._fitter = Fitter(self.config, self.model, self._counter, self._reader)
        self._layers = {name: build() for name, build in LAYERS.items()}
        self._lore = (
            None if self.lorebooks is None else LoreReader(self.lorebooks, self._counter, self.chance, self.embedder)
        )
        self._memory = MemoryReader(self._counter, self.embedder)

    @property
    def owner_label(self) -> str:
        """What this familiar calls the owner."""
        return short_name(self.config.conversation.owner_label) or short_name(self.owner_name) or "User"

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of texts as prompts do. Raises OutsideError where the model fails."""
        return await self._counter.count(texts)

    async def assemble(self, request: PromptRequest) -> AssembledPrompt:
        """Build the prompt. Raises UsageError (mode), UserError (no room in the model), OutsideError (model, vault)."""
        check_mode(request.mode)
        now = request.as_of or request.known_at or self.clock.now()
        plan = await self._plan(request, now)
        context = self._context_tokens()
        answer = answer_tokens(context, self.config.models.prose.max_answer_tokens)
        fitted = await self._fitter.fit(plan, context - answer - request.set_aside_tokens)
        trace = self._trace(request, plan, fitted, now, context, answer)
        if plan.ctx.memories is not None and not request.looks_only:
            await plan.ctx.memories.reinforce(plan.ctx, fitted.memories)
        chat = ChatRequest(
            slot="prose",
            purpose=request.purpose,
            messages=messages_as_sent(fitted.parts),
            max_tokens=answer,
            sampling=self.config.models.prose.sampling.as_sampling(),
        )
        speakers = tuple(dict.fromkeys(plan.history.speakers.values()))
        return AssembledPrompt(chat, trace, plan.ctx.char, speakers, plan.ctx.may_stay_silent)

    async def _plan(self, request: PromptRequest, now: datetime) -> Plan:
        """Read the history, then build every layer; who speaks decides what the layers say."""
        started = time.perf_counter()
        card = self.card()
        char = short_name(card.name) or self.familiar
        order = self._layer_order(request)
        caps = {name: cap for name in order if (cap := self.config.budget.text.cap(name)) is not None}
        caps |= {name: cap for name, cap in request.variation.caps.items() if name in order}
        pending = self._pending(request, now)
        history = await self._history(request, char, pending, caps.get(HISTORY, 1))
        history_ms = (time.perf_counter() - started) * 1000
        ctx = await self._context(request, card, history, now)
        if LOREBOOK in order:
            ctx = replace(ctx, lore=await self._read_lore(ctx, request, history, pending))
        if SAVED_MEMORIES in order:
            spoken = Spoken([line.turn for line in history.lines], history.style, caps.get(SAVED_MEMORIES, 0))
            ctx = replace(ctx, memories=await self._saved.read(ctx, spoken))
        if RETRIEVED in order:
            ctx = replace(ctx, recalled=await self._recall(ctx, history, caps))
        built = [await self._memo.build(self._layers[name], ctx) for name in order if name != HISTORY]
        counts = await self._counter.count([layer.text for layer in built])
        tokens = {layer.name: count for layer, count in zip(built, counts, strict=True)}
        inserted = await self._counter.count([one.text for one in ctx.lore.insertions] if ctx.lore else [])
        among = sum(n + _INSERTION_FRAME_TOKENS for n in inserted)
        return Plan(ctx, order, history, tuple(built), tokens, caps, history_ms, among)

    async def _context(
        self, request: PromptRequest, card: CharacterCard, history: ReadHistory, now: datetime
    ) -> LayerContext:
        """Return what layers may look at, before anything was looked up for them."""
        return LayerContext(
            familiar=self.familiar,
            char=history.style.char,
            user_label=self.owner_label,
            card=card,
            config=self.config,
            channel=request.channel,
            vault=self.vault,
            now=now,
            mode=request.mode,
            multi_party=request.channel.guild is not None or len(history.speakers) > 1,
            until=request.until,
            known_at=request.known_at,
            as_of=request.as_of,
            variation=request.variation,
            audience=await self._audience(request.channel),
            must_speak=request.must_speak,
        )

    async def _read_lore(
        self, ctx: LayerContext, request: PromptRequest, history: ReadHistory, pending: Turn | None
    ) -> LoreReading | None:
        """Evaluate the lorebooks for the turns as of this moment; a prompt that is only looked at leaves no timers."""
        if self._lore is None:
            return None
        shelf = without_entries(await self._lore.shelf(ctx), request.variation)
        count = reach(shelf, self.config.lorebook)
        newest = await newest_turns(self.vault, _stretch(request, pending), self.familiar, count=count)
        messages = tuple(f"{speaker_name(turn, history.style)}: {turn.content.strip()}" for turn in newest.turns)
        moment = LoreMoment(messages, newest, preview=request.looks_only, replay=replay_of(request.lore))
        return await self._lore.read(ctx, shelf, moment)

    async def _audience(self, channel: Channel) -> Audience:
        return await self.vault.audiences.of(self.familiar, channel, self.config.audience_mode(channel.key))

    async def _recall(self, ctx: LayerContext, history: ReadHistory, caps: Mapping[str, int]) -> Recollection:
        """Look into memory, but for the turns that the history will show however the room is shared."""
        context = self._context_tokens()
        room = context - answer_tokens(context, self.config.models.prose.max_answer_tokens)
        firm = sum(cap for name, cap in caps.items() if name != HISTORY)
        share = min(caps.get(HISTORY, 1), max(room // 2, room - firm))
        shown = self._reader.certain(history, share, self.config.budget.text.history_step_turns)
        turns = [line.turn for line in history.lines]
        return await self._memory.read(ctx, MemoryMoment(turns, history.style, shown, caps.get(RETRIEVED, 0)))

    def _layer_order(self, request: PromptRequest) -> tuple[str, ...]:
        order = request.variation.layers(self.config.prompt_layers(request.channel.key))
        if request.variation.order is not None:
            check_order(order, "prompt_layers")
        return order

    def _pending(self, request: PromptRequest, now: datetime) -> Turn | None:
        if request.pending is None:
            return None
        return Turn(
            id=_PENDING,
            channel=request.channel.id,
            channel_key=request.channel.key,
            role=Role.USER,
            content=request.pending,
            at=now,
            arrived_at=now,
            author=Author(OWNER, self.owner_label),
        )

    async def _history(self, request: PromptRequest, char: str, pending: Turn | None, cap: int) -> ReadHistory:
        style = LineStyle(
            familiar=self.familiar,
            char=char,
            channel=request.channel,
            place=place_mark(request.channel),
            zone=self.config.display.zone(),
            quote_chars=self.config.context.quote_chars,
            labels={},
        )
        return await self._reader.read(style, _stretch(request, pending), owner_label=self.owner_label, cap=cap)

    def _context_tokens(self) -> int:
        own, wanted = self.model.info.context_tokens, self.config.models.prose.context_tokens
        return own if wanted is None else min(own, wanted)

    def _trace(
        self, request: PromptRequest, plan: Plan, fitted: Fitted, now: datetime, context: int, answer: int
    ) -> PromptTrace:
        info, recalled = self.model.info, plan.ctx.recalled
        answered = next((line.turn for line in reversed(fitted.window.lines)), None)
        return PromptTrace(
            familiar=self.familiar,
            channel=request.channel.key,
            mode=request.mode,
            purpose=request.purpose,
            at=now,
            model=info.name,
            provider=info.provider,
            context_tokens=context,
            answer_tokens=answer,
            tokens=fitted.total,
            exact_tokens=info.exact_tokens,
            messages=fitted.parts,
            layers=layer_traces(plan, fitted, plan.order, self._memo),
            sampling=self.config.models.prose.sampling.model_dump(mode="json"),
            candidates=_candidates(plan, fitted),
            ranking=recalled.ranking(asdict(plan.ctx.weights)) if recalled is not None else None,
            lorebook=told_lore(request, plan.ctx),
            turn_id=answered.id if answered is not None and answered.id > 0 else None,
            known_at=request.known_at,
            as_of=request.as_of,
            variation=request.variation.to_json(),
            notes=moment_notes(request, plan.order),
        )


def _candidates(plan: Plan, fitted: Fitted) -> tuple[dict[str, Any], ...]:
    """Return what was found and what was saved, with the reason for each to stand in the prompt or not."""
    recalled, memories = plan.ctx.recalled, plan.ctx.memories
    found = recalled.candidates(fitted.recalled) if recalled is not None else ()
    return (*found, *(memories.candidates(fitted.memories) if memories is not None else ()))


def _stretch(request: PromptRequest, pending: Turn | None) -> Stretch:
    moment = request.as_of is not None or request.known_at is not None
    return Stretch(
        channel=request.channel.id,
        until=request.until,
        pending=pending,
        then=Then(request.known_at, request.as_of) if moment else None,
        without=frozenset(int(number) for kind, number in request.variation.without_items if kind == "turn"),
    )
