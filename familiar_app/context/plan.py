"""What is known of a prompt before and after its room is shared, and the trace of each layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from familiar_app.context.layer import LayerContext, key_of
from familiar_app.context.layer_memo import BuiltLayer, LayerMemo
from familiar_app.context.lorebook import LOREBOOK
from familiar_app.context.prompt import PromptRequest
from familiar_app.context.recent_history import HistoryWindow, ReadHistory
from familiar_app.context.registry import HISTORY
from familiar_app.context.retrieved_context import RETRIEVED, Chosen
from familiar_app.context.saved_memories import SAVED_MEMORIES, ChosenMemories
from familiar_app.domain.text import tr_later
from familiar_app.domain.trace import LayerTrace, LeftOut, TracedMessage

_TODAY = tr_later(
    "The character card, the settings, the model and people's names are those of today: no history is kept of them."
)
_SEARCH_TODAY = tr_later(
    "Memory was searched in what is there today: what was taken out of a conversation since is not found."
)
_LORE_TODAY = tr_later("The lorebook and its timers are those of today; what it was matched against is from then.")
_LORE_REPLAYED = tr_later("The lorebook is the one of today; its timers and its chance are those of the trace.")
_NO_ROOM = tr_later("longer than the room left in the model's context")


@dataclass(frozen=True)
class Plan:
    """Everything that is known before the room is shared."""

    ctx: LayerContext
    order: tuple[str, ...]
    history: ReadHistory
    built: tuple[BuiltLayer, ...]
    tokens: Mapping[str, int]
    caps: Mapping[str, int]
    history_ms: float
    inserted_tokens: int = 0


@dataclass(frozen=True)
class Fitted:
    """The prompt once the room is shared."""

    parts: tuple[TracedMessage, ...]
    window: HistoryWindow
    texts: Mapping[str, str]
    tokens: Mapping[str, int]
    shares: Mapping[str, int]
    inserted_tokens: int = 0
    recalled: Chosen = field(default_factory=Chosen)
    memories: ChosenMemories = field(default_factory=ChosenMemories)
    total: int = 0

    @property
    def used(self) -> int:
        """Tokens of the sections by the same count by which the room is shared."""
        return sum(self.tokens.values()) + sum(line.cost for line in self.window.lines) + self.inserted_tokens


def layer_traces(plan: Plan, fitted: Fitted, order: Sequence[str], memo: LayerMemo) -> tuple[LayerTrace, ...]:
    """Tell what each layer of `order` contributed; the history is told of even where it is no layer of the channel."""
    traces = {layer.name: _text_trace(layer, plan, fitted) for layer in plan.built}
    traces[HISTORY] = _history_trace(plan, fitted, memo)
    return tuple(traces[name] for name in (order if HISTORY in order else (*order, HISTORY)))


def _history_trace(plan: Plan, fitted: Fitted, memo: LayerMemo) -> LayerTrace:
    lines = fitted.window.lines
    key = key_of([(line.turn.id, line.turn.revision, line.text) for line in lines])
    return LayerTrace(
        name=HISTORY,
        key=key,
        cached=memo.seen(HISTORY, key),
        tokens=sum(line.tokens for line in lines),
        ms=round(plan.history_ms, 3),
        text="\n".join(line.text for line in lines),
        budget_tokens=fitted.shares[HISTORY],
        cap_tokens=plan.caps.get(HISTORY),
        left_out=fitted.window.left_out,
    )


def _text_trace(layer: BuiltLayer, plan: Plan, fitted: Fitted) -> LayerTrace:
    whole, kept, share = plan.tokens[layer.name], fitted.tokens[layer.name], fitted.shares[layer.name]
    left_out: tuple[LeftOut, ...] = ()
    if layer.name == RETRIEVED and plan.ctx.recalled is not None:
        left_out = plan.ctx.recalled.left_out(fitted.recalled)
    elif layer.name == SAVED_MEMORIES and plan.ctx.memories is not None:
        left_out = plan.ctx.memories.left_out(fitted.memories)
    elif fitted.texts[layer.name] != layer.text:
        capped = share >= plan.caps.get(layer.name, whole)
        reason = tr_later("longer than its cap") if capped else _NO_ROOM
        left_out = (LeftOut(what=f"end of {layer.name}", tokens=max(0, whole - kept), reason=reason),)
    if layer.name == LOREBOOK and fitted.inserted_tokens < plan.inserted_tokens:
        among = LeftOut(what="entries among the turns", tokens=plan.inserted_tokens, reason=_NO_ROOM)
        left_out = (*left_out, among)
    left_out = (*left_out, *plan.ctx.withheld.get(layer.name, ()))
    return LayerTrace(
        name=layer.name,
        key=layer.key,
        cached=layer.cached,
        tokens=kept,
        ms=round(layer.ms, 3),
        text=fitted.texts[layer.name],
        budget_tokens=share,
        cap_tokens=plan.caps.get(layer.name),
        left_out=left_out,
    )


def moment_notes(request: PromptRequest, order: Sequence[str]) -> tuple[str, ...]:
    """Say what a prompt as of an earlier moment could not take from then."""
    if request.known_at is None and request.as_of is None:
        return ()
    notes = [_TODAY]
    if LOREBOOK in order:
        notes.append(_LORE_TODAY if request.lore is None else _LORE_REPLAYED)
    if RETRIEVED in order:
        notes.append(_SEARCH_TODAY)
    return tuple(notes)


def told_lore(request: PromptRequest, ctx: LayerContext) -> dict[str, Any] | None:
    """Return the story of the lorebooks; at an earlier moment it says what is not from then."""
    if ctx.lore is None:
        return None
    notes = moment_notes(request, (LOREBOOK,))[1:]
    return ctx.lore.trace | {"notes": list(notes)} if notes else ctx.lore.trace
