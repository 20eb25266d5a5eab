"""The chat as a whole, without Qt: which channel is open, and all that can be done there.

Listeners hear `channels`, `opened`, `rows`, `live` (more text of the reply), `jump` (show `target`), `sent`, `meter`,
`answered`, `search` and `edit`. Coroutines raise FamiliarError; whoever starts them shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Protocol

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelId, FamiliarId, TurnId, is_of_discord
from familiar_app.domain.text import tr
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Channel, Role, Turn
from familiar_app.ui.chat.channel_list import ChannelListModel
from familiar_app.ui.chat.composer import Drafts
from familiar_app.ui.chat.context_meter import Meter, meter_of_draft, meter_of_trace
from familiar_app.ui.chat.finder import Finder
from familiar_app.ui.chat.further import CutAnswers
from familiar_app.ui.chat.greeting import Greetings
from familiar_app.ui.chat.memory_note import MemoryNotes
from familiar_app.ui.chat.moving import Moving
from familiar_app.ui.chat.reply import LiveReply
from familiar_app.ui.chat.row import RowKey
from familiar_app.ui.chat.talk import Talk
from familiar_app.ui.chat.transcript import Transcript
from familiar_app.ui.chat.turn_edit import TurnEdits

if TYPE_CHECKING:
    from familiar_app.services import Hosted, Services
    from familiar_app.store.profile import Profile

Undo = Callable[[], Awaitable[object]]


class OfferUndo(Protocol):
    """How the chat makes an act known that can be taken back."""

    def __call__(self, text: str, undo: Undo, redo: Undo | None = None, /) -> object: ...


class ChatModel(Moving):
    """The chat with one familiar.

    `offer_undo` gets what was done and coroutine functions that take it back and, where that can be, do it again;
    `report` gets the state of the model (`answering`, `idle`, `failed`) and its tokens per second.
    """

    def __init__(self, services: Services, familiar: FamiliarId, *, system_zone: tzinfo = UTC) -> None:
        super().__init__()
        self._services = services
        self._system_zone = system_zone
        self.owner_name = "You"
        self.familiar = familiar
        self.vault = services.vault
        self.channels = ChannelListModel(services.vault.channels, familiar)
        self.channels.watch(lambda _what: self.tell("channels"))
        self.drafts = Drafts(services.vault.state)
        self.finder = Finder(services.vault.turns)
        self.open: Transcript | None = None
        self.meter: Meter | None = None
        self.target: RowKey | None = None
        self.following = True
        self.chosen_channel: ChannelId | None = None
        self.talk = Talk(self)
        self.edits = TurnEdits(self)
        self.greetings = Greetings(self)
        self.notes = MemoryNotes(self)
        self.cut = CutAnswers(self)
        self.offer_undo: OfferUndo = lambda _text, _undo, _redo=None: None
        self.report: Callable[[str, float | None], object] = lambda _state, _speed: None
        self._opening = 0

    @property
    def hosted(self) -> Hosted:
        """The familiar as it is now; a reload of its files makes a new one."""
        return self._services.familiars[self.familiar]

    @property
    def zone(self) -> tzinfo:
        """The owner's zone; the computer's where none is chosen."""
        return self.hosted.config.display.zone() or self._system_zone

    @property
    def hosted_profile(self) -> Profile:
        """The files of the profile, for the familiar's card."""
        return self._services.profile

    def now(self) -> datetime:
        """Return the present instant."""
        return self._services.clock.now()

    @property
    def writable(self) -> bool:
        """Whether one can talk here; what is written into a channel of Discord would reach nobody there."""
        return self.open is not None and not is_of_discord(self.open.channel.key)

    @property
    def reply(self) -> LiveReply | None:
        """The reply in the open channel, also one that has just ended."""
        return self.talk.replies.get(self.open.channel.id) if self.open else None

    @property
    def replying(self) -> bool:
        """Tell whether a reply is being made in the open channel."""
        return self.reply is not None and not self.reply.over

    # ---- opening and moving

    async def start(self) -> None:
        """Read the channels and open the one that was open last."""
        settings = await asyncio.to_thread(self._services.profile.settings)
        self.owner_name = self.hosted.config.conversation.owner_label or settings.owner_name
        await self.channels.load()
        last = await self.vault.state.get(self._last_key())
        known = [summary.channel.id for summary in self.channels.summaries]
        if last in known:
            await self.open_channel(ChannelId(last))
        elif known:
            await self.open_channel(known[0])

    async def reloaded(self) -> None:
        """Show what is new about the familiar after its files were read again."""
        if self.open:
            self.open.familiar_name = self.hosted.name
            self.open.notices = self.hosted.config.saved_memories.notice_visibility
            await self.greetings.prepare()
            self.arrange()
            self.tell("rows")

    async def open_channel(self, channel: ChannelId, *, at: TurnId | None = None) -> None:
        """Show a channel: at a turn, else at the unread mark, else at its end."""
        self._opening += 1
        ticket = self._opening
        await self.drafts.save()
        found = await self.vault.channels.get(channel)
        if found is None:
            raise UserError(tr("This channel is no longer there."), tr("Choose another one."))
        transcript = self._transcript(found)
        summary = self.channels.find(channel)
        target = await transcript.open(unread=summary.unread if summary else 0, at=at)
        await self.drafts.load(channel)
        if ticket != self._opening:
            return
        self.open, self.target, self.following = transcript, target, target is None
        self.chosen_channel = channel
        self.finder.clear()
        self.edits.editing = None
        self.meter = None
        self.arrange()
        self.tell("opened")
        await asyncio.gather(transcript.load_days(), self._read_meter(transcript), self.greetings.prepare())
        if ticket == self._opening:
            self.arrange()
            self.tell("rows")
            await self.vault.state.set(self._last_key(), channel)

    def _transcript(self, channel: Channel) -> Transcript:
        made = Transcript(
            self.vault, channel, clock=self._services.clock, zone=self.zone, familiar_name=self.hosted.name
        )
        made.notices = self.hosted.config.saved_memories.notice_visibility
        return made

    # ---- showing

    def arrange(self) -> None:
        """Build the rows of the open channel anew."""
        if self.open is None:
            return
        self.open.arrange(self.reply)
        if not self.open.rows:
            self.open.rows = self.greetings.rows()

    def show_turn(self, turn: Turn) -> None:
        """Show the newer state of a turn that is held."""
        if self.open:
            self.open.window.replace(turn)
            self.arrange()
            self.tell("rows")

    def is_live(self, key: RowKey) -> bool:
        """Tell whether a row shows the reply that is being written."""
        reply = self.reply
        return reply is not None and not reply.over and reply.key == key

    async def trace_of(self, turn: TurnId) -> PromptTrace:
        """Return the prompt behind a reply. Raises UserError where it is no longer kept."""
        trace = await self.vault.traces.for_turn(turn)
        if trace is None:
            raise UserError(
                tr("The prompt behind this reply is not kept any more."),
                tr("The newest replies can always be looked into."),
            )
        return trace

    async def _read_meter(self, transcript: Transcript) -> None:
        answer = next((one for one in reversed(transcript.window.turns) if one.role is Role.ASSISTANT), None)
        trace = await self.vault.traces.for_turn(answer.id) if answer is not None and self.meter is None else None
        if answer is not None and trace is not None:
            self.cut.note(answer.id, trace)
        if trace is not None and self.open is transcript:
            self.measure(trace)

    async def measure_draft(self, text: str) -> None:
        """Show how full the context would be with what is being written. Raises where no prompt can be made."""
        transcript = self.open
        if transcript is None:
            return
        measured = await self.hosted.inspector.meter(transcript.channel, text)
        if self.open is transcript and not self.replying:
            self.meter = meter_of_draft(measured)
            self.tell("meter")

    def measure(self, trace: PromptTrace) -> None:
        """Show how full the context was with a prompt."""
        self.meter = meter_of_trace(trace)
        self.tell("meter")

    def _last_key(self) -> str:
        return f"chat.last_channel.{self.familiar}"
