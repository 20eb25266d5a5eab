"""What the person looks at beside the chat: why an answer came, the versions of a message, a text on its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import tr
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Revision
from familiar_app.ui.chat.row import Row
from familiar_app.ui.chat.side_content import RevisionsView, WhyView, whole_text
from familiar_app.ui.chat.why import explain

if TYPE_CHECKING:
    from familiar_app.ui.chat.view import ChatView


class SideDeeds:
    """Fills the side view of one chat view. `start` starts a task, `go_to` shows a turn in the conversation."""

    def __init__(self, view: ChatView, start: Callable[..., None], go_to: Callable[[int], None]) -> None:
        self._view, self._model = view, view.model
        self._start, self._go_to = start, go_to

    def why_last(self) -> None:
        """Show the prompt behind the last answer."""
        answer = self._model.open.last_answer() if self._model.open else None
        if answer is not None:
            self.why(answer.id)

    def why(self, turn: TurnId) -> None:
        """Show the prompt behind an answer."""
        self._start(lambda: self._why(turn), "chat.why", replace=True)

    async def _why(self, turn: TurnId) -> None:
        self._show_why(tr("Why this answer"), await self._model.trace_of(turn))

    def why_silent(self) -> None:
        """Show the prompt after which nothing was said."""
        reply = self._model.reply
        if reply is not None and reply.prompt is not None:
            stored = reply.prompt.model_copy(update={"id": reply.trace_id})
            self._show_why(tr("Why it stayed silent"), stored)

    def _show_why(self, title: str, trace: PromptTrace) -> None:
        context = self._view.context
        inspect = None if trace.id is None else lambda: context.go_to("prompts", str(trace.id))
        shown = WhyView(self._view.theme, explain(trace, self._model.zone), self._go_to, inspect=inspect)
        context.side_view.show_widget(title, shown)

    def revisions(self, turn: TurnId) -> None:
        """Show all versions of a message, each with the way back to it."""
        self._start(lambda: self._revisions(turn), "chat.revisions", replace=True)

    async def _revisions(self, turn: TurnId) -> None:
        view = self._view
        found = await self._model.edits.revisions(turn)

        def restore(revision: Revision) -> None:
            view.context.side_view.close_view()
            self._start(lambda: self._model.edits.put_text(turn, revision.content), "chat.edit")

        shown = RevisionsView(view.theme, found, self._model.zone, restore)
        view.context.side_view.show_widget(tr("Versions of this message"), shown)

    def whole(self, row: Row) -> None:
        """Show a message on its own."""
        self._show_text(tr("Whole message"), row.text, tr("Message"))

    def read_as_text(self) -> None:
        """Show the held part of the conversation as plain text, for screen readers and for copying."""
        rows = self._model.open.rows if self._model.open else []
        text = "\n\n".join(row.spoken() for row in rows)
        self._show_text(tr("Conversation as text"), text, tr("Conversation"))

    def _show_text(self, title: str, text: str, name: str) -> None:
        self._view.context.side_view.show_widget(title, whole_text(self._view.theme, text, name))
