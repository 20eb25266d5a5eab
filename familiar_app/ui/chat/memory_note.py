"""The lines of the chat about memories that the familiar saved, changed or deleted; each can be taken back. No Qt."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from familiar_app.conversation.memory_tool import keeper_of
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import OWNER, FamiliarId
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.saved_memory.notice import Visibility, notice_of
from familiar_app.domain.saved_memory.placeholder import fill
from familiar_app.domain.saved_memory.status import Status, ToolResult
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.text import tr, tr_later
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.saved_memory import SavedMemories

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel

TITLES = (
    tr_later("Memory saved"),
    tr_later("Memory saved, another one forgotten"),
    tr_later("Memory updated"),
    tr_later("Memory deleted"),
)
"""The titles that `saved_memory.notice` gives, named for the catalogue."""
MODES = frozenset({"memory_save", "memory_update"})
Act = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """A line about a memory: its title, what it says where the whole may be shown, and what was done."""

    memory: MemoryId
    title: str
    text: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class TakenBack:
    """How an act of the familiar is taken back, and how that is taken back in turn."""

    undo: Act
    redo: Act


def is_note(turn: Turn) -> bool:
    """Tell whether a turn is the act of a memory tool."""
    return turn.role is Role.TOOL and turn.mode in MODES


def note_of(turn: Turn, visibility: Visibility, *, char: str) -> MemoryNote | None:
    """Return the line for a turn; None where it tells nothing, or nothing is to be told."""
    result = _result_of(turn)
    notice = None if result is None else notice_of(result)
    shown = None if notice is None else notice.in_channel(visibility)
    if result is None or notice is None or shown is None:
        return None
    about = result.data.get("target_user") or "{user}"
    text = fill(_card(result.data), user=str(about), char=char) if visibility == "verbose" else ""
    return MemoryNote(MemoryId(notice.memory), notice.title, text, result)


async def taking_back(
    note: MemoryNote, turn: Turn, memories: SavedMemories, familiar: FamiliarId, config: CharacterConfig
) -> TakenBack:
    """Return how the act is taken back. Raises UserError where the memory has been changed since."""
    keeper, number = keeper_of(familiar, config), note.memory
    history = await memories.history(number)
    if history is None:
        raise UserError(tr("This memory is gone."))
    place = next((number for number, state in enumerate(history.states) if state.turn == turn.id), None)
    now = history.states[-1]
    made = None if place is None else history.states[place]
    if place is None or made is None or (now.content, now.retired) != (made.content, made.retired):
        raise UserError(tr("This memory was changed since."), tr("Look at it among the memories."))

    async def retire() -> None:
        await memories.retire(keeper, number, by=OWNER)

    async def restore() -> None:
        await memories.restore(keeper, number, by=OWNER)

    match note.result.status:
        case Status.DELETED:
            return TakenBack(restore, retire)
        case Status.UPDATED:
            before, after = history.states[max(place - 1, 0)].content, made.content
            return TakenBack(
                lambda: memories.edit(keeper, number, by=OWNER, content=before),
                lambda: memories.edit(keeper, number, by=OWNER, content=after),
            )
        case Status.SAVED_WITH_EVICTION:
            forgotten = MemoryId(int(note.result.data["forgotten_id"]))

            async def swap() -> None:
                await retire()
                await memories.restore(keeper, forgotten, by=OWNER)

            async def swap_again() -> None:
                await memories.retire(keeper, forgotten, by=OWNER)
                await restore()

            return TakenBack(swap, swap_again)
        case _:
            return TakenBack(retire, restore)


class MemoryNotes:
    """The lines about memories in the chat of one familiar."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    async def take_back(self, turn: Turn) -> None:
        """Take back what a memory tool did in a turn. Raises UserError where the memory has been changed since."""
        chat, transcript = self._chat, self._chat.open
        note = transcript.note_of(turn) if transcript is not None else None
        if transcript is None or note is None:
            return
        acts = await taking_back(note, turn, chat.vault.saved_memories, chat.familiar, chat.hosted.config)

        def mark(gone: bool) -> None:
            (transcript.taken_back.add if gone else transcript.taken_back.discard)(turn.id)
            chat.arrange()
            chat.tell("rows")

        async def undo() -> None:
            await acts.redo()
            mark(False)

        await acts.undo()
        mark(True)
        chat.offer_undo(tr("{what}, and taken back.", what=tr(note.title)), undo)


def _card(data: Mapping[str, Any]) -> str:
    """Return what a notice tells at length, in the window's language; on Discord it is told in English."""
    parts, about, saved = [], data.get("target_user"), data.get("content_saved")
    if saved is not None and about:
        parts.append(tr("About {name}: {said}", name=about, said=saved))
    elif saved is not None:
        parts.append(tr("About this server: {said}", said=saved))
    if data.get("content_forgotten"):
        parts.append(tr("Forgotten: {said}", said=data["content_forgotten"]))
    return "\n\n".join(parts)


def _result_of(turn: Turn) -> ToolResult | None:
    if not is_note(turn) or turn.deleted or not turn.tool_calls:
        return None
    try:
        told = json.loads(turn.tool_calls)["result"]
        return ToolResult(bool(told["success"]), str(told["message"]), dict(told["data"]))
    except (ValueError, KeyError, TypeError):
        return None
