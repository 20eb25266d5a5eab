"""What the person erases for good from the chat: one message, or all that was said in a channel."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from familiar_app.domain.erasure import OfChannel, OfMessage
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.ui.kit.erase_flow import erase_from

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel
    from familiar_app.ui.chat.view import ChatView


class EraseDeeds:
    """The part of the deeds that cannot be taken back; each shows first what will go."""

    _view: ChatView
    _model: ChatModel

    @abstractmethod
    async def _open(self, channel: ChannelId) -> None: ...

    async def _erase_message(self, turn: TurnId) -> None:
        model = self._model
        if await erase_from(self._view.window(), model.vault.erasure, OfMessage(turn)) is not None and model.open:
            await self._open(model.open.channel.id)

    async def _erase_channel(self) -> None:
        model = self._model
        channel = model.chosen_channel or (model.open.channel.id if model.open else None)
        if channel is None:
            return
        if await erase_from(self._view.window(), model.vault.erasure, OfChannel(channel)) is None:
            return
        await model.channels.load()
        if model.open is not None and model.open.channel.id == channel:
            left = [one.channel.id for one in model.channels.summaries]
            await self._open(channel if channel in left or not left else left[0])
