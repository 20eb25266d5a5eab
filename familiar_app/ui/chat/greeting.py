"""How a conversation begins: the card's first message and its alternates, offered while a channel is empty."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.ids import ego_key, is_local
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Author, NewTurn, Role, Turn
from familiar_app.ui.chat.row import Row

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel


class Greetings:
    """The greetings of the familiar whose channel is open. `index` is the one that is offered."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.texts: list[str] = []
        self.index = 0

    async def prepare(self) -> None:
        """Read the greetings from the card."""
        profile, hosted = self._chat.hosted_profile, self._chat.hosted
        card = await asyncio.to_thread(profile.card, hosted.id)
        user = self._chat.owner_name
        found = [card.first_message, *card.alternate_greetings]
        self.texts = [fill_placeholders(text, char=hosted.name, user=user) for text in found if text.strip()]
        self.index = min(self.index, max(0, len(self.texts) - 1))

    @property
    def offered(self) -> bool:
        """Tell whether the open channel is empty and there is something to begin with."""
        chat = self._chat
        if chat.open is None or not is_local(chat.open.channel.key) or chat.replying:
            return False
        window = chat.open.window
        return not window.turns and window.at_end and bool(self.texts)

    def rows(self) -> list[Row]:
        """Return what an empty channel shows: the offered greeting, or a word on what to do."""
        if not self.offered:
            return [
                Row(("empty", 0), "empty", ("empty",), label=tr("Nothing was said here yet. Write the first message."))
            ]
        text, name = self.texts[self.index], self._chat.hosted.name
        return [Row(("greeting", 0), "turn", (self.index, text), text=text, name=name, head=True)]

    def step(self, direction: int) -> None:
        """Offer the next or previous greeting."""
        if self.texts:
            self.index = (self.index + direction) % len(self.texts)
            self._chat.arrange()
            self._chat.tell("rows")

    async def begin(self) -> None:
        """Store the offered greeting as the first turn of the channel."""
        chat = self._chat
        if chat.open is None or not self.offered:
            return
        turn = await (chat.hosted.conversation.greet(chat.open.channel) if self.index == 0 else self._store())
        if turn is not None:
            chat.open.heard(turn)
            chat.following = True
            chat.arrange()
            chat.tell("rows")
            await chat.channels.mark_read(chat.open.channel.id, turn.id)
            await chat.channels.load()

    async def _store(self) -> Turn | None:
        chat = self._chat
        if chat.open is None:
            return None
        hosted = chat.hosted
        turn, _ = await chat.vault.turns.append(
            NewTurn(
                channel=chat.open.channel.id,
                role=Role.ASSISTANT,
                content=self.texts[self.index],
                at=chat.now(),
                author=Author(ego_key(hosted.id), hosted.name),
                familiar=hosted.id,
            )
        )
        return turn

    async def swipe(self, greeting: Turn, direction: int) -> None:
        """Put another greeting in the place of the one that opens a conversation nobody has answered yet."""
        chat = self._chat
        if chat.open is None or not chat.open.is_greeting(greeting) or len(self.texts) < 2:
            return
        now = self.texts.index(greeting.content) if greeting.content in self.texts else 0
        self.index = (now + direction) % len(self.texts)
        chat.show_turn(await chat.vault.turns.revise(greeting.id, self.texts[self.index]))
