"""Moving about in the open channel: reading on in both directions, going to a turn, a day, a hit, the end."""

from __future__ import annotations

from abc import abstractmethod
from datetime import date

from familiar_app.domain.ids import TurnId
from familiar_app.ui.chat.channel_list import ChannelListModel
from familiar_app.ui.chat.finder import Finder
from familiar_app.ui.chat.further import CutAnswers
from familiar_app.ui.chat.row import RowKey
from familiar_app.ui.chat.transcript import Transcript
from familiar_app.ui.kit.watch import Watched


class Moving(Watched):
    """The part of the chat that moves what is shown. `target` is the row a `jump` leads to, None for the end."""

    open: Transcript | None
    channels: ChannelListModel
    finder: Finder
    cut: CutAnswers
    target: RowKey | None
    following: bool

    @abstractmethod
    def arrange(self) -> None:
        """Build the rows of the open channel anew."""

    async def more_before(self) -> None:
        """Take in older turns."""
        if self.open and await self.open.window.more_before():
            self.arrange()
            self.tell("rows")

    async def more_after(self) -> None:
        """Take in newer turns."""
        if self.open and not self.open.window.at_end and await self.open.window.more_after():
            self.arrange()
            self.tell("rows")

    async def go_to(self, turn: TurnId) -> None:
        """Show a turn of the open channel."""
        if self.open is None:
            return
        self._jump(await self.open.go_to(turn))

    async def go_to_day(self, day: date) -> None:
        """Show the first turn of a day."""
        if self.open:
            self._jump(await self.open.go_to_day(day))

    async def go_to_place(self, place: float) -> None:
        """Show what lies at a place of the channel, 0 its beginning and 1 its end."""
        if self.open:
            self._jump(await self.open.go_to_place(place))

    async def go_to_end(self) -> None:
        """Show the newest turn and keep following."""
        if self.open is None:
            return
        if not self.open.window.at_end:
            await self.open.window.open_end()
        self.open.newer = 0
        self.arrange()
        self.target, self.following = None, True
        self.tell("jump")

    def _jump(self, target: RowKey | None) -> None:
        self.arrange()
        if target is None:
            self.tell("rows")
            return
        self.target, self.following = target, False
        self.tell("jump")

    async def refresh(self) -> None:
        """Take in what was stored elsewhere since."""
        await self.channels.load()
        if self.open and (arrived := await self.open.refresh()):
            self.open.newer += 0 if self.following else arrived
            self.arrange()
            self.tell("rows")
            await self.cut.look()

    async def seen(self, turn: TurnId) -> None:
        """Remember that the open channel was read up to a turn."""
        if self.open:
            await self.channels.mark_read(self.open.channel.id, turn)

    async def search(self, text: str) -> None:
        """Search the open channel and show the newest hit."""
        if self.open is None:
            return
        await self.finder.search(text, self.open.channel.id)
        self.tell("search")
        if (hit := self.finder.here()) is not None:
            await self.go_to(hit)

    async def step_hit(self, direction: int) -> None:
        """Show the next (1) or previous (-1) hit."""
        hit = self.finder.step(direction)
        self.tell("search")
        if hit is not None:
            await self.go_to(hit)
