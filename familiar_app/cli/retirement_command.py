"""`retirement`: what was proposed to be believed no longer, and the owner's decisions about it."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.fact_shape import fact_shape, retirement_shape
from familiar_app.cli.option import limit
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact
from familiar_app.domain.projection import RetirementId, RetirementState
from familiar_app.store.retirement_inbox import RetirementCase, Retirements

_ALL = 1 << 40
_ACTS: dict[str, tuple[str, str, Callable[[Retirements, RetirementId], Awaitable[Fact]]]] = {
    "accept": ("retire the fact, as was proposed", "retired", Retirements.accept),
    "refuse": ("keep the fact; the same is not proposed again", "kept", Retirements.refuse),
    "undo": ("believe the fact again; the same is not proposed again", "believed again", Retirements.undo),
    "never": ("let neither of the two facts ever retire the other", "barred from each other", Retirements.never),
}


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    retirement = commands.add_parser(
        "retirement",
        parents=[common],
        help="judge what was proposed to be believed no longer",
        description="List what a newer fact was said to contradict or replace, and decide about it.",
    )
    acts = retirement.add_subparsers(title="commands", metavar="COMMAND", dest="retirement_command", required=True)
    listing = acts.add_parser(
        "list", parents=[common], help="print proposals, newest first", description="Print proposals, newest first."
    )
    states = [state.value for state in RetirementState]
    listing.add_argument("--state", choices=states, help="only those in this state (default: all)")
    listing.add_argument("--limit", type=limit, metavar="N", help="at most this many (default: all)")
    listing.set_defaults(handler=run_list)
    for name, (told, _done, _act) in _ACTS.items():
        act = acts.add_parser(name, parents=[common], help=told, description=f"{told[:1].upper()}{told[1:]}.")
        act.add_argument("id", type=limit, metavar="ID", help="the proposal's id, as 'retirement list' gives it")
        act.set_defaults(handler=run_act)


async def run_list(command: Command) -> int:
    """Print proposals, newest first."""
    args, out = command.args, command.out
    familiar = command.familiar()
    services = await command.open()
    found = await services.vault.retirements.page(
        familiar,
        state=None if args.state is None else RetirementState(args.state),
        limit=_ALL if args.limit is None else args.limit,
    )
    if out.as_json:
        out.json([retirement_shape(case) for case in found])
        return 0
    for case in found:
        _print(command, case)
    return 0


async def run_act(command: Command) -> int:
    """Decide about a proposal."""
    familiar, number = command.familiar(), RetirementId(command.args.id)
    services = await command.open()
    inbox = services.vault.retirements
    case = await inbox.get(number)
    if case is None or case.retirement.familiar != familiar:
        raise UserError(f"There is no proposal {number}.", "'familiar retirement list' has them.")
    _told, done, act = _ACTS[command.args.retirement_command]
    fact = await act(inbox, number)
    if command.out.as_json:
        labels = await services.vault.facts.labels([fact])
        command.out.json(fact_shape(fact, labels[fact.id]))
    else:
        command.out.message(f"Fact {fact.id}: {done}.")
    return 0


def _print(command: Command, case: RetirementCase) -> None:
    one, line = case.retirement, command.out.line
    never = ", never again" if one.never else ""
    line(f"{one.id}  {format_time(one.proposed_at)}  {one.state.value}{never}  {one.reason or 'no reason given'}")
    line(f"  fact {one.prior.id}: {one.prior.text}")
    line(f"  for fact {one.successor.id}: {one.successor.text}")
