"""Writes down what happens on Discord: messages become turns, edits revisions, deletions tombstones.

A message is kept where the familiar listens: in channels it has subscribed to, in threads below them, and in direct
messages once they are allowed. Whoever listens, a message is stored once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from familiar_app.discord_link.incoming import Changed, Heard, Incoming, Reacted, Removed, Spot, channel_key
from familiar_app.domain.ids import ChannelKey, FamiliarId, TurnId
from familiar_app.domain.turn import Channel, NewTurn, Role, Turn
from familiar_app.store.vault import Vault

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Scribe:
    """Writes for one familiar. `listens_to` is known to be subscribed; threads follow their channel."""

    familiar: FamiliarId
    vault: Vault
    direct_on: bool
    listens_to: set[ChannelKey]

    async def load(self) -> list[Channel]:
        """Read which channels of Discord the familiar hears, and return them."""
        heard = await self.vault.channels.heard(self.familiar)
        found = [channel for channel in heard if channel.key.startswith("discord:")]
        self.listens_to |= {channel.key for channel in found}
        return found

    async def subscribe(self, spot: Spot) -> bool:
        """Listen there from now on. False where the familiar did already."""
        before = spot.key in self.listens_to
        await self.channel(spot)
        self.listens_to.add(spot.key)
        return not before

    async def unsubscribe(self, spot: Spot, threads: Sequence[int]) -> bool:
        """Listen there no longer, nor in these threads below it. False where the familiar did not anyway."""
        before = spot.key in self.listens_to
        for key in (spot.key, *(channel_key(number) for number in threads)):
            self.listens_to.discard(key)
            channel = await self.vault.channels.find(key)
            if channel is not None:
                await self.vault.channels.unsubscribe(channel.id, self.familiar)
        return before

    def listens(self, spot: Spot) -> bool:
        """Tell whether the familiar hears what is said there."""
        if spot.direct:
            return self.direct_on
        return spot.key in self.listens_to or (spot.parent is not None and channel_key(spot.parent) in self.listens_to)

    async def channel(self, spot: Spot) -> Channel:
        """Return the channel of the vault, brought up to date with its name and readers."""
        channel = await self.vault.channels.ensure(
            spot.key, familiar=self.familiar, title=spot.title, guild=spot.guild_key
        )
        if await self.vault.audiences.readers(channel.id) != spot.readers:
            await self.vault.audiences.tell_readers(channel.id, spot.readers)
        return channel

    async def hear(self, heard: Heard, channel: Channel, *, quote: bool | None = None) -> tuple[Turn, bool]:
        """Store a message in its channel. False where it was there already.

        With `quote`, it is noted in the same instant that it is about to be answered, as a reply or not.
        """
        also = None
        if quote is not None:
            also = self.vault.deliveries.beginning(self.familiar, str(heard.number), quote=quote)
        return await self.vault.turns.append(
            NewTurn(
                channel=channel.id,
                role=Role.SYSTEM if heard.system else Role.USER,
                content=heard.text,
                at=heard.at,
                author=heard.author,
                guild=heard.spot.guild_key,
                message_id=str(heard.number),
                reply_to=await self._answered(channel, heard),
                attachments=heard.extras,
                mentions=heard.mentions,
            ),
            also=also,
        )

    async def follow(self, event: Incoming) -> None:
        """Write down what became of a message. One that was never stored is passed over."""
        match event:
            case Changed():
                await self._change(event)
            case Removed():
                await self._remove(event)
            case Reacted():
                turn = await self.turn(event.channel, event.number)
                if turn is not None and turn.message_id is not None:
                    await self.vault.turns.react(turn.channel, turn.message_id, event.emoji, event.change)

    async def _answered(self, channel: Channel, heard: Heard) -> str | None:
        """Return the message that is answered; for a further part of a reply, its first one."""
        if heard.answers is None:
            return None
        turn = await self.vault.messages.find(channel.id, str(heard.answers), aliases=True)
        return str(heard.answers) if turn is None or turn.message_id is None else turn.message_id

    async def _change(self, event: Changed) -> None:
        turn = await self.turn(event.channel, event.number)
        if turn is None or turn.deleted or turn.role is Role.ASSISTANT:
            return
        text = event.text
        if event.preview is not None and event.preview not in (turn.attachments or ""):
            text = f"{text}\n({event.preview})".strip()
        # Without the right to read everything, an edit arrives blank; the words that are known stay.
        if text and text != turn.content:
            await self.vault.turns.revise(turn.id, text, added=text.startswith(f"{turn.content}\n("))

    async def _remove(self, event: Removed) -> None:
        turns = [await self.turn(event.channel, number) for number in event.numbers]
        await self.scrub([turn for turn in turns if turn is not None])

    async def scrub(self, turns: Iterable[Turn]) -> None:
        """Remove the words of turns for good; of an answer, also those of the ones it took the place of."""
        gone: dict[TurnId, None] = {}
        for turn in turns:
            same = [turn] if turn.answers is None else await self.vault.turns.answers(turn.answers)
            own = (one for one in same if one.familiar == turn.familiar and not one.deleted)
            gone |= dict.fromkeys(one.id for one in own)
        if gone:
            await self.vault.turns.scrub_many(tuple(gone))
            log.info("%d turns were scrubbed, since their messages were deleted on Discord", len(gone))

    async def turn(self, channel: int, number: int) -> Turn | None:
        """Return the turn that a message belongs to."""
        found = await self.vault.channels.find(channel_key(channel))
        return None if found is None else await self.vault.messages.find(found.id, str(number))
