"""Shares the room of a prompt among its layers, by the rule of `domain.budget`, until the whole fits the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from familiar_app.context.composition import compose, opening
from familiar_app.context.lorebook import Insertion
from familiar_app.context.plan import Fitted, Plan
from familiar_app.context.recent_history import RecentHistory
from familiar_app.context.registry import HISTORY
from familiar_app.context.retrieved_context import RETRIEVED, Chosen
from familiar_app.context.saved_memories import SAVED_MEMORIES, ChosenMemories
from familiar_app.context.tokens import TokenCounter
from familiar_app.domain.budget import Section, allot
from familiar_app.domain.errors import UserError
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr
from familiar_app.domain.trace import messages_as_sent
from familiar_app.models.port import LanguageModel

_TRIES = 8
_SLACK_TOKENS = 8
_INSERTED = "among the turns"


class Fitter:
    """Fits plans into the context of one familiar's model."""

    def __init__(
        self, config: CharacterConfig, model: LanguageModel, counter: TokenCounter, reader: RecentHistory
    ) -> None:
        self._config = config
        self._model = model
        self._counter = counter
        self._reader = reader

    async def fit(self, plan: Plan, limit: int) -> Fitted:
        """Share the room, put the messages together and count them; with too many tokens, try again with less room."""
        base, each = await self._counter.frame()
        (extra,) = await self._counter.count([f"{opening()}\n()"])
        room = limit - base - 4 * each - extra - _SLACK_TOKENS
        for _ in range(_TRIES):
            if room <= 0:
                break
            fitted = await self._share(plan, room)
            if fitted.window.lines and not fitted.window.lines[-1].text:
                break
            total = await self._model.count_prompt_tokens(messages_as_sent(fitted.parts))
            if total <= limit:
                return replace(fitted, total=total)
            # What is not used counts for nothing: less room than that is what takes something out.
            room = min(room, fitted.used) - (total - limit) - _SLACK_TOKENS
        raise UserError(
            tr("The model's context is too small for this conversation."),
            tr("Choose a model with a longer context, or raise context_tokens in the familiar's settings."),
        )

    async def _share(self, plan: Plan, room: int) -> Fitted:
        inserted = plan.inserted_tokens
        shares = allot(_sections(plan, room), room)
        window = await self._reader.fit(plan.history, shares[HISTORY], self._config.budget.text.history_step_turns)
        texts = {layer.name: await self._counter.cut(layer.text, shares[layer.name]) for layer in plan.built}
        recalled = Chosen()
        if plan.ctx.recalled is not None and RETRIEVED in texts:
            shown = {line.turn.id for line in window.lines}
            recalled = await plan.ctx.recalled.fit(self._counter, shares[RETRIEVED], shown)
            texts[RETRIEVED] = recalled.text
        memories = ChosenMemories()
        if plan.ctx.memories is not None and SAVED_MEMORIES in texts:
            memories = await plan.ctx.memories.fit(self._counter, shares[SAVED_MEMORIES])
            texts[SAVED_MEMORIES] = memories.text
        counts = await self._counter.count(list(texts.values()))
        head, tail = _parted(plan, texts)
        among: tuple[Insertion, ...] = ()
        if plan.ctx.lore is not None and shares[_INSERTED] >= inserted:
            among = plan.ctx.lore.insertions
        parts = compose(
            head,
            window.lines,
            tail,
            history_layer=HISTORY,
            closing_role=self._config.context.reminder_role,
            insertions=among,
        )
        tokens = dict(zip(texts, counts, strict=True))
        return Fitted(parts, window, texts, tokens, shares, inserted if among else 0, recalled, memories)


def _sections(plan: Plan, room: int) -> list[Section]:
    """Return what asks for room: every layer, the entries among the turns, and the history, which can give way."""
    sections = [Section(layer.name, plan.tokens[layer.name], plan.caps.get(layer.name, room)) for layer in plan.built]
    sections.append(Section(_INSERTED, plan.inserted_tokens, plan.inserted_tokens))
    history_cap, lines = plan.caps.get(HISTORY), plan.history.lines
    newest = lines[-1].cost if lines else 0
    # Without a history layer the message that is answered is shown all the same: the rest means nothing without it.
    need, cap = (plan.history.cost, history_cap) if history_cap is not None else (newest, max(newest, 1))
    return [*sections, Section(HISTORY, need, cap, elastic=True)]


def _parted(plan: Plan, texts: Mapping[str, str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Part the layers into those before and those behind the history."""
    order = plan.order
    if HISTORY in order:
        at = order.index(HISTORY)
    else:
        at = order.index("final_reminder") if "final_reminder" in order else len(order)
    pick = [(name, texts[name]) for name in order[:at] if name != HISTORY]
    return pick, [(name, texts[name]) for name in order[at:] if name != HISTORY]
