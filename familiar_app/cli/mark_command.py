"""`mark`: the owner's marks of what a cue should have brought back, and how well recall does by them."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.option import limit
from familiar_app.domain.clock import format_time
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.ranking import Weights
from familiar_app.domain.recall import Hit
from familiar_app.domain.recall_mark import (
    MarkChange,
    MarkId,
    MarkKind,
    MarkScore,
    RecallMark,
    compare,
    rank_of,
    score_of,
)
from familiar_app.store.recall_mark import RecallMarks

Look = Callable[[str, Weights], Awaitable[Sequence[Hit]]]
_SIGNALS = tuple(one.name for one in fields(Weights))
_MOST_WEIGHT = 100.0


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    mark = commands.add_parser(
        "mark",
        parents=[common],
        help="note what a cue should have brought back",
        description="Note what the familiar should have remembered. 'recall --marks' tells how well it does by that.",
    )
    acts = mark.add_subparsers(title="commands", metavar="COMMAND", dest="mark_command", required=True)
    add = acts.add_parser(
        "add",
        parents=[common],
        help="mark what a cue should have brought back",
        description="Mark a fact or a turn as what a cue should have brought back.",
    )
    add.add_argument("cue", metavar="CUE", help="what was said when it should have come to mind")
    target = add.add_mutually_exclusive_group(required=True)
    target.add_argument("--fact", type=limit, metavar="ID", help="the fact that was meant")
    target.add_argument("--turn", type=limit, metavar="ID", help="the turn that was meant")
    add.set_defaults(handler=run_add)
    listing = acts.add_parser("list", parents=[common], help="print the marks", description="Print the marks.")
    listing.set_defaults(handler=run_list)
    remove = acts.add_parser("remove", parents=[common], help="take a mark back", description="Take a mark back.")
    remove.add_argument("id", type=limit, metavar="ID", help="the mark's id, as 'mark list' gives it")
    remove.set_defaults(handler=run_remove)


def weight(text: str) -> tuple[str, float]:
    """Read one weight, such as `importance=0.2`."""
    name, _, value = text.partition("=")
    if name not in _SIGNALS:
        raise argparse.ArgumentTypeError(f"there is no signal {name!r}; there are: {', '.join(_SIGNALS)}.")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= _MOST_WEIGHT:
        raise argparse.ArgumentTypeError(f"a weight goes from 0 to {_MOST_WEIGHT:g}, such as {name}=0.5.")
    return name, number


async def run_add(command: Command) -> int:
    """Mark what a cue should have brought back."""
    args, familiar = command.args, command.familiar()
    kind: MarkKind = "turn" if args.fact is None else "fact"
    marks = await _marks(command)
    made = await marks.add(familiar, args.cue, kind, args.turn if args.fact is None else args.fact)
    if command.out.as_json:
        command.out.json(mark_shape(made))
    else:
        command.out.message(f"Mark {made.id}: {made.kind} {made.target}.")
    return 0


async def run_list(command: Command) -> int:
    """Print the marks."""
    familiar = command.familiar()
    found = await (await _marks(command)).list(familiar)
    if command.out.as_json:
        command.out.json([mark_shape(mark) for mark in found])
        return 0
    for mark in found:
        command.out.line(_line(mark))
    return 0


async def run_remove(command: Command) -> int:
    """Take a mark back."""
    familiar, number = command.familiar(), MarkId(command.args.id)
    await (await _marks(command)).remove(familiar, number)
    if command.out.as_json:
        command.out.json({"removed": number})
    else:
        command.out.message(f"Mark {number} is gone.")
    return 0


async def score_marks(
    command: Command, familiar: FamiliarId, weights: Weights, others: Sequence[tuple[str, float]], look: Look
) -> int:
    """Print at which place recall meets each mark, and with other weights beside it."""
    marks = await (await _marks(command)).list(familiar)
    before = {mark.id: rank_of(mark, await look(mark.cue, weights)) for mark in marks}
    if not others:
        _print_score(command, marks, before)
        return 0
    changed = replace(weights, **dict(others))
    after = {mark.id: rank_of(mark, await look(mark.cue, changed)) for mark in marks}
    _print_change(command, marks, before, after, compare(before, after))
    return 0


def mark_shape(mark: RecallMark) -> dict[str, Any]:
    """Return a mark's JSON form; `id` names what should come back, null where it is gone."""
    return {
        "mark": mark.id,
        "cue": mark.cue,
        "kind": mark.kind,
        "id": mark.target,
        "marked_at": format_time(mark.marked_at),
    }


def _print_score(command: Command, marks: Sequence[RecallMark], ranks: dict[MarkId, int | None]) -> None:
    score, out = score_of(ranks.values()), command.out
    if out.as_json:
        shown = [{**mark_shape(mark), "rank": ranks[mark.id]} for mark in marks]
        out.json({"marks": shown, "score": _score_shape(score)})
        return
    for mark in marks:
        out.line(f"{_place(ranks[mark.id])}  {_line(mark)}")
    out.line(_sum(score))


def _print_change(
    command: Command,
    marks: Sequence[RecallMark],
    before: dict[MarkId, int | None],
    after: dict[MarkId, int | None],
    change: MarkChange,
) -> None:
    out = command.out
    if out.as_json:
        shown = [{**mark_shape(mark), "rank": before[mark.id], "rank_after": after[mark.id]} for mark in marks]
        names = ("gained", "lost", "better", "worse")
        moved = {name: list(getattr(change, name)) for name in names}
        scores = {"score": _score_shape(change.before), "score_after": _score_shape(change.after)}
        out.json({"marks": shown, **scores, **moved})
        return
    for mark in marks:
        out.line(f"{_place(before[mark.id])} -> {_place(after[mark.id])}  {_line(mark)}")
    out.line(f"Before: {_sum(change.before)}")
    out.line(f"After:  {_sum(change.after)}")


def _score_shape(score: MarkScore) -> dict[str, float]:
    return {"found": score.found, "total": score.total, "reciprocal": round(score.reciprocal, 4)}


def _sum(score: MarkScore) -> str:
    return f"{score.found} of {score.total} marks met, mean reciprocal place {score.reciprocal:.3f}"


def _place(rank: int | None) -> str:
    return "  -" if rank is None else f"{rank:3}"


def _line(mark: RecallMark) -> str:
    target = "what is gone" if mark.target is None else f"{mark.kind} {mark.target}"
    return f"mark {mark.id}  {target}  {mark.cue}"


async def _marks(command: Command) -> RecallMarks:
    return (await command.open()).vault.recall_marks
