"""`project` and `rebuild`: keeps what the familiar believes up to date, tells how far that is, and builds it anew."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from familiar_app.cli.context import Command, CommandFailedError
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import UsageError
from familiar_app.projectors.registry import known_projectors
from familiar_app.projectors.runner import Projectors, RunOutcome
from familiar_app.projectors.status import ProjectorStatus

STATUS, ALL = "status", "all"


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    project = commands.add_parser(
        "project",
        parents=[common],
        help="turn what was said into what is remembered",
        description="Run projectors now, or tell how they stand with 'project status'.",
    )
    project.add_argument("names", nargs="*", metavar="NAME", help="which projectors (default: all that are active)")
    project.add_argument("--until-idle", action="store_true", help="go on until nothing is left, small rests too")
    project.set_defaults(handler=run_project)

    rebuild = commands.add_parser(
        "rebuild",
        parents=[common],
        help="build a projection anew",
        description="Empty a projection and bring it back from the answers that were kept, without asking a model.",
    )
    rebuild.add_argument("name", metavar="NAME", help="a projector, or 'all'")
    rebuild.add_argument("--fresh", action="store_true", help="ask the model again instead")
    rebuild.set_defaults(handler=run_rebuild)


async def run_project(command: Command) -> int:
    """Run projectors, or print how they stand."""
    names: list[str] = command.args.names
    if names == [STATUS] and not command.args.until_idle:
        projectors = await _projectors(command)
        _print_status(command, await projectors.status())
        return 0
    _check(names)
    projectors = await _projectors(command)
    outcomes = await projectors.run(
        names, until_idle=command.args.until_idle, report=lambda name, ticks: _report(command, name, ticks)
    )
    await _finish(command, projectors, outcomes)
    return 0


async def run_rebuild(command: Command) -> int:
    """Empty projections and bring them back."""
    name: str = command.args.name
    names = [] if name == ALL else [name]
    _check(names)
    projectors = await _projectors(command)
    outcomes = await projectors.rebuild(
        names, fresh=command.args.fresh, report=lambda name, ticks: _report(command, name, ticks)
    )
    await _finish(command, projectors, outcomes)
    return 0


def _check(names: Sequence[str]) -> None:
    known = known_projectors()
    for name in names:
        if name not in known:
            raise UsageError(f"There is no projector {name!r}.", f"There are: {', '.join(known)}.")


async def _projectors(command: Command) -> Projectors:
    return command.hosted(await command.open()).projectors


def _report(command: Command, name: str, ticks: int) -> None:
    command.out.progress(progress_text(name, ticks))


def progress_text(name: str, ticks: int) -> str:
    """Say how much a projector has done so far."""
    return f"{name}: {ticks:,} {'piece' if ticks == 1 else 'pieces'} of work done."


async def _finish(command: Command, projectors: Projectors, outcomes: Sequence[RunOutcome]) -> None:
    """Print how the projectors stand. Raises the first error of those that failed, with all of that in its details."""
    command.out.end_progress()
    status = await projectors.status()
    failed = {outcome.name: outcome.error for outcome in outcomes if outcome.error is not None}
    for error in failed.values():
        details = {"projectors": [status_shape(one) for one in status]}
        raise CommandFailedError(error, f"Not up to date: {', '.join(failed)}.", details)
    _print_status(command, status)


def status_shape(status: ProjectorStatus) -> dict[str, Any]:
    """Return the JSON form of a projector's status."""
    return {
        "name": status.name,
        "watermark": status.watermark,
        "lag": status.lag,
        "last_run_at": format_time(status.last_run_at) if status.last_run_at else None,
        "last_error": status.last_error,
        "paused": status.paused,
        "tokens": status.tokens,
    }


def _print_status(command: Command, statuses: Sequence[ProjectorStatus]) -> None:
    if command.out.as_json:
        command.out.json([status_shape(status) for status in statuses])
        return
    for status in statuses:
        at = format_time(status.last_run_at) if status.last_run_at else "never"
        lag = "" if status.lag is None else f", {status.lag} left"
        paused = ", paused" if status.paused else ""
        command.out.line(f"{status.name}: last run {at}{lag}, {status.tokens} tokens{paused}")
        if status.last_error:
            command.out.line(f"  {status.last_error}")
