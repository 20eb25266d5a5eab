"""Changing what stands in the transcript: a turn's text, its removal, and the way back from both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import ntr, tr
from familiar_app.domain.turn import Revision, Turn
from familiar_app.ui.chat.composer import check_message
from familiar_app.ui.chat.row import RowKey, turn_key

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel


class TurnEdits:
    """Edits of the open channel. `editing` is the turn whose text is being changed."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.editing: Turn | None = None

    @property
    def key(self) -> RowKey | None:
        """The row that shows an editor."""
        return turn_key(self.editing) if self.editing else None

    def begin(self, turn: Turn | None) -> None:
        """Start to edit a turn."""
        if turn is None or turn.deleted:
            return
        self.editing = turn
        self._chat.tell("edit")

    def begin_last_own(self) -> None:
        """Start to edit the owner's last message."""
        self.begin(self._chat.open.last_own() if self._chat.open else None)

    def cancel(self) -> None:
        """Leave the text as it was."""
        if self.editing is not None:
            self.editing = None
            self._chat.tell("edit")

    async def save(self, text: str) -> None:
        """Store the changed text as a new revision; the old ones stay."""
        turn = self.editing
        if turn is None:
            return
        text = check_message(text)
        if not text:
            raise UserError(tr("An empty message can't be kept."), tr("Remove it instead, or type something."))
        if text == turn.content:
            self.cancel()
            return
        changed = await self._chat.vault.turns.revise(turn.id, text)
        self.editing = None
        self._chat.show_turn(changed)
        self._chat.tell("edit")
        self._chat.offer_undo(
            tr("Message changed."), lambda: self.put_text(turn.id, turn.content), lambda: self.put_text(turn.id, text)
        )

    async def put_text(self, turn: TurnId, text: str) -> None:
        """Give a turn a text (of an earlier revision) as its newest one."""
        self._chat.show_turn(await self._chat.vault.turns.revise(turn, text))

    async def revisions(self, turn: TurnId) -> list[Revision]:
        """Return all states of a turn's text, newest first."""
        found = await self._chat.vault.turns.revisions(turn)
        return sorted(found, key=lambda one: one.number, reverse=True)

    async def remove(self, turns: Sequence[Turn]) -> None:
        """Take turns out of sight and out of prompts; they can be brought back."""
        ids = [turn.id for turn in turns]
        await self._hide(ids)
        what = ntr("Message removed.", "{n} messages removed.", len(ids))
        self._chat.offer_undo(what, lambda: self.bring_back(ids), lambda: self._hide(ids))

    async def _hide(self, ids: Sequence[TurnId]) -> None:
        await self._chat.vault.turns.hide(ids)
        if self._chat.open:
            self._chat.open.window.remove(ids)
        if self._chat.open and self._chat.open.unread_from in ids:
            self._chat.open.unread_from = None
        self._show()

    async def bring_back(self, ids: Sequence[TurnId]) -> None:
        """Show removed turns again."""
        turns = self._chat.vault.turns
        await turns.unhide(ids)
        found = [turn for turn in [await turns.get(one) for one in ids] if turn is not None]
        if self._chat.open:
            here = self._chat.open.channel.id
            self._chat.open.window.put_back([turn for turn in found if turn.channel == here])
        self._show()

    def _show(self) -> None:
        self._chat.arrange()
        self._chat.tell("rows")
