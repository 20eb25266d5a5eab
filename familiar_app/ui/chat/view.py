"""The chat with one familiar as a widget: channels, header, transcript and composer, all bound to one `ChatModel`."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QPixmap
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr
from familiar_app.ui.chat.arrival import Arrivals
from familiar_app.ui.chat.channel_side import ChannelSide
from familiar_app.ui.chat.deed import Deeds
from familiar_app.ui.chat.header import Header
from familiar_app.ui.chat.look import Look
from familiar_app.ui.chat.model import ChatModel
from familiar_app.ui.chat.reply import StillAnsweringError
from familiar_app.ui.chat.row import RowKey
from familiar_app.ui.chat.row_bars import RowBars
from familiar_app.ui.chat.row_tools import RowTools
from familiar_app.ui.chat.transcript_view import TranscriptView
from familiar_app.ui.chat.whereabouts import Whereabouts
from familiar_app.ui.chat.writing import Writing
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.find_bar import FindBar
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, line, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks

NARROW_PX = 680
MEASURE_AFTER_MS = 350
SEARCH_AFTER_MS = 180


class ChatView(QWidget):
    """Shows a `ChatModel`. Everything the person does goes through `deeds`."""

    def __init__(self, model: ChatModel, context: PanelContext, picture: QPixmap | None) -> None:
        super().__init__()
        self.model, self.context, self._picture = model, context, picture
        theme = self.theme = context.theme
        self.notice = Notice(theme)
        self._told_to_wait = False
        self.tasks = Tasks(context.tasks, self, self._show_error)
        self.deeds = Deeds(self)
        do = self.deeds.do
        self.side = ChannelSide(theme, do)
        self.channels = self.side.channels
        self.header = Header(theme, do)
        steps = (tr("Older hit"), tr("Newer hit"))
        self.finder = FindBar(theme, tr("Search in this channel"), steps, after_ms=SEARCH_AFTER_MS, upwards=True)
        self.transcript = TranscriptView(self._look())
        self.whereabouts = Whereabouts(theme, model, self.transcript, lambda: do("end"))
        self.tools = RowTools(theme, self.transcript, self.deeds.row_do)
        self.writing = Writing(theme, self.notice, lambda: do("send_or_stop"))
        self.composer, self.send = self.writing.composer, self.writing.send
        self.limit, self.meter = self.writing.limit, self.writing.meter
        self._make_timers()
        self._build()
        self.bars = RowBars(self)
        self._connect()
        model.watch(self._heard)
        self.arrivals = Arrivals(model, lambda: do("refresh"), self)
        follow(theme, self, self._restyle)
        self._set_state()

    def _make_timers(self) -> None:
        self._draft = self._timer(400, self.deeds.keep_draft)
        self._measure = self._timer(MEASURE_AFTER_MS, self.deeds.measure_draft)
        self._read = self._timer(500, self.deeds.mark_seen)
        self._clock = self._timer(60_000, self._show_channels, once=False)

    def _timer(self, after_ms: int, run, *, once: bool = True) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(once)
        timer.setInterval(after_ms)
        timer.timeout.connect(run)
        if not once:
            timer.start()
        return timer

    # ---- building

    def _build(self) -> None:
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.side)
        self._split.addWidget(self._middle())
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([self.theme.px(212), 900])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._split)

    def _middle(self) -> QWidget:
        middle = surface(QWidget(), 1)
        conversation = row(spacing=0)
        conversation.addWidget(self.transcript, 1)
        conversation.addWidget(self.whereabouts.overview)
        layout = column(spacing=0)
        layout.addWidget(self.header)
        layout.addWidget(self.finder)
        layout.addWidget(line())
        layout.addLayout(conversation, 1)
        layout.addWidget(line())
        layout.addLayout(self.writing.centred())
        middle.setLayout(layout)
        return middle

    def _connect(self) -> None:
        do = self.deeds.do
        self.channels.chosen.connect(self.deeds.open_channel)
        self.channels.menu_wanted.connect(self.deeds.channel_menu)
        self.channels.rename_wanted.connect(lambda: do("rename_channel"))
        self.finder.wanted.connect(self.deeds.search)
        self.finder.stepped.connect(self.deeds.step_hit)
        self.finder.closed.connect(self.deeds.close_search)
        self.transcript.near_top.connect(self.deeds.read_on_before)
        self.transcript.near_bottom.connect(self.deeds.read_on_after)
        self.transcript.moved.connect(self._moved)
        self.transcript.link_clicked.connect(self.deeds.open_link)
        self.transcript.menu_wanted.connect(self.deeds.row_menu)
        self.transcript.whole_wanted.connect(lambda key: self.deeds.row_do("whole", key))
        self.transcript.current_changed.connect(self._current_changed)
        self.transcript.deed.connect(self.deeds.row_do)
        self.whereabouts.overview.wanted.connect(self.deeds.go_to_place)
        self.composer.deed.connect(do)
        self.composer.textChanged.connect(self._typed)

    def _look(self) -> Look:
        name = self.model.hosted.name
        return Look(self.theme, {name: self._picture}, self.devicePixelRatioF())

    def _restyle(self) -> None:
        self.transcript.set_look(self._look())
        self.writing.restyle()
        self.bars.refresh()

    # ---- hearing from the model

    def _heard(self, what: str) -> None:
        inside = self._focus_in_rows()
        self._follow(what)
        if inside and not self._focus_in_rows() and not self.composer.hasFocus():
            # What had the focus is gone (a bar below an answer); writing goes on, and Esc stops the reply.
            self.composer.setFocus()

    def _focus_in_rows(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and self.transcript.viewport().isAncestorOf(focused)

    def _follow(self, what: str) -> None:
        match what:
            case "channels":
                self._show_channels()
            case "opened":
                self._show_opened()
            case "rows":
                self._show_rows()
            case "live":
                self._show_live()
            case "jump":
                self._show_jump()
            case "answered":
                self._announce()
            case "sent":
                self.composer.put_text("")
                self.transcript.follow_end()
            case "meter":
                self.meter.show_meter(self.model.meter)
            case "search":
                self._show_search()
            case "edit":
                self.bars.show_editor()

    def _show_channels(self) -> None:
        model = self.model
        self.side.show_channels(model)
        if model.open is not None:
            summary = model.channels.find(model.open.channel.id)
            self.header.show_title(channel_title(summary.channel if summary else model.open.channel))
        self.deeds.channels_changed()

    def _show_opened(self) -> None:
        opened = self.model.open
        if opened is None:
            return
        self.notice.clear()
        self.transcript.clear_rows()
        self.transcript.hits = ""
        self.transcript.stack.following = self.model.following
        self.transcript.set_rows(opened.rows)
        if self.model.target is not None:
            self.transcript.show_row(self.model.target)
            if self.model.target[0] != "unread":
                self.transcript.set_current(self.model.target, reveal=False)
        self.channels.select(opened.channel.id)
        self.header.show_title(channel_title(opened.channel))
        self.meter.show_meter(self.model.meter)
        self.finder.hide()
        self.composer.put_text(self.model.drafts.held(opened.channel.id))
        self.writing.show_channel(self.model.hosted.name, writable=self.model.writable)
        self._set_state()
        self.bars.refresh()

    def _show_rows(self) -> None:
        if self.model.open is None:
            return
        self.transcript.set_rows(self.model.open.rows)
        self.bars.refresh()
        self._set_state()
        self.whereabouts.show_marks()

    def _show_live(self) -> None:
        if self.model.open is not None and self.model.open.rows:
            self.transcript.update_last(self.model.open.rows[-1])

    def _show_jump(self) -> None:
        self._show_rows()
        if self.model.target is not None:
            self.transcript.show_row(self.model.target)
            self.transcript.set_current(self.model.target, reveal=False)
        else:
            self.transcript.follow_end()

    def _announce(self) -> None:
        """Have a screen reader say the answer that has just ended."""
        reply = self.model.reply
        if reply is not None and QAccessible.isActive():
            said = reply.turn.content if reply.turn is not None else str(reply.error or tr("No answer"))
            event = QAccessibleAnnouncementEvent(self.transcript, f"{self.model.hosted.name}: {said}")
            QAccessible.updateAccessibility(event)

    def _show_search(self) -> None:
        self.transcript.hits = self.model.finder.text
        self.finder.show_counter(self.model.finder.counter())
        self.transcript.viewport().update()
        self.whereabouts.show_marks()

    # ---- state of the controls

    def _set_state(self) -> None:
        self.writing.show_replying(self.model.replying, writable=self.model.writable)
        self.header.setEnabled(self.model.open is not None)
        if self._told_to_wait and not self.model.replying:
            self._told_to_wait = False
            self.notice.clear()

    def _typed(self) -> None:
        text = self.composer.toPlainText()
        self.writing.show_problem(text)
        self._draft.start()
        if text.strip() or (self.model.meter is not None and self.model.meter.draft):
            self._measure.start()
        if text and self.transcript.stack.at_bottom():
            self.deeds.mark_seen(present=True)

    def _moved(self) -> None:
        opened = self.model.open
        if opened is None:
            return
        stack = self.transcript.stack
        self.model.following = stack.following and opened.window.at_end
        if opened.window.at_end and stack.at_bottom():
            opened.newer = 0
            self._read.start()
        self.whereabouts.show()
        self._place_tools()

    def _current_changed(self, key: RowKey | None) -> None:
        found = self.transcript.row(key)
        if found is not None:
            self.transcript.setAccessibleDescription(found.spoken()[:2000])
        self._place_tools()

    def _place_tools(self) -> None:
        focused = self.tools.isAncestorOf(self.focusWidget() or self)
        self.tools.place(edited=self.model.edits.key, focused=focused)

    def _show_error(self, error: FamiliarError, again) -> None:
        self._told_to_wait = isinstance(error, StillAnsweringError)
        self.notice.show_error(error, again)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.side.setVisible(self.width() >= self.theme.px(NARROW_PX))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc stops the reply, or closes what is open, from everywhere in the chat."""
        if event.key() == Qt.Key.Key_Escape and (self.model.replying or self.deeds.can_escape()):
            self.deeds.do("stop" if self.model.replying else "escape")
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._restyle()
        return super().event(event)
