"""What the person does with channels: choosing, making, renaming and archiving them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from familiar_app.domain.ids import ChannelId
from familiar_app.domain.text import ntr, ptr, tr
from familiar_app.domain.turn import Channel
from familiar_app.ui.chat.exporting import FILTERS, export_channel, exported_words, file_name
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.dialog import ask_text, choose_file

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel
    from familiar_app.ui.chat.view import ChatView


class ChannelDeeds:
    """The part of the deeds that is about channels."""

    _view: ChatView
    _model: ChatModel

    @abstractmethod
    def do(self, deed: str) -> None:
        """Do something by its word."""

    @abstractmethod
    def open_channel(self, channel: int) -> None:
        """Show a channel."""

    @abstractmethod
    async def _open(self, channel: ChannelId) -> None: ...

    @abstractmethod
    def _start(self, make: Callable[[], Any], name: str, *, replace: bool = False) -> None: ...

    def open_channel_menu(self) -> None:
        """Show the menu of the open channel below its name."""
        if self._model.open is not None:
            title = self._view.header.title
            self.channel_menu(self._model.open.channel.id, title.mapToGlobal(QPoint(0, title.height())), choose=True)

    def channel_menu(self, channel: int, place: QPoint, *, choose: bool = False) -> None:
        """Show what can be done with a channel; with `choose`, the other channels as well."""
        menu = QMenu(self._view)
        menu.setAccessibleName(tr("Channel"))
        menu.aboutToHide.connect(menu.deleteLater)
        if choose:
            for summary in self._model.channels.summaries[:40]:
                entry = menu.addAction(channel_title(summary.channel).replace("&", "&&"))
                entry.setCheckable(True)
                entry.setChecked(summary.channel.id == channel)
                entry.triggered.connect(lambda _on=False, one=summary.channel.id: self.open_channel(one))
            menu.addSeparator()
        self._model.chosen_channel = ChannelId(channel)
        found = self._model.channels.find(ChannelId(channel))
        archived = bool(found and found.channel.archived)
        menu.addAction(tr("New channel…")).triggered.connect(lambda: self.do("new_channel"))
        menu.addAction(tr("Rename…")).triggered.connect(lambda: self.do("rename_channel"))
        caption = tr("Bring back from the archive") if archived else ptr("verb", "Archive")
        menu.addAction(caption).triggered.connect(lambda: self.do("archive_channel"))
        shown = menu.addAction(tr("Show archived channels"))
        shown.setCheckable(True)
        shown.setChecked(self._model.channels.show_archived)
        shown.triggered.connect(self._show_archived)
        menu.addSeparator()
        menu.addAction(tr("Bring in a chat…")).triggered.connect(lambda: self.do("bring_in"))
        menu.addAction(tr("Export the messages…")).triggered.connect(lambda: self.do("export_channel"))
        menu.addAction(tr("Read as plain text")).triggered.connect(lambda: self.do("read_as_text"))
        menu.addSeparator()
        menu.addAction(tr("Erase for good…")).triggered.connect(lambda: self.do("erase_channel"))
        menu.popup(place)

    def _show_archived(self, on: bool) -> None:
        self._model.channels.show_archived = on
        self._start(self._model.channels.load, "chat.channels")

    async def _new_channel(self) -> None:
        text = tr("A channel has its own conversation; what is remembered is shared.")
        title = await ask_text(
            self._view.window(), tr("New channel"), text, accept=tr("Create"), name=tr("Name of the channel")
        )
        if title:
            channel = await self._model.channels.new(title)
            await self._open(channel.id)
            self._view.composer.setFocus()

    async def _rename_channel(self) -> None:
        channel = self._model.chosen_channel or (self._model.open.channel.id if self._model.open else None)
        found = self._model.channels.find(channel) if channel is not None else None
        if found is None:
            return
        before = channel_title(found.channel)
        title = await ask_text(
            self._view.window(), tr("Rename the channel"), "", value=before, accept=tr("Rename"), name=tr("Name")
        )
        if title and title != before:
            await self._model.channels.rename(found.channel.id, title)
            rename = partial(self._model.channels.rename, found.channel.id)
            self._model.offer_undo(tr("Channel renamed."), partial(rename, before), partial(rename, title))

    async def _archive_channel(self) -> None:
        channel = self._model.chosen_channel or (self._model.open.channel.id if self._model.open else None)
        found = self._model.channels.find(channel) if channel is not None else None
        if found is None:
            return
        on = not found.channel.archived
        await self._model.channels.archive(found.channel.id, on=on)
        archive = partial(self._model.channels.archive, found.channel.id)
        what = tr("Channel archived.") if on else tr("Channel brought back.")
        self._model.offer_undo(what, partial(archive, on=not on), partial(archive, on=on))
        if on and self._model.open and self._model.open.channel.id == found.channel.id:
            others = [one.channel.id for one in self._model.channels.summaries if one.channel.id != found.channel.id]
            if others:
                await self._open(others[0])

    def export_open_channel(self) -> None:
        """Have a file chosen and write the messages of the channel that is shown."""
        self._model.chosen_channel = None
        self.do("export_channel")

    async def _export_channel(self) -> None:
        channel = self._model.chosen_channel or (self._model.open.channel.id if self._model.open else None)
        found = self._model.channels.find(channel) if channel is not None else None
        if found is not None:
            suggest = file_name(found.channel)
            title, filters = tr("Export the messages"), [tr(one) for one in FILTERS]
            path = await choose_file(self._view.window(), title, mode="save", suggest=suggest, filters=filters)
            if path is not None:
                await self.export_channel(found.channel, path if path.suffix else path.with_suffix(".jsonl"))

    async def export_channel(self, channel: Channel, path: Path) -> None:
        """Write the messages of a channel to a file. Raises UserError, OutsideError."""
        tell = self._view.context.tell
        turns = self._model.vault.turns

        def told(done: int) -> None:
            tell(ntr("{n} message written…", "{n} messages written…", done))

        report = await export_channel(turns, channel, path, told)
        tell(exported_words(report, path))

    def channels_changed(self) -> None:
        """Tell the rail and the palette that channels are others now."""
        view = self._view
        view.context.badge("chat", self._model.channels.unread)
        view.context.actions_changed("chat")
