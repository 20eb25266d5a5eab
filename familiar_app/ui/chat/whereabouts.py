"""Tells where in the channel one reads: the strip beside the conversation, and the button that leads to its end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt

from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.chat.model import ChatModel
from familiar_app.ui.chat.overview import Overview
from familiar_app.ui.chat.transcript import holds_whole_channel
from familiar_app.ui.chat.transcript_view import TranscriptView
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.theme import Theme


class Whereabouts:
    """Owns the strip, `overview`, and the button, `newer`, which floats over the transcript."""

    def __init__(
        self, theme: Theme, model: ChatModel, transcript: TranscriptView, to_end: Callable[[], object]
    ) -> None:
        self._model, self._transcript = model, transcript
        self.overview = Overview(theme)
        self.overview.stepped.connect(lambda way: transcript.scroll_by(way * transcript.height() * 0.9))
        self.overview.wheeled.connect(transcript.wheelEvent)
        self.newer = button(tr("To the end"), to_end, theme=theme, icon="chevron_down")
        self.newer.setParent(transcript.viewport())
        self.newer.setCursor(Qt.CursorShape.ArrowCursor)
        self.newer.hide()

    def show(self) -> None:
        """Show what is in view now."""
        self._show_newer()
        self._show_place()

    def show_marks(self) -> None:
        """Show the days and the hits of the search along the strip."""
        opened = self._model.open
        if opened is None:
            return
        hits = [opened.calendar.place(TurnId(hit), newest=opened.newest) for hit in self._model.finder.hits]
        self.overview.show_marks(opened.calendar.marks(), hits)
        self._show_place()

    def _show_newer(self) -> None:
        opened = self._model.open
        away = opened is not None and not self._model.following and not self._transcript.stack.at_bottom()
        if away and opened is not None:
            count = opened.newer
            text = ntr("{n} new", "{n} new", count) if count else tr("To the end")
            if self.newer.text() != text:
                self.newer.setText(text)
                self.newer.setAccessibleName(text)
            self.newer.adjustSize()
            port = self._transcript.viewport()
            self.newer.move((port.width() - self.newer.width()) // 2, port.height() - self.newer.height() - 12)
            self.newer.raise_()
        self.newer.setVisible(away)

    def _show_place(self) -> None:
        opened = self._model.open
        if opened is None or self.overview.dragged:
            return
        shown = [self._transcript.rows[number] for number, _, _ in self._transcript.stack.shown]
        turns = [one.turn for one in shown if one.turn is not None]
        if holds_whole_channel(opened.window) or not turns or not opened.calendar.turns:
            self.overview.show_place(*self._transcript.pixel_place())
            return
        size = len(turns) / opened.calendar.turns
        start = opened.calendar.place(turns[0].id, newest=opened.newest)
        self.overview.show_place(1.0 - size if self._model.following else min(start, 1.0 - size), size)
