"""Takes what happens on Discord, one thing after the other: has it written down, and decides what is answered."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import partial

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.fault import ConnectionLostError
from familiar_app.discord_link.floor import Floor
from familiar_app.discord_link.incoming import (
    Changed,
    Heard,
    Incoming,
    Pressed,
    Reacted,
    Removed,
    Spot,
    Typing,
    channel_number,
)
from familiar_app.discord_link.journal import Journal
from familiar_app.discord_link.ping import user_number
from familiar_app.discord_link.press import Presses
from familiar_app.discord_link.proxy import WAIT_S, YOUNG_S, Original, Proxies, as_a_mere_name, key_of_proxy
from familiar_app.discord_link.proxy_lookup import Lookup, nobody
from familiar_app.discord_link.reminding import PLATFORM, Reminding
from familiar_app.discord_link.resume import Unfinished
from familiar_app.discord_link.scribe import Scribe
from familiar_app.discord_link.sender import Line
from familiar_app.discord_link.speak_rule import Situation, Verdict, Why, when_to_speak
from familiar_app.discord_link.voice import Start, Voice, Wish
from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.domain.settings import DiscordSettings
from familiar_app.domain.turn import Author, Channel, Role, Turn
from familiar_app.store.attention import Regard
from familiar_app.store.takeover import Copy

_REMEMBERED = 2000
_LOOK_BACK = 8
_RETRY_S = 10.0
_PROXIED = "discord.proxies"
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
    floor: Floor = field(default_factory=Floor)
    _voices: dict[ChannelId, Voice] = field(default_factory=dict)
    _handled: deque[int] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    _asked_at: dict[ChannelId, float] = field(default_factory=dict)
    lookup: Lookup = field(default=nobody)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    now_s: Callable[[], float] = time.monotonic
    _proxied: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.unfinished = Unfinished(self.scribe.vault, self.scribe.familiar)
        self.presses = Presses(self.conversation, self.scribe, self.line, self.voice, self.start, self.failed)
        self.proxies = Proxies(
            self._merge, self._hear, self.scribe.follow, self.start, lambda s: self.pause(s), lambda: self.now_s()
        )

    async def take(self, event: Incoming) -> None:
        """Deal with one thing that happened."""
        match event:
            case Heard():
                foreign = event.webhook and not event.own and not self._is_of_relative(event)
                if not (foreign and await self.proxies.take_copy(event)):
                    await self._hear(event)
            case Changed() | Reacted():
                await self.scribe.follow(event)
            case Removed():
                self._forget(event)
                if await self.proxies.take_removal(event):
                    return
                if await self._is_heard_by_others(event):
                    self.start(self._follow_later(event), "waits whether a copy took a message's place")
                else:
                    await self.scribe.follow(event)
            case Typing():
                for voice in self._voices.values():
                    if voice.number == event.channel:
                        voice.typed(event.by, bot=event.bot or user_number(event.by) in self.relatives)
            case Pressed():
                await self.presses.take(event)

    def try_again(self) -> None:
        """Speak again where writing was not allowed; it may be by now."""
        for voice in self._voices.values():
            voice.muted = False

    async def take_up(self) -> None:
        """Finish the answers that were left unfinished, as soon as there is a connection."""
        self.conversation.reminders.carry(PLATFORM, Reminding(self.voice, self.line, self.settings.direct_messages))
        async with aclosing(self.unfinished.taken(self.clock.now())) as left:
            async for turn, wish in left:
                self.voice(turn).answer(wish)

    def _take_up_later(self, turn: TurnId, line: Line | None) -> None:
        """Finish an answer with the next connection, now where it is there already, soon where none was needed."""
        self.unfinished.note(turn)
        with suppress(ConnectionLostError):
            pause_s = _RETRY_S if self.line() is line else 0.0
            self.start(self._take_up_after(pause_s), "finishes what was cut off")

    async def _take_up_after(self, pause_s: float) -> None:
        await self.pause(pause_s)
        await self.take_up()

    async def _is_heard_by_others(self, event: Removed) -> bool:
        """Tell whether another familiar of this vault may be waiting for a copy of what vanished."""
        turn = await self.scribe.turn(event.channel, event.numbers[0]) if len(event.numbers) == 1 else None
        if turn is None or turn.guild is None or turn.role is not Role.USER or turn.author is None or turn.author.bot:
            return False
        return (self.clock.now() - turn.at).total_seconds() <= YOUNG_S

    async def _follow_later(self, event: Removed) -> None:
        try:
            await self.pause(2 * WAIT_S)
        finally:
            await self.scribe.follow(event)

    def _forget(self, event: Removed) -> None:
        for voice in self._voices.values():
            for number in event.numbers:
                voice.forget(number)

    async def _hear(self, heard: Heard) -> None:
        if self._passes_over(heard):
            return
        self._handled.append(heard.number)
        try:
            await self._take_in(as_a_mere_name(heard))
        except BaseException:
            # A break may have cut it short; then it comes once more. After many others it is forgotten already.
            with suppress(ValueError):
                self._handled.remove(heard.number)
            raise

    async def _take_in(self, heard: Heard) -> None:
        vault, familiar = self.scribe.vault, self.scribe.familiar
        channel = await self.scribe.channel(heard.spot)
        regard = await vault.attention.of(familiar, channel.id)
        verdict = await self._verdict(heard, channel, regard)
        quote = not heard.spot.direct and not verdict.may_stay_silent
        turn, new = await self.scribe.hear(heard, channel, quote=quote if verdict.speak else None)
        if turn.channel in self._voices:
            self._voices[turn.channel].spoke(heard.author.key)
        if not new and await self._was_answered(turn):
            return
        original = self.proxies.note(heard, turn, verdict)
        if turn.deleted:
            await vault.deliveries.end(turn.id, familiar)
            return
        if verdict.speak and not new:
            await vault.deliveries.begin(turn.id, familiar, str(heard.number), quote=quote)
        log.info("turn %d: %s, because %s", turn.id, "answer" if verdict.speak else "no answer", verdict.why.value)
        self.journal.note(heard, verdict.why, speak=verdict.speak, turn=turn)
        if regard.chosen and (verdict.speak or regard.attends):
            await vault.attention.seen(familiar, turn.channel, turn.id)
        if verdict.speak:
            if verdict.may_stay_silent:
                self._asked_at[turn.channel] = self.clock.now().timestamp()
            await self._answer(turn, Wish(turn.id, heard.number, heard.author.key, quote), heard.spot, original)

    def _passes_over(self, heard: Heard) -> bool:
        """Tell whether a message is none to be written down here."""
        if heard.own or self._is_of_relative(heard) or heard.number in self._handled:
            return True
        if not self.scribe.listens(heard.spot):
            self.journal.note(heard, Why.DIRECT_OFF if heard.spot.direct else Why.NOT_SUBSCRIBED)
            return True
        if not (heard.text.strip() or heard.extras):
            # Discord shows the words to those alone who are mentioned in them.
            self.journal.note(heard, Why.UNADDRESSED)
            return True
        return False

    async def _verdict(self, heard: Heard, channel: Channel, regard: Regard) -> Verdict:
        """Decide whether to answer; among several familiars only a few may."""
        verdict = when_to_speak(await self._situation(heard, channel, regard))
        if verdict.speak and not self.floor.grants(heard.number):
            return Verdict(False, Why.IN_A_ROW)
        return verdict

    async def _answer(self, turn: Turn, wish: Wish, spot: Spot, original: Original | None) -> None:
        """Have a message answered, on a server with proxies once it is known whether a copy takes its place."""
        if original is not None and await self._has_proxies(spot):
            wish.ready = partial(self.proxies.wait, original)
        self.voice(turn).answer(wish)

    def _is_of_relative(self, heard: Heard) -> bool:
        """Tell whether another account of this program said it; it is written down there."""
        return user_number(heard.author.key) in self.relatives or heard.application in self.relatives

    async def _merge(self, original: Original, copy: Heard) -> None:
        """Let a copy take the place of an original; what was to be answered still is."""
        vault, turn, guild = self.scribe.vault, original.turn, copy.spot.guild
        found = await self.lookup(copy.number) if self.settings.proxy_lookup else None
        key, name = (key_of_proxy(copy), "") if found is None else (found.key, found.name)
        await vault.turns.take_over(turn.id, Copy(str(copy.number), Author(key, name or copy.author.name), copy.text))
        self._handled.append(copy.number)
        self.presses.speaks_for(original.heard.author.key, turn.id)
        if guild is not None and guild not in self._proxied:
            self._proxied.add(guild)
            await vault.state.set(f"{_PROXIED}.{guild}", "1")
        voice = self.voice(turn)
        waits = voice.renumber(original.heard.number, copy.number, key)
        if original.verdict.speak and not waits and not turn.deleted and not await self._was_answered(turn):
            quote = not original.verdict.may_stay_silent
            await vault.deliveries.begin(turn.id, self.scribe.familiar, str(copy.number), quote=quote)
            voice.answer(Wish(turn.id, copy.number, key, quote))

    async def _has_proxies(self, spot: Spot) -> bool:
        """Tell whether a bot has ever sent messages in people's places on this server."""
        if spot.guild is None:
            return False
        if spot.guild not in self._proxied and await self.scribe.vault.state.get(f"{_PROXIED}.{spot.guild}"):
            self._proxied.add(spot.guild)
        return spot.guild in self._proxied

    async def _was_answered(self, turn: Turn) -> bool:
        answers = await self.scribe.vault.turns.answers(turn.id)
        return any(one.familiar == self.scribe.familiar and one.message_id is not None for one in answers)

    async def _situation(self, heard: Heard, channel: Channel, regard: Regard) -> Situation:
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
            another=heard.another,
            ambient=self.conversation.config.discord_mode(heard.spot.key, heard.spot.parent_key) == "ambient",
            attended=heard.spot.direct or regard.attends,
            # With the message that is about to be written down.
            unread=regard.unread + 1,
            own_in_a_row=await self._own_in_a_row(channel) if heard.author.bot else 0,
            age_s=(now - heard.at).total_seconds(),
            idle_s=None if asked is None else now.timestamp() - asked,
        )

    async def _own_in_a_row(self, channel: Channel) -> int:
        """Count what familiars said since a person last spoke."""
        count = 0
        for turn in reversed(await self.scribe.vault.turns.page(channel.id, limit=_LOOK_BACK)):
            if turn.role is Role.USER and turn.author is not None and not turn.author.bot:
                break
            count += turn.role is Role.ASSISTANT
        return count

    def voice(self, turn: Turn) -> Voice:
        """Return what speaks in the channel of a turn."""
        if turn.channel not in self._voices:
            number = channel_number(turn.channel_key) or 0
            parts = (self.conversation, turn.channel, number, self.line, self.start, self.failed)
            self._voices[turn.channel] = Voice(
                *parts,
                ended=self.journal.ended,
                cut_off=self._take_up_later,
                pause=self.pause,
                now_s=self.now_s,
                turn=self.floor.turn(number),
            )
        return self._voices[turn.channel]
