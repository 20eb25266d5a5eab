"""The chat with one familiar as a widget: channels, header, transcript and composer, all bound to one `ChatModel`."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QPixmap
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.chat.arrival import Arrivals
from familiar_app.ui.chat.channel_list_view import ChannelListView
from familiar_app.ui.chat.deed import Deeds
from familiar_app.ui.chat.header import Header
from familiar_app.ui.chat.look import Look
from familiar_app.ui.chat.model import ChatModel
from familiar_app.ui.chat.overview import Overview
from familiar_app.ui.chat.reply import StillAnsweringError
from familiar_app.ui.chat.row import Row, RowKey
from familiar_app.ui.chat.row_bars import RowBars
from familiar_app.ui.chat.row_widget import RowTools
from familiar_app.ui.chat.transcript import holds_whole_channel
from familiar_app.ui.chat.transcript_view import TranscriptView
from familiar_app.ui.chat.writing import Writing
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.find_bar import FindBar
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, line, row, surface
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
        self.channels = ChannelListView(theme)
        self.header = Header(theme, do)
        self.finder = FindBar(
            theme,
            tr("Search in this channel"),
            (tr("Older hit"), tr("Newer hit")),
            after_ms=SEARCH_AFTER_MS,
            upwards=True,
        )
        self.transcript = TranscriptView(self._look())
        self.overview = Overview(theme)
        self.tools = RowTools(theme, self.transcript.viewport(), self._tool)
        self.newer = button(tr("To the end"), lambda: do("end"), theme=theme, icon="chevron_down")
        self.newer.setParent(self.transcript.viewport())
        self.newer.setCursor(Qt.CursorShape.ArrowCursor)
        self.newer.hide()
        self.writing = Writing(theme, self.notice, lambda: do("send_or_stop"))
        self.composer, self.send = self.writing.composer, self.writing.send
        self.limit, self.meter = self.writing.limit, self.writing.meter
        self._tool_key: RowKey | None = None
        self._draft = self._timer(400, self.deeds.keep_draft)
        self._measure = self._timer(MEASURE_AFTER_MS, self.deeds.measure_draft)
        self._read = self._timer(500, self.deeds.mark_seen)
        self._clock = self._timer(60_000, self._show_channels, once=False)
        self._build()
        self.bars = RowBars(self)
        self._connect()
        model.watch(self._heard)
        self.arrivals = Arrivals(model, lambda: do("refresh"), self)
        follow(theme, self, self._restyle)
        self._set_state()

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
        self._split.addWidget(self._side())
        self._split.addWidget(self._middle())
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([self.theme.px(212), 900])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._split)

    def _side(self) -> QWidget:
        self._channel_side = surface(QWidget(), 2)
        self._channel_side.setMinimumWidth(150)
        head = row(spacing=4)
        head.setContentsMargins(12, 8, 8, 8)
        head.addWidget(label(tr("Channels"), "strong"))
        head.addStretch(1)
        head.addWidget(icon_button(self.theme, "plus", tr("New channel"), lambda: self.deeds.do("new_channel")))
        layout = column(spacing=0)
        layout.addLayout(head)
        layout.addWidget(self.channels, 1)
        layout.addWidget(self._hint())
        self.channels.setStyleSheet("QListView { background: transparent; }")
        self._channel_side.setLayout(layout)
        return self._channel_side

    def _hint(self) -> QWidget:
        """Return what stands below the channels while nothing was said in any of them."""
        self.hint = QWidget()
        told = column(margins=12, spacing=4)
        told.addWidget(label(tr("Talked elsewhere before?"), "faint", wrap=True))
        self.bring = button(tr("Bring in a chat…"), lambda: self.deeds.do("bring_in"), role="link")
        told.addWidget(self.bring, 0, Qt.AlignmentFlag.AlignLeft)
        self.hint.setLayout(told)
        self.hint.hide()
        return self.hint

    def _middle(self) -> QWidget:
        middle = surface(QWidget(), 1)
        conversation = row(spacing=0)
        conversation.addWidget(self.transcript, 1)
        conversation.addWidget(self.overview)
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
        self.overview.wanted.connect(self.deeds.go_to_place)
        self.overview.stepped.connect(lambda way: self.transcript.scroll_by(way * self.transcript.height() * 0.9))
        self.overview.wheeled.connect(self.transcript.wheelEvent)
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
        self.channels.rows.fill(model.channels.summaries, now=model.now(), zone=model.zone)
        self.hint.setVisible(not any(one.turns for one in model.channels.summaries))
        if model.open is not None:
            self.channels.select(model.open.channel.id)
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
        self._show_marks()

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
        self._show_marks()

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
        self._show_newer()
        self._show_place()
        self._place_tools()

    def _show_newer(self) -> None:
        opened = self.model.open
        away = opened is not None and not self.model.following and not self.transcript.stack.at_bottom()
        if away and opened is not None:
            count = opened.newer
            text = ntr("{n} new", "{n} new", count) if count else tr("To the end")
            if self.newer.text() != text:
                self.newer.setText(text)
                self.newer.setAccessibleName(text)
            self.newer.adjustSize()
            port = self.transcript.viewport()
            self.newer.move((port.width() - self.newer.width()) // 2, port.height() - self.newer.height() - 12)
            self.newer.raise_()
        self.newer.setVisible(away)

    def _show_place(self) -> None:
        opened = self.model.open
        if opened is None or self.overview.dragged:
            return
        shown = [self.transcript.rows[number] for number, _, _ in self.transcript.stack.shown]
        turns = [one.turn for one in shown if one.turn is not None]
        if holds_whole_channel(opened.window) or not turns or not opened.calendar.turns:
            self.overview.show_place(*self.transcript.pixel_place())
            return
        size = len(turns) / opened.calendar.turns
        start = opened.calendar.place(turns[0].id, newest=opened.newest)
        self.overview.show_place(1.0 - size if self.model.following else min(start, 1.0 - size), size)

    def _show_marks(self) -> None:
        opened = self.model.open
        if opened is None:
            return
        hits = [opened.calendar.place(TurnId(hit), newest=opened.newest) for hit in self.model.finder.hits]
        self.overview.show_marks(opened.calendar.marks(), hits)
        self._show_place()

    def _current_changed(self, key: RowKey | None) -> None:
        found = self.transcript.row(key)
        if found is not None:
            self.transcript.setAccessibleDescription(found.spoken()[:2000])
        self._place_tools()

    def _place_tools(self) -> None:
        key = self.transcript.hovered or (self.transcript.current if self.transcript.hasFocus() else None)
        found = self.transcript.row(key)
        box = self.transcript.box_of(key) if key is not None else None
        if found is None or box is None or found.turn is None or found.key == self.model.edits.key:
            if not self.tools.isAncestorOf(self.focusWidget() or self):
                self.tools.hide()
            return
        self._tool_key = key
        self.tools.show_row(found)
        left, width = self.transcript.look.column(self.transcript.viewport().width())
        number = self.transcript.stack.index[found.key]
        top = box.top() + self.transcript.layout_of(number).text_top - self.tools.height() - 5
        self.tools.move(int(left + width - self.tools.width()), int(max(2, top)))
        self.tools.show()
        self.tools.raise_()

    def _tool(self, what: str) -> None:
        if self._tool_key is not None:
            self.deeds.row_do(what, self._tool_key)

    def _show_error(self, error: FamiliarError, again) -> None:
        self._told_to_wait = isinstance(error, StillAnsweringError)
        self.notice.show_error(error, again)

    def row_of(self, key: RowKey | None) -> Row | None:
        """Return a shown row."""
        return self.transcript.row(key)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self.theme.px(NARROW_PX)
        self._channel_side.setVisible(not narrow)

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
