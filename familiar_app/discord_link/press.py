"""What the buttons under an answer do, and who may use them: whoever asked, and moderators."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.incoming import Pressed
from familiar_app.discord_link.scribe import Scribe
from familiar_app.discord_link.sender import Line
from familiar_app.discord_link.voice import Start, Voice, Wish
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.turn import Turn

_STALE = "These buttons belong to an answer that is not there any more, so they do nothing."
_FOREIGN = "Only whoever was answered, and those who moderate this channel, can use these buttons."
_GONE = "The message that this answers is gone, so there is no other answer to it."
_FAILED = "That did not work. The owner of the familiar finds the reason in the log."
_MOST_KNOWN = 500
log = logging.getLogger(__name__)


@dataclass
class Presses:
    """Deals with pressed buttons of one familiar."""

    conversation: Conversation
    scribe: Scribe
    line: Callable[[], Line]
    voice: Callable[[Turn], Voice]
    start: Start
    failed: Callable[[FamiliarError], None]
    _hosts: dict[TurnId, PersonKey] = field(default_factory=dict)

    def speaks_for(self, host: PersonKey, turn: TurnId) -> None:
        """Note whose message a copy took the place of, until the program ends: they may press what is below it."""
        self._hosts[turn] = host
        while len(self._hosts) > _MOST_KNOWN:
            del self._hosts[next(iter(self._hosts))]

    async def take(self, pressed: Pressed) -> None:
        """Do what a button is for, or say to whoever pressed it why not."""
        if pressed.familiar == self.conversation.familiar:
            self.start(self._do(pressed), "a button under an answer")

    async def _do(self, pressed: Pressed) -> None:
        try:
            refusal = await self._refusal(pressed)
            if refusal:
                await pressed.tell(refusal)
        except FamiliarError as error:
            self.failed(error)
            await pressed.tell(_FAILED)

    async def _refusal(self, pressed: Pressed) -> str:
        """Do it; return a sentence where it cannot be done."""
        vault = self.conversation.vault
        reply, asked = await self.scribe.turn(pressed.channel, pressed.number), await vault.turns.get(pressed.asked)
        if asked is None or reply is None or reply.deleted or reply.hidden or reply.answers != asked.id:
            return _STALE
        author = None if asked.author is None else asked.author.key
        if not (pressed.moderator or pressed.by in (author, self._hosts.get(asked.id))):
            return _FOREIGN
        if pressed.action == "bin":
            await self._remove(pressed, reply)
            return ""
        if asked.deleted or asked.hidden:
            return _GONE
        return await self._again(pressed, asked, reply)

    async def _again(self, pressed: Pressed, asked: Turn, reply: Turn) -> str:
        message = int(asked.message_id or pressed.number)
        wish = Wish(asked.id, message, pressed.by, quote=False, instead=reply.id)
        familiar, deliveries = self.conversation.familiar, self.conversation.vault.deliveries
        voice = self.voice(asked)
        if voice.may_again(asked.id):
            await deliveries.begin(asked.id, familiar, str(message), quote=False, instead=reply.id)
            if voice.again(wish):
                return ""
            await deliveries.end(asked.id, familiar)
        return f"{self.conversation.name} is still answering here. Try again in a moment."

    async def _remove(self, pressed: Pressed, reply: Turn) -> None:
        """Take an answer away, from Discord first: what is left undone there is found when the familiar comes back."""
        line = self.line()
        for message in await self.conversation.vault.messages.parts(reply.id):
            await line.remove(pressed.channel, int(message))
        await self.scribe.scrub([reply])
        log.info("turn %d was removed by a button", reply.id)
