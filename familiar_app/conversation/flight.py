"""One reply under way: a task of its own assembles the prompt and reads the model, so it can be stopped anywhere."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import AssembledPrompt, PromptRequest
from familiar_app.conversation.event import ToolUsed
from familiar_app.conversation.measured import Measured
from familiar_app.conversation.tool_desk import ToolDesk
from familiar_app.conversation.tool_loop import ToolLoop
from familiar_app.conversation.tool_offer import offer_tools
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import Channel
from familiar_app.models.port import LanguageModel

Progress = AssembledPrompt | str | ToolUsed


class Flight:
    """Reads the model for one reply. `stopped` is set once somebody asked for the end."""

    def __init__(self, channel: Channel, turn: TurnId, desk: ToolDesk, *, must_speak: bool = False) -> None:
        self.channel = channel
        self.turn = turn
        self.must_speak = must_speak
        self.desk = desk
        self.prompt: AssembledPrompt | None = None
        self.measured = Measured()
        self.loop: ToolLoop | None = None
        self.stopped = False
        self.error: FamiliarError | None = None
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
        return self.loop.finish() if self.loop is not None and self.error is None else ""

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
            offer = await offer_tools(assembler, self.desk, self._request())
            self.prompt = offer.prompt
            self._arrived.put_nowait(self.prompt)
            settings = self.desk.config.conversation
            self.loop = ToolLoop(model, self.desk, offer, self.channel, self.turn, settings, self.measured)
            async with aclosing(self.loop.run()) as pieces:
                async for piece in pieces:
                    self._arrived.put_nowait(piece)
        except FamiliarError as error:
            self.error = error
