"""What stands in for the placeholders in lorebook entries, and where the entries stand in a prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from familiar_app.context.layer import LayerContext
from familiar_app.context.lorebook import HEADING, Insertion
from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.clock import local_time
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.entry import LoreEntry, Position
from familiar_app.domain.lorebook.placement import Placement
from familiar_app.domain.speech import break_marks

_MACRO = re.compile(r"\{\{(?://[^{}]*|[a-z_]+)\}\}", re.IGNORECASE)
_AROUND_NOTE = (Position.NOTE_TOP, Position.NOTE_BOTTOM)


def expander(ctx: LayerContext) -> Callable[[str], str]:
    """Return what fills in placeholders: the two names, the card's texts, the date; comments vanish.

    Unknown ones stay as they are. What a text that is filled in contains is not filled in again, but for the names.
    """
    card, local = ctx.card, local_time(ctx.now, ctx.config.display.zone())
    values = {
        "description": card.description,
        "personality": card.personality,
        "scenario": card.scenario,
        "persona": ctx.config.lorebook.owner_description,
        "date": f"{local:%Y-%m-%d}",
        "time": f"{local:%H:%M}",
        "weekday": f"{local:%A}",
        "newline": "\n",
        "noop": "",
    }

    def value(match: re.Match[str]) -> str:
        name = match[0][2:-2].lower()
        return "" if name.startswith("//") else values.get(name, match[0])

    return lambda text: fill_placeholders(_MACRO.sub(value, text), char=ctx.char, user=ctx.user_label)


def section(placement: Placement, *, has_note: bool = False) -> str:
    """Return the text of the section: all places that are neither among the turns nor around a note."""
    parts = [placement.before, *placement.examples_before, *placement.examples_after, placement.after]
    if not has_note:
        parts += [placement.note_top, placement.note_bottom]
    text = "\n".join(part for part in parts if part)
    return break_marks(HEADING + text) if text.strip() else ""


def insertions(placement: Placement) -> tuple[Insertion, ...]:
    """Return what stands among the turns."""
    return tuple(
        Insertion(block.depth, block.role, break_marks(block.text), from_start=block.from_start)
        for block in placement.depth
        if block.text.strip()
    )


def places(activation: Activation, *, has_note: bool = False, outlets: Collection[str] = ()) -> list[dict[str, Any]]:
    """Tell for each accepted entry where it wanted to stand and where it does.

    That is `section`, `turns`, `note` or `outlet`, or None for nowhere. `outlets` are those that the prompt has.
    """
    found = []
    for one in activation.accepted:
        entry = one.candidate.entry
        shown = _shown(entry, has_note=has_note, outlets=outlets)
        if one.candidate.index in activation.placement.left_out:
            shown = None
        found.append(
            {
                "entry": entry.name,
                "book": one.candidate.key.book,
                "uid": one.candidate.key.uid,
                "wanted": entry.position.name.lower().replace("_", "-"),
                "depth": entry.depth if entry.position is Position.AT_DEPTH else None,
                "from_start": one.candidate.marks.from_start,
                "role": entry.role.name.lower() if entry.position is Position.AT_DEPTH else None,
                "shown": shown,
            }
        )
    return found


def _shown(entry: LoreEntry, *, has_note: bool, outlets: Collection[str]) -> str | None:
    if entry.position is Position.OUTLET:
        return "outlet" if entry.outlet_name in outlets else None
    if entry.position is Position.AT_DEPTH:
        return "turns"
    return "note" if has_note and entry.position in _AROUND_NOTE else "section"
