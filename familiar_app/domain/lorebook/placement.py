"""Where accepted entries stand in the prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from familiar_app.domain.lorebook.entry import DEFAULT_DEPTH, LoreRole, Position
from familiar_app.domain.lorebook.prepared import Candidate
from familiar_app.domain.lorebook.rules import Rules


@dataclass(frozen=True, slots=True)
class Accepted:
    """An entry that was let in, with its content ready for the prompt and the pass that took it."""

    candidate: Candidate
    content: str
    number: int


@dataclass(frozen=True, slots=True)
class DepthBlock:
    """Text that is inserted before the newest `depth` messages, or after the oldest `depth`; said by `role`."""

    depth: int
    role: LoreRole
    text: str
    from_start: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the block as JSON values."""
        values = {"depth": self.depth, "role": int(self.role), "text": self.text}
        return values | {"from_start": True} if self.from_start else values


@dataclass(frozen=True, slots=True)
class Placement:
    """All inserted text by place. `left_out` names accepted entries that stand nowhere, with the reason."""

    before: str = ""
    after: str = ""
    note_top: str = ""
    note_bottom: str = ""
    depth: tuple[DepthBlock, ...] = ()
    examples_before: tuple[str, ...] = ()
    examples_after: tuple[str, ...] = ()
    outlets: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[int, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the places that hold something as JSON values."""
        values: dict[str, Any] = {
            "before": self.before,
            "after": self.after,
            "note_top": self.note_top,
            "note_bottom": self.note_bottom,
            "depth": [block.to_json() for block in self.depth],
            "examples_before": list(self.examples_before),
            "examples_after": list(self.examples_after),
            "outlets": dict(self.outlets),
        }
        return {name: value for name, value in values.items() if value}


def place(accepted: Iterable[Accepted], rules: Rules, *, note_inserted: bool) -> Placement:
    """Sort accepted entries into their places.

    Everything reads ascending by `order`, equal ones in reverse order of acceptance, but for what the rules turn round.
    """
    ranked = sorted(accepted, key=lambda one: -one.candidate.entry.order)
    texts: dict[Any, list[str]] = {}
    left_out: dict[int, str] = {}
    for one in ranked:
        why = _why_not(one, note_inserted)
        if why:
            left_out[one.candidate.index] = why
        else:
            texts.setdefault(_place_of(one), []).append(one.content)
    upwards = {place: texts_there[::-1] for place, texts_there in texts.items()}
    turned = texts if rules.prepends_outlets else upwards
    return Placement(
        before="\n".join(upwards.get(Position.BEFORE, ())),
        after="\n".join(upwards.get(Position.AFTER, ())),
        note_top="\n".join(upwards.get(Position.NOTE_TOP, ())),
        note_bottom="\n".join(upwards.get(Position.NOTE_BOTTOM, ())),
        depth=_blocks_by_role(upwards) if rules.roles_break_order else _blocks_by_order(ranked[::-1], left_out),
        examples_before=tuple(turned.get(Position.EXAMPLES_BEFORE, ())),
        examples_after=tuple(upwards.get(Position.EXAMPLES_AFTER, ())),
        outlets={
            where[1]: "\n".join(lines)
            for where, lines in turned.items()
            if isinstance(where, tuple) and where[0] is Position.OUTLET
        },
        left_out=left_out,
    )


def _blocks_by_role(upwards: Mapping[Any, list[str]]) -> tuple[DepthBlock, ...]:
    """Return one block for each depth and role."""
    return tuple(
        DepthBlock(where[1], where[2], "\n".join(lines))
        for where, lines in upwards.items()
        if isinstance(where, tuple) and where[0] is Position.AT_DEPTH
    )


def _blocks_by_order(ascending: Iterable[Accepted], left_out: Mapping[int, str]) -> tuple[DepthBlock, ...]:
    """Return the blocks as they read, the deepest first; where the role changes, a new one begins.

    Those that count from the oldest message come before.
    """
    blocks: list[DepthBlock] = []
    inserted = [one for one in ascending if one.candidate.entry.position is Position.AT_DEPTH]
    for one in sorted(inserted, key=_reading_order):
        if one.candidate.index in left_out:
            continue
        new = DepthBlock(_depth_of(one), one.candidate.entry.role, one.content, one.candidate.marks.from_start)
        if blocks and replace(blocks[-1], text="") == replace(new, text=""):
            blocks[-1] = replace(new, text=f"{blocks[-1].text}\n{new.text}")
        else:
            blocks.append(new)
    return tuple(blocks)


def _reading_order(one: Accepted) -> tuple[bool, int]:
    from_start = one.candidate.marks.from_start
    return not from_start, _depth_of(one) if from_start else -_depth_of(one)


def _depth_of(one: Accepted) -> int:
    depth = one.candidate.entry.depth
    return DEFAULT_DEPTH if depth is None else depth


def _place_of(one: Accepted) -> Any:
    entry = one.candidate.entry
    if entry.position is Position.AT_DEPTH:
        return (Position.AT_DEPTH, _depth_of(one), entry.role)
    if entry.position is Position.OUTLET:
        return (Position.OUTLET, entry.outlet_name)
    return entry.position


def _why_not(one: Accepted, note_inserted: bool) -> str | None:
    entry = one.candidate.entry
    if not one.content:
        return "empty"
    if entry.position is Position.OUTLET and not entry.outlet_name:
        return "no-outlet-name"
    if entry.position in (Position.NOTE_TOP, Position.NOTE_BOTTOM) and not note_inserted:
        return "note-off"
    return None
