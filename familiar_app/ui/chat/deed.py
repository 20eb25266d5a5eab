"""Everything the person does in the chat, from wherever it was asked: keys, buttons, menus, the command palette."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from datetime import date
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import ChannelId, TurnId
from familiar_app.ui.chat.bring_deed import BringDeeds
from familiar_app.ui.chat.channel_deed import ChannelDeeds
from familiar_app.ui.chat.composer import length_problem
from familiar_app.ui.chat.day_picker import DayPicker
from familiar_app.ui.chat.erasing import EraseDeeds
from familiar_app.ui.chat.markdown import is_web_link
from familiar_app.ui.chat.row_deed import RowDeeds
from familiar_app.ui.chat.side_deed import SideDeeds
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.panel import Place

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import Undo
    from familiar_app.ui.chat.view import ChatView

log = logging.getLogger(__name__)
Make = Callable[[], Coroutine[Any, Any, Any]]


class Deeds(EraseDeeds, BringDeeds, ChannelDeeds):
    """The deeds of one chat view. `do` takes a deed by its word; rows and channels have their own doors."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self.closed = False
        self._talks = self._acts = 0
        self._model = view.model
        self._model.offer_undo = self._offer_undo
        self._side = SideDeeds(view, self._start, self.show_turn)
        rows = RowDeeds(view, self._side, self.do, self._start, self._erase_message)
        self.row_do, self.row_menu = rows.do, rows.menu
        self._plain, self._lasting = self._plain_deeds(), self._lasting_deeds()

    def _plain_deeds(self) -> dict[str, Callable[[], object]]:
        view, model, side = self._view, self._model, self._side
        return {
            "send": self.send,
            "send_or_stop": lambda: self.do("stop") if model.replying else self.send(),
            "stop": model.talk.stop,
            "escape": self.escape,
            "edit_last": model.edits.begin_last_own,
            "cancel_edit": model.edits.cancel,
            "greeting_back": lambda: model.greetings.step(-1),
            "greeting_on": lambda: model.greetings.step(1),
            "why": side.why_last,
            "why_silent": side.why_silent,
            "find": lambda: view.finder.begin(),
            "day": self.pick_day,
            "channel_menu": self.open_channel_menu,
            "read_as_text": side.read_as_text,
        }

    def _lasting_deeds(self) -> dict[str, Make]:
        model = self._model
        return {
            "swipe_back": lambda: model.talk.swipe(-1),
            "swipe_on": lambda: model.talk.swipe(1),
            "regenerate": model.talk.regenerate,
            "try_again": model.talk.try_again,
            "go_on": model.talk.go_on,
            "greet": model.greetings.begin,
            "end": model.go_to_end,
            "beginning": lambda: model.go_to_place(0.0),
            "new_channel": self._new_channel,
            "rename_channel": self._rename_channel,
            "archive_channel": self._archive_channel,
            "erase_channel": self._erase_channel,
            "export_channel": self._export_channel,
            "bring_in": self._bring_in,
            "refresh": model.refresh,
        }

    def do(self, deed: str) -> None:
        """Do something by its word; it starts its own task where it takes time."""
        if deed in self._plain:
            self._plain[deed]()
        elif deed in self._lasting:
            talking = deed in ("swipe_on", "regenerate", "try_again", "go_on")
            if talking and not self._model.writable:
                return
            self._start(self._lasting[deed], self._talk() if talking else f"chat.{deed}")

    def _talk(self) -> str:
        """Name the task of a reply anew each time: the one before may still be putting its things away."""
        self._talks += 1
        return f"chat.talk.{self._talks}"

    def _offer_undo(self, text: str, undo: Undo, redo: Undo | None = None) -> None:
        again = None if redo is None else lambda: self._start_act(redo)
        self._view.context.offer_undo(text, lambda: self._start_act(undo), again)

    def _start_act(self, make: Undo) -> None:
        """Each runs as a task of its own, so that two in a row are both done."""
        self._acts += 1
        self._start(make, f"chat.undo.{self._acts}")

    def _start(self, make: Callable[[], Any], name: str, *, replace: bool = False) -> None:
        if not self.closed:
            self._view.tasks.start(make, name=name, replace=replace)

    # ---- writing

    def send(self) -> None:
        """Send what stands in the composer."""
        view, model = self._view, self._model
        text = view.composer.toPlainText()
        reply = model.reply
        sending = reply is not None and not reply.over and reply.answers is None
        if not text.strip() or not model.writable or sending or length_problem(text):
            return
        view.notice.clear()
        self._keep_typed()
        self._start(lambda: model.talk.send(text), self._talk())

    def can_escape(self) -> bool:
        """Tell whether there is something that Esc closes."""
        view = self._view
        return self._model.edits.editing is not None or view.finder.isVisible() or view.context.side_view.is_open()

    def escape(self) -> None:
        """Close what is open: an editor, the search, the side view."""
        view = self._view
        if self._model.edits.editing is not None:
            self._model.edits.cancel()
        elif view.finder.isVisible():
            self.close_search()
        elif view.context.side_view.is_open():
            view.context.side_view.close_view()

    def keep_draft(self) -> None:
        """Remember what is being written."""
        if self._model.open is not None:
            self._model.drafts.put(self._model.open.channel.id, self._view.composer.toPlainText())
            self._start(self._model.drafts.save, "chat.draft", replace=False)

    def mark_seen(self, *, present: bool = False) -> None:
        """Remember that the end of the channel was in view; `present` tells that the person has just done something."""
        view, opened = self._view, self._model.open
        if opened is None or opened.newest is None or not opened.window.at_end or not view.isVisible():
            return
        summary = self._model.channels.find(opened.channel.id)
        if summary is not None and summary.unread and (present or view.window().isActiveWindow()):
            newest = opened.newest
            self._start(lambda: self._model.seen(newest), "chat.seen")

    def measure_draft(self) -> None:
        """Measure the prompt that what stands in the composer would get."""
        text = self._view.composer.toPlainText()
        if not self.closed and not self._model.replying:
            self._view.tasks.start(
                lambda: self._model.measure_draft(text), name="chat.meter", replace=True, show_error=_not_measured
            )

    def save_edit(self, text: str) -> None:
        """Store the text of the open editor."""
        self._start(lambda: self._model.edits.save(text), "chat.edit")

    # ---- moving

    def open_channel(self, channel: int) -> None:
        """Show a channel."""
        self._keep_typed()
        self._start(lambda: self._open(ChannelId(channel)), "chat.open", replace=True)

    async def _open(self, channel: ChannelId, *, at: TurnId | None = None) -> None:
        await self._model.open_channel(channel, at=at)
        opened = self._model.open
        if opened is not None:
            self._view.context.visit(Place("chat", str(channel), channel_title(opened.channel)))

    def _keep_typed(self) -> None:
        if self._model.open is not None:
            self._model.drafts.put(self._model.open.channel.id, self._view.composer.toPlainText())

    def read_on_before(self) -> None:
        """Take in older turns, where there are any."""
        if self._model.open is not None and not self._model.open.window.at_start:
            self._start(self._model.more_before, "chat.before")

    def read_on_after(self) -> None:
        """Take in newer turns, where there are any."""
        if self._model.open is not None and not self._model.open.window.at_end:
            self._start(self._model.more_after, "chat.after")

    def go_to_place(self, place: float) -> None:
        """Go to a share of the channel, by pixels where all of it is held."""
        opened = self._model.open
        if opened is None:
            return
        if opened.window.at_start and opened.window.at_end:
            if place >= 1.0:
                self._view.transcript.follow_end()
            else:
                self._view.transcript.show_pixel_place(place)
            return
        self._start(lambda: self._model.go_to_place(place), "chat.place", replace=True)

    def show_turn(self, turn: int) -> None:
        """Go to a turn of the open channel."""
        self._start(lambda: self._model.go_to(TurnId(turn)), "chat.go", replace=True)

    def show_turn_of(self, channel: int, turn: int) -> None:
        """Go to a turn of any channel."""
        opened = self._model.open
        if opened is not None and opened.channel.id == channel:
            self.show_turn(turn)
            return
        self._keep_typed()
        self._start(lambda: self._open(ChannelId(channel), at=TurnId(turn)), "chat.open", replace=True)

    def pick_day(self) -> None:
        """Let the person choose a day to go to."""
        view, opened = self._view, self._model.open
        if opened is None:
            return
        today = self._model.now().astimezone(opened.zone).date()
        picker = DayPicker(view.theme, view, opened.calendar, today)
        picker.chosen.connect(self._go_to_day)
        button = view.header.days
        picker.open_at(button.mapToGlobal(QPoint(button.width(), button.height() + 4)))

    def _go_to_day(self, day: date) -> None:
        self._start(lambda: self._model.go_to_day(day), "chat.go", replace=True)

    def search(self, text: str) -> None:
        """Search the open channel."""
        self._start(lambda: self._model.search(text), "chat.search", replace=True)

    def step_hit(self, direction: int) -> None:
        """Go to the next or previous hit."""
        self._start(lambda: self._model.step_hit(direction), "chat.hit")

    def close_search(self) -> None:
        """Leave the search; what it showed stays in view."""
        view = self._view
        self._model.finder.clear()
        view.finder.field.clear()
        view.finder.hide()
        self._model.tell("search")
        view.composer.setFocus()

    def open_link(self, url: str) -> None:
        """Open a link in the browser."""
        if is_web_link(url):
            QDesktopServices.openUrl(QUrl(url))


def _not_measured(error: FamiliarError, _again: object) -> None:
    """The meter keeps its last figure; what is wrong is told when the message is sent."""
    log.info("the prompt of a draft was not measured", exc_info=error)
