"""Puts the widgets into the rows that need one: bars, messages, the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from familiar_app.ui.chat.further import BreakOff
from familiar_app.ui.chat.row import Row, RowKey
from familiar_app.ui.chat.row_widget import GreetingBar, MemoryBar, MessageBar, ReplyBar, TurnEditor

if TYPE_CHECKING:
    from familiar_app.ui.chat.view import ChatView


class RowBars:
    """The widgets inside the rows of one chat view."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self._bar = ReplyBar(view.theme, view.deeds.do)
        self._bar.setParent(view.transcript.viewport())
        self._bar.hide()
        self._bar_key: RowKey | None = None
        self._cut: BreakOff = ""

    def show_editor(self) -> None:
        """Put the editor where a turn is being changed, and take it away afterwards."""
        for one in list(self._view.transcript.rows):
            if isinstance(self._view.transcript.embed(one.key), TurnEditor):
                self._view.transcript.set_embed(one.key, None)
        turn, key = self._view.model.edits.editing, self._view.model.edits.key
        if turn is not None and key is not None and key in self._view.transcript.stack.index:
            number = self._view.transcript.stack.index[key]
            height = max(
                self._view.theme.px(80),
                min(self._view.transcript.layout_of(number).text_px + 24, self._view.height() * 0.5),
            )
            editor = TurnEditor(turn.content, int(height))
            editor.saved.connect(self._view.deeds.save_edit)
            editor.cancelled.connect(lambda: self._view.deeds.do("cancel_edit"))
            self._view.transcript.set_embed(key, editor, replaced=True)
            self._view.transcript.stack.reveal(key)
            self._view.transcript.refresh()
            editor.edit.setFocus()
        else:
            self._view.composer.setFocus()
        self.refresh()

    def refresh(self) -> None:
        """Put the bars where they belong: below the last answer, an offered greeting, a failure."""
        bar_key: RowKey | None = None
        for one in self._view.transcript.rows:
            if one.key == self._view.model.edits.key:
                continue
            if one.last_answer and one.turn is not None:
                bar_key = one.key
            elif one.kind in ("failure", "silent", "unanswered", "empty"):
                if not isinstance(self._view.transcript.embed(one.key), MessageBar):
                    self._view.transcript.set_embed(one.key, MessageBar(self._view.theme, one, self._view.deeds.do))
            elif one.kind == "memory":
                self._show_memory(one)
            elif one.key[0] == "greeting":
                greetings = self._view.model.greetings
                bar = self._view.transcript.embed(one.key)
                if not isinstance(bar, GreetingBar):
                    bar = GreetingBar(self._view.theme, self._view.deeds.do)
                    self._view.transcript.set_embed(one.key, bar)
                bar.show_place(greetings.index, len(greetings.texts))
        self._place_reply_bar(bar_key)

    def _show_memory(self, one: Row) -> None:
        bar = self._view.transcript.embed(one.key)
        if isinstance(bar, MemoryBar) and bar.version == one.version:
            return
        deeds, key = self._view.deeds, one.key
        can_show = self._view.context.has_panel("memories")
        made = MemoryBar(one, lambda deed: deeds.row_do(deed, key), can_show=can_show)
        self._view.transcript.set_embed(key, made)

    def _place_reply_bar(self, key: RowKey | None) -> None:
        shown = self._view.transcript.row(key)
        turn = shown.turn if shown is not None else None
        opened = self._view.model.open
        greeting = opened is not None and opened.is_greeting(turn) and len(self._view.model.greetings.texts) > 1
        wanted = turn is not None and not self._view.model.replying and (turn.answers is not None or greeting)
        if not wanted or key is None or turn is None:
            self._move_bar(None)
            return
        cut = self._view.model.cut.of(turn) if self._view.model.writable else ""
        self._bar.show_turn(turn, greeting=greeting, has_trace=turn.trace is not None, cut=cut)
        self._move_bar(key)
        if cut != self._cut:
            # The row is higher or lower now.
            self._cut = cut
            self._view.transcript.refresh()

    def _move_bar(self, key: RowKey | None) -> None:
        """Use one bar for all answers: making a widget anew for each costs more than a frame."""
        if key == self._bar_key and (key is None or self._view.transcript.embed(key) is self._bar):
            return
        if self._bar_key is not None and self._view.transcript.embed(self._bar_key) is self._bar:
            self._view.transcript.set_embed(self._bar_key, None)
        self._bar_key = key
        self._bar.setVisible(key is not None)
        if key is not None:
            self._view.transcript.set_embed(key, self._bar)
