"""One reply under way: a task of its own assembles the prompt and reads the model, so it can be stopped anywhere."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import AssembledPrompt, PromptRequest
from familiar_app.conversation.event import ToolUsed
from familiar_app.conversation.going_on import Seam, offer_going_on
from familiar_app.conversation.measured import Measured
from familiar_app.conversation.tool_desk import ToolDesk
from familiar_app.conversation.tool_loop import ToolLoop
from familiar_app.conversation.tool_offer import ToolOffer, offer_tools
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import Channel, Turn
from familiar_app.models.port import LanguageModel

Progress = AssembledPrompt | str | ToolUsed


class Flight:
    """Reads the model for one reply. `stopped` is set once somebody asked for the end.

    With `cut` it goes on with that answer to `turn`; what comes of it are the further words alone.
    """

    def __init__(
        self, channel: Channel, turn: TurnId, desk: ToolDesk, *, must_speak: bool = False, cut: Turn | None = None
    ) -> None:
        self.channel = channel
        self.turn = turn
        self.must_speak = must_speak
        self.cut = cut
        self.desk = desk
        self.prompt: AssembledPrompt | None = None
        self.measured = Measured()
        self.loop: ToolLoop | None = None
        self.stopped = False
        self.error: FamiliarError | None = None
        self._seam: Seam | None = None
        self._arrived: asyncio.Queue[Progress | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def begin(self, assembler: Assembler, model: LanguageModel) -> None:
        """Start the work. `next` gives what comes of it."""
        if not self.stopped:
            self._task = asyncio.get_running_loop().create_task(
                self._run(assembler, model), name=f"reply to turn {self.turn}"
            )
            self._task.add_done_callback(lambda _: self._arrived.put_nowait(None))

    def stop(self) -> None:
        """Ask for the end: the model is stopped within a token."""
        self.stopped = True
        self._cancel()

    async def next(self) -> Progress | None:
        """Return what came next, None at the end. Raises what the task raised, but for errors kept in `error`."""
        if self._task is None:
            return None
        progress = await self._arrived.get()
        if progress is None and not self._task.cancelled():
            self._task.result()
        return progress

    def finish(self) -> str:
        """Return what was held back of the words; nothing where the answer failed."""
        if self.loop is None or self.error is not None:
            return ""
        last = self.loop.finish()
        return last if self._seam is None else self._seam.feed(last) + self._seam.finish()

    @property
    def silent(self) -> bool:
        """Whether the familiar decided to say nothing."""
        return self.loop is not None and self.loop.silent

    async def end(self) -> None:
        """Stop the model, if it is still at work, and wait until it is."""
        self._cancel()
        if self._task is not None:
            await asyncio.wait([self._task])

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _request(self) -> PromptRequest:
        return PromptRequest(self.channel, until=self.turn, must_speak=self.must_speak)

    async def _run(self, assembler: Assembler, model: LanguageModel) -> None:
        try:
            await model.prepare()
            offer = await self._offer(assembler)
            self.prompt = offer.prompt
            self._arrived.put_nowait(self.prompt)
            settings, begun = self.desk.config.conversation, self.cut.content if self.cut is not None else ""
            if begun and not model.info.goes_on:
                self._seam = Seam(begun)
            self.loop = ToolLoop(model, self.desk, offer, self.channel, self.turn, settings, self.measured, begun)
            async with aclosing(self.loop.run()) as pieces:
                async for piece in pieces:
                    self._pass_on(piece)
        except FamiliarError as error:
            self.error = error

    async def _offer(self, assembler: Assembler) -> ToolOffer:
        if self.cut is not None:
            return await offer_going_on(assembler, self._request(), self.cut)
        return await offer_tools(assembler, self.desk, self._request())

    def _pass_on(self, piece: str | ToolUsed) -> None:
        if self._seam is not None and isinstance(piece, str):
            piece = self._seam.feed(piece)
        if piece:
            self._arrived.put_nowait(piece)
