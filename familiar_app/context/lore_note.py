"""The owner's note: what it says in this prompt, and the lorebook entries that stand right above and below it."""

from __future__ import annotations

from collections.abc import Callable

from familiar_app.context.lorebook import Insertion
from familiar_app.domain.lorebook.entry import LoreRole
from familiar_app.domain.lorebook.placement import Placement
from familiar_app.domain.settings import NoteSettings
from familiar_app.domain.speech import break_marks

_ROLES = {"system": LoreRole.SYSTEM, "user": LoreRole.USER, "assistant": LoreRole.ASSISTANT}


def note_text(note: NoteSettings, expand: Callable[[str], str]) -> str:
    """Return the note with its placeholders filled in, empty where there is none."""
    return expand(note.text).strip()


def note_insertion(note: NoteSettings, text: str, placement: Placement | None = None) -> tuple[Insertion, ...]:
    """Return the note with the entries around it, nothing where there is no note."""
    if not text:
        return ()
    around = (placement.note_top, text, placement.note_bottom) if placement is not None else (text,)
    whole = break_marks("\n".join(part for part in around if part.strip()))
    return (Insertion(note.depth, _ROLES[note.role], whole),)
