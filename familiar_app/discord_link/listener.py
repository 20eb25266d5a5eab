"""Takes what happens on Discord, one thing after the other: has it written down, and decides what is answered."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.incoming import Changed, Heard, Incoming, Reacted, Removed
from familiar_app.discord_link.journal import Journal
from familiar_app.discord_link.ping import user_number
from familiar_app.discord_link.scribe import Scribe
from familiar_app.discord_link.sender import Line
from familiar_app.discord_link.speak_rule import Situation, Verdict, Why, when_to_speak
from familiar_app.discord_link.voice import Start, Voice, Wish
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.settings import DiscordSettings
from familiar_app.domain.turn import Channel, Role, Turn

_REMEMBERED = 2000
_LOOK_BACK = 8
log = logging.getLogger(__name__)


@dataclass
class Listener:
    """Listens for one familiar. `relatives` are accounts of this program's familiars: they write down themselves."""

    scribe: Scribe
    conversation: Conversation
    settings: DiscordSettings
    clock: Clock
    line: Callable[[], Line]
    start: Start
    failed: Callable[[FamiliarError], None]
    relatives: set[int]
    journal: Journal = field(default_factory=Journal)
    _voices: dict[ChannelId, Voice] = field(default_factory=dict)
    _handled: deque[int] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    _asked_at: dict[ChannelId, float] = field(default_factory=dict)

    async def take(self, event: Incoming) -> None:
        """Deal with one thing that happened."""
        match event:
            case Heard():
                await self._hear(event)
            case Changed() | Reacted():
                await self.scribe.follow(event)
            case Removed():
                for voice in self._voices.values():
                    for number in event.numbers:
                        voice.forget(number)
                await self.scribe.follow(event)

    def try_again(self) -> None:
        """Speak again where writing was not allowed; it may be by now."""
        for voice in self._voices.values():
            voice.muted = False

    async def _hear(self, heard: Heard) -> None:
        if heard.own or user_number(heard.author.key) in self.relatives or heard.number in self._handled:
            return
        if not self.scribe.listens(heard.spot):
            self.journal.note(heard, Why.DIRECT_OFF if heard.spot.direct else Why.NOT_SUBSCRIBED)
            return
        if not (heard.text.strip() or heard.extras):
            # Discord shows the words to those alone who are mentioned in them.
            self.journal.note(heard, Why.UNADDRESSED)
            return
        self._handled.append(heard.number)
        channel, turn, new = await self.scribe.hear(heard)
        if turn.deleted or (not new and await self._was_answered(turn)):
            return
        verdict = when_to_speak(await self._situation(heard, channel))
        log.info("turn %d: %s, because %s", turn.id, "answer" if verdict.speak else "no answer", verdict.why.value)
        self.journal.note(heard, verdict.why, speak=verdict.speak, turn=turn)
        if verdict.speak:
            self._answer(heard, channel, turn, verdict)

    def _answer(self, heard: Heard, channel: Channel, turn: Turn, verdict: Verdict) -> None:
        if verdict.may_stay_silent:
            self._asked_at[channel.id] = self.clock.now().timestamp()
        quote = not heard.spot.direct and not verdict.may_stay_silent
        self._voice(channel, heard).answer(Wish(turn.id, heard.number, heard.author.key, quote))

    async def _was_answered(self, turn: Turn) -> bool:
        answers = await self.scribe.vault.turns.answers(turn.id)
        return any(one.familiar == self.scribe.familiar and one.message_id is not None for one in answers)

    async def _situation(self, heard: Heard, channel: Channel) -> Situation:
        now, asked = self.clock.now(), self._asked_at.get(channel.id)
        return Situation(
            own=heard.own,
            system=heard.system,
            bot=heard.author.bot,
            bot_allowed=not heard.webhook and user_number(heard.author.key) in self.settings.bots,
            direct=heard.spot.direct,
            direct_on=self.settings.direct_messages,
            subscribed=self.scribe.listens(heard.spot),
            mentioned=heard.mentioned,
            replied_to=heard.replied_to,
            others_mentioned=heard.others_mentioned,
            ambient=self.conversation.config.discord_mode(heard.spot.key, heard.spot.parent_key) == "ambient",
            own_in_a_row=await self._own_in_a_row(channel) if heard.author.bot else 0,
            age_s=(now - heard.at).total_seconds(),
            idle_s=None if asked is None else now.timestamp() - asked,
        )

    async def _own_in_a_row(self, channel: Channel) -> int:
        """Count the familiar's turns since a person last spoke."""
        count = 0
        for turn in reversed(await self.scribe.vault.turns.page(channel.id, limit=_LOOK_BACK)):
            if turn.role is Role.USER and turn.author is not None and not turn.author.bot:
                break
            count += turn.role is Role.ASSISTANT and turn.familiar == self.scribe.familiar
        return count

    def _voice(self, channel: Channel, heard: Heard) -> Voice:
        if channel.id not in self._voices:
            parts = (self.conversation, channel.id, heard.spot.number, self.line, self.start, self.failed)
            self._voices[channel.id] = Voice(*parts, ended=self.journal.ended)
        return self._voices[channel.id]
