"""Measures how full a prompt is while its message is still being written."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import PromptRequest
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Channel
from familiar_app.store.vault import Vault

DRAFT = "draft"
_FRAME_TOKENS = 14
"""What a line's beginning and a message's frame take, about."""
_KEPT_CHANNELS = 8
_FRESH_S = 60.0


@dataclass(frozen=True, slots=True)
class MeterPart:
    """The tokens of one layer, and its cap where it has one. The message being written is the part `draft`."""

    layer: str
    tokens: int
    cap: int | None


@dataclass(frozen=True, slots=True)
class Meter:
    """How much of `limit` (the model's context without the answer) is taken. Tokens are estimates where not `exact`."""

    tokens: int
    limit: int
    context_tokens: int
    answer_tokens: int
    exact: bool
    parts: tuple[MeterPart, ...]

    @property
    def share(self) -> float:
        """What is taken, from 0 to 1; more than 1 where older turns will have to go."""
        return self.tokens / self.limit if self.limit > 0 else 1.0


@dataclass(frozen=True, slots=True)
class _Base:
    """The prompt of a channel without the draft, and what it was made for."""

    newest: tuple[TurnId, int] | None
    made_at: float
    trace: PromptTrace


class PromptMeter:
    """Keeps the prompt of each channel, so that a further key stroke costs no more than counting the draft.

    What the draft itself would call up (lorebook, memory) is not in the figure: it is looked up when it is sent.
    """

    def __init__(self, vault: Vault, assembler: Assembler) -> None:
        self._vault = vault
        self._assembler = assembler
        self._bases: OrderedDict[ChannelId, _Base] = OrderedDict()

    async def read(self, channel: Channel, draft: str) -> Meter:
        """Measure. Raises UserError or OutsideError where no prompt can be made."""
        trace = (await self._base(channel)).trace
        text = draft.strip()
        (tokens,) = await self._assembler.count([text]) if text else [0]
        drafted = tokens + _FRAME_TOKENS if text else 0
        budget = self._assembler.config.budget.text
        parts = [MeterPart(layer.name, layer.tokens, budget.cap(layer.name)) for layer in trace.layers]
        return Meter(
            tokens=trace.tokens + drafted,
            limit=max(trace.context_tokens - trace.answer_tokens, 0),
            context_tokens=trace.context_tokens,
            answer_tokens=trace.answer_tokens,
            exact=trace.exact_tokens and not text,
            parts=(*parts, MeterPart(DRAFT, drafted, None)),
        )

    async def _base(self, channel: Channel) -> _Base:
        last = await self._vault.turns.page(channel.id, limit=1)
        newest, now = ((last[0].id, last[0].revision) if last else None), self._assembler.clock.now().timestamp()
        known = self._bases.get(channel.id)
        if known is None or known.newest != newest or not 0 <= now - known.made_at < _FRESH_S:
            prompt = await self._assembler.assemble(PromptRequest(channel, preview=True))
            known = self._bases[channel.id] = _Base(newest, now, prompt.trace)
        self._bases.move_to_end(channel.id)
        while len(self._bases) > _KEPT_CHANNELS:
            self._bases.popitem(last=False)
        return known
