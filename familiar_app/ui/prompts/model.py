"""The prompts of one familiar as they are looked at: the list, the one that is open, and what is asked about it.

Listeners hear `list`, `opened`, `layer`, `line`, `folds`, `find`, `weights`, `trial`, `pair`, `answer`, `why_not` and
`audience`. Coroutines raise FamiliarError; whoever starts them shows it. Knows nothing of Qt, and changes nothing.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from familiar_app.context.prompt import AssembledPrompt
from familiar_app.conversation.inspector import Piece
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import FamiliarId, TraceId, TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import ChannelSummary
from familiar_app.domain.variation import UNCHANGED, ItemKey, Variation
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.prompts.candidate import Weighing
from familiar_app.ui.prompts.listing import TraceList
from familiar_app.ui.prompts.looking import Looking
from familiar_app.ui.prompts.pair import Answer, Make, Pair, Side
from familiar_app.ui.prompts.question import AudienceQuestion, WhyNotQuestion
from familiar_app.ui.prompts.trial import Trial

if TYPE_CHECKING:
    from familiar_app.services import Hosted, Services

KEPT = 5000
"""More than the vault keeps: the list shows all of them."""


class PromptsModel(Looking):
    """See the module. `trace` is the open prompt, `pair` two beside each other while they are compared."""

    def __init__(self, services: Services, familiar: FamiliarId, *, system_zone: tzinfo = UTC) -> None:
        super().__init__()
        self._services, self._system_zone = services, system_zone
        self.familiar = familiar
        self.vault = services.vault
        self.list = TraceList(self.zone)
        self.channels: tuple[ChannelSummary, ...] = ()
        self.loaded = False
        self.weighing = Weighing(self.hosted.config.memory.retrieval.weights())
        self.trial = Trial()
        self.pair: Pair | None = None
        self.why_not = WhyNotQuestion()
        self.audience = AudienceQuestion()
        self._opening = self._newest = 0

    @property
    def hosted(self) -> Hosted:
        """The familiar as it is now."""
        return self._services.familiars[self.familiar]

    @property
    def zone(self) -> tzinfo:
        """The owner's zone; the computer's where none is chosen."""
        return self.hosted.config.display.zone() or self._system_zone

    def now(self) -> datetime:
        """Return the present instant."""
        return self._services.clock.now()

    # ---- the list

    async def load(self) -> None:
        """Read the summaries of all kept traces, and what the channels are called."""
        in_use = await self.vault.channels.list(self.familiar)
        self.channels = (*in_use, *await self.vault.channels.list(self.familiar, archived=True))
        titles = {str(one.channel.key): channel_title(one.channel) for one in self.channels}
        found = await self.vault.traces.list(limit=KEPT, familiar=self.familiar)
        self.loaded = True
        self._newest = found[0].id if found else 0
        if self.list.fill(found, titles):
            self.tell("list")

    async def look(self) -> None:
        """Read the list anew where a newer trace is there."""
        newest = await self.vault.traces.list(limit=1, familiar=self.familiar)
        if newest and newest[0].id != self._newest:
            await self.load()

    def narrow(self, query: str, purpose: str) -> None:
        """Show fewer lines."""
        self.list.narrow(query, purpose)
        self.tell("list")

    async def open(self, trace: int) -> None:
        """Show a prompt. Raises UserError where it is not kept any more."""
        self._opening += 1
        ticket = self._opening
        found = await self._get(trace)
        if ticket == self._opening:
            self._show(found)

    async def _get(self, trace: int) -> PromptTrace:
        found = await self.vault.traces.get(TraceId(trace))
        if found is None:
            raise UserError(
                tr("This prompt is not kept any more."), tr("Choose another one; the newest are always there.")
            )
        return found

    def _show(self, trace: PromptTrace) -> None:
        self.look_at(trace)
        self.pair = None
        self.weighing.fill(trace)
        self.trial.fill([row.name for row in self.stack.rows])
        self.why_not.clear_answer()
        self.tell("opened")

    async def place_of_turn(self, turn: int) -> str:
        """Return where the chat shows a turn. Raises UserError where it is not there any more."""
        found = await self.vault.turns.get(TurnId(turn))
        if found is None:
            raise UserError(
                tr("This turn is not in the log any more."), tr("It was erased; the prompt keeps what was sent.")
            )
        return f"{found.channel}:{found.id}"

    # ---- weights

    def set_weight(self, name: str, value: float) -> None:
        """Rank the candidates anew."""
        self.weighing.set_weight(name, value)
        self.tell("weights")

    def reset_weights(self) -> None:
        """Rank the candidates as they were."""
        self.weighing.reset()
        self.tell("weights")

    # ---- what would have been

    @property
    def can_ask(self) -> bool:
        """Whether the open prompt can be built again: only that of a reply can."""
        return self.trace is not None and self.trace.id is not None and self.trace.is_reply

    @property
    def variation(self) -> Variation:
        """What was changed by hand."""
        return self.trial.variation(self.weighing.weights if self.weighing.changed else None)

    @property
    def trial_title(self) -> str:
        """What was changed, in words."""
        return self.trial.told(self.weighing.weights if self.weighing.changed else None)

    def switch_layer(self, name: str, on: bool) -> None:
        """Leave a layer out of the trial, or take it in."""
        self.trial.switch(name, on)
        self.tell("trial")

    def move_layer(self, name: str, step: int) -> int:
        """Move a layer of the trial up or down; returns where it stands then."""
        place = self.trial.move(name, step)
        self.tell("trial")
        return place

    def toggle_item(self, key: ItemKey) -> None:
        """Leave a single item out of the trial, or take it in again."""
        self.trial.toggle_item(key)
        self.tell("trial")

    def reset_trial(self) -> None:
        """Change nothing, weights included."""
        self.trial.reset()
        self.weighing.reset()
        self.tell("weights")
        self.tell("trial")

    async def try_out(self) -> None:
        """Build the open prompt with what was changed, and put it beside the one that is shown."""
        trace = self._askable()
        variation = self.variation
        made = await self.hosted.inspector.again(TraceId(trace.id or 0), variation)
        if self.trace is trace:
            left = self._side(tr("As it was"), trace)
            right = Side(self.trial_title, made.trace, self._maker(trace, variation))
            self._put_beside(left, right)

    def take_left(self) -> None:
        """Keep the tried prompt at the left, to compare the next trial with it."""
        if self.pair is not None:
            self._put_beside(self.pair.right, self.pair.right)

    async def try_beside(self) -> None:
        """Build the open prompt with what was changed, beside what stands at the left already."""
        if self.pair is None:
            await self.try_out()
            return
        left, trace, variation = self.pair.left, self._askable(), self.variation
        made = await self.hosted.inspector.again(TraceId(trace.id or 0), variation)
        if self.trace is trace:
            self._put_beside(left, Side(self.trial_title, made.trace, self._maker(trace, variation)))

    async def compare_with(self, trace: int) -> None:
        """Put another stored prompt beside the open one."""
        if self.trace is None:
            return
        here, other = self.trace, await self._get(trace)
        if self.trace is here:
            self._put_beside(self._side(self._name(here), here), self._side(self._name(other), other))

    def end_pair(self) -> None:
        """Show one prompt again."""
        self.pair = None
        self.tell("pair")

    def show_whole(self, on: bool) -> None:
        """Show the equal lines of a pair as well, or fold them."""
        if self.pair is not None:
            self.pair.whole = on
            self.tell("pair")

    def _put_beside(self, left: Side, right: Side) -> None:
        whole = self.pair.whole if self.pair is not None else False
        # Two sides never share one answer.
        self.pair = Pair(left, replace(right) if right is left else right, whole=whole)
        self.tell("pair")

    def _side(self, title: str, trace: PromptTrace) -> Side:
        askable = trace.id is not None and trace.is_reply
        return Side(title, trace, self._maker(trace, UNCHANGED) if askable else None)

    def _maker(self, trace: PromptTrace, variation: Variation) -> Make:
        async def make() -> AssembledPrompt:
            return await self.hosted.inspector.again(TraceId(trace.id or 0), variation)

        return make

    def _name(self, trace: PromptTrace) -> str:
        return tr("{place}, prompt {number}", place=self.list.title(trace.channel), number=str(trace.id))

    def _askable(self) -> PromptTrace:
        if self.trace is None or not self.can_ask:
            raise UserError(
                tr("Only the prompt of a reply can be tried with changes."), tr("Choose a reply in the list.")
            )
        return self.trace

    async def ask(self, side: Side) -> None:
        """Ask the model what it would say to one side; the answer grows in it and is stored nowhere."""
        if side.make is None or side.answer.state == "asking":
            return
        answer = side.answer = Answer("", "asking")
        self.tell("answer")
        try:
            prompt = await side.make()
            async with aclosing(self.hosted.inspector.ask(prompt)) as events:
                async for event in events:
                    if isinstance(event, Piece):
                        answer.text += event.text
                    else:
                        answer.finish(event.trace)
                    self.tell("answer")
        finally:
            if answer.state == "asking":
                answer.state = "stopped"
                self.tell("answer")

    # ---- questions

    async def search_things(self, text: str) -> None:
        """Find what can be asked about."""
        trace = self._askable()
        if await self.why_not.search(self.hosted.inspector, TraceId(trace.id or 0), text):
            self.tell("why_not")

    async def ask_why_not(self, kind: str, number: int | str) -> None:
        """Learn why something is not in the open prompt."""
        trace = self._askable()
        await self.why_not.ask(self.hosted.inspector, TraceId(trace.id or 0), kind, number)
        self.tell("why_not")

    async def ask_audience(self, channel: ChannelSummary, text: str) -> None:
        """Learn what of a matter would be told in a channel."""
        await self.audience.ask(self.hosted.inspector, channel.channel, channel_title(channel.channel), text)
        self.tell("audience")
