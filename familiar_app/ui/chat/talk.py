"""What is said in the open channel: messages of the owner, the replies to them, other answers in their place."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from familiar_app.conversation.event import ExchangeEvent
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import OWNER, ChannelId
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Author, Channel, Role, Turn
from familiar_app.ui.chat.composer import check_message
from familiar_app.ui.chat.reply import LiveReply, StillAnsweringError, follow, speed_of

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel


class Talk:
    """The talk of one chat. `replies` has the last reply of each channel, also one that is still being made."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.replies: dict[ChannelId, LiveReply] = {}

    async def send(self, text: str) -> None:
        """Say something and wait for the answer. Raises UserError where it can't be sent."""
        text = check_message(text)
        if not text or self._chat.open is None:
            return
        channel = self._chat.open.channel
        self._refuse_while_busy(channel)
        if not self._chat.open.window.at_end:
            await self._chat.go_to_end()
        self._chat.following = True
        talk = self._chat.hosted.conversation
        reply = LiveReply(channel.id, self._chat.hosted.id, stop=lambda: talk.stop(channel.id))
        await self._follow(talk.say(channel, text, Author(OWNER, self._chat.owner_name)), reply)

    async def answer(self, turn: Turn) -> None:
        """Ask for another answer in the place of `turn`, or for one to a turn of the owner."""
        if self._chat.open is None:
            return
        self._refuse_while_busy(self._chat.open.channel)
        if turn.role is Role.ASSISTANT and turn.answers is None:
            raise UserError(tr("This opens the conversation, so there is nothing it answers."), tr("Edit it instead."))
        answers = turn.answers if turn.role is Role.ASSISTANT else turn.id
        channel, talk = self._chat.open.channel.id, self._chat.hosted.conversation
        reply = LiveReply(channel, self._chat.hosted.id, answers=answers, stop=lambda: talk.stop(channel))
        await self._follow(talk.regenerate(turn.id), reply)

    async def try_again(self) -> None:
        """Ask for an answer to the last turn, after one failed, was stopped or never came."""
        reply, last = self._chat.reply, self._chat.open.last_turn() if self._chat.open else None
        if reply is not None and reply.state == "failed" and reply.goes_on is not None:
            await self.go_on()
        elif last is not None:
            await self.answer(last)

    async def go_on(self) -> None:
        """Have the last answer continued, as another answer in its place."""
        answer = self._chat.open.last_answer() if self._chat.open else None
        if self._chat.open is None or answer is None:
            return
        self._refuse_while_busy(self._chat.open.channel)
        if answer.answers is None:
            raise UserError(tr("This opens the conversation and is whole."), tr("Edit it instead."))
        channel, talk = self._chat.open.channel.id, self._chat.hosted.conversation
        reply = LiveReply(channel, self._chat.hosted.id, answers=answer.answers, goes_on=answer.id, text=answer.content)
        reply.stop = lambda: talk.stop(channel)
        await self._follow(talk.go_on(answer.id), reply)

    async def regenerate(self) -> None:
        """Ask for another last answer."""
        if self._chat.open and (last := self._chat.open.last_answer() or self._chat.open.last_turn()):
            await self.answer(last)

    async def swipe(self, direction: int) -> None:
        """Show the previous (-1) or next (1) alternative of the last answer; beyond the last, a new one is made."""
        answer = self._chat.open.last_answer() if self._chat.open else None
        if answer is None or self._chat.replying:
            return
        if answer.answers is None:
            await self._chat.greetings.swipe(answer, direction)
            return
        everybody = await self._chat.vault.turns.answers(answer.answers)
        all_of_them = [one for one in everybody if one.familiar == answer.familiar]
        index = next((i for i, one in enumerate(all_of_them) if one.id == answer.id), len(all_of_them) - 1)
        wanted = index + direction
        if wanted < 0:
            return
        if wanted >= len(all_of_them):
            await self.answer(answer)
            return
        self._chat.show_turn(await self._chat.vault.turns.choose(all_of_them[wanted].id))
        await self._chat.cut.look()

    def stop(self) -> None:
        """Stop the reply in the open channel; what was said so far stays."""
        reply = self._chat.reply
        if reply is not None and not reply.over:
            reply.state = "stopping"
            reply.stop()
            self._chat.tell("live")

    def _refuse_while_busy(self, channel: Channel) -> None:
        reply = self.replies.get(channel.id)
        if reply is not None and not reply.over:
            raise StillAnsweringError(
                tr("{name} is still answering.", name=self._chat.hosted.name),
                tr("Wait for the end, or stop it with Esc."),
            )

    async def _follow(self, events: AsyncGenerator[ExchangeEvent], reply: LiveReply) -> None:
        self.replies[reply.channel] = reply
        self._chat.report("answering", None)
        self._chat.arrange()
        self._chat.tell("rows")
        try:
            await follow(events, reply, self._told)
        except BaseException:
            if reply.state == "stopped":
                self.replies.pop(reply.channel, None)
                self._chat.report("idle", None)
                self._chat.arrange()
                self._chat.tell("rows")
            raise
        await self._ended(reply)

    def _told(self, reply: LiveReply, what: str) -> None:
        chat = self._chat
        if what == "text":
            chat.report("answering", reply.tokens_per_s())
        elif what == "user_turn":
            chat.drafts.put(reply.channel, "")
        if not self._is_here(reply) or chat.open is None:
            return
        if what == "text":
            chat.open.grow(reply)
            chat.tell("live")
            return
        if what == "state" and reply.prompt is not None:
            chat.measure(reply.prompt)
        if what == "user_turn":
            chat.open.unread_from = None
        turn = {"user_turn": reply.user_turn, "tool": reply.tool_turn, "over": reply.turn}.get(what)
        if turn is not None:
            chat.open.heard(turn)
        chat.arrange()
        if what == "user_turn":
            chat.tell("sent")
        chat.tell("rows")
        if what == "over":
            chat.tell("answered")

    def _is_here(self, reply: LiveReply) -> bool:
        return self._chat.open is not None and self._chat.open.channel.id == reply.channel

    async def _ended(self, reply: LiveReply) -> None:
        trace = await self._chat.vault.traces.get(reply.trace_id) if reply.trace_id is not None else None
        if reply.turn is not None and trace is not None:
            self._chat.cut.note(reply.turn.id, trace)
            self._chat.tell("rows")
        elif reply.turn is not None:
            await self._chat.cut.look()
        speed = speed_of(trace) or reply.tokens_per_s()
        self._chat.report("failed" if reply.state == "failed" else "idle", speed)
        here = self._is_here(reply) and self._chat.following
        last = (reply.turn or reply.user_turn) if here else reply.user_turn
        if last is not None:
            await self._chat.vault.channels.mark_read(reply.channel, last.id)
        await self._chat.drafts.save()
        await self._chat.channels.load()
