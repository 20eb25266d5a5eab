"""Runs one command: parses, opens the gate, maps every ending to output and an exit code."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from familiar_app.cli.context import Command, CommandFailedError
from familiar_app.cli.output import Output, use_utf8
from familiar_app.cli.parser import parse
from familiar_app.domain.errors import BugError, FamiliarError, OutsideError
from familiar_app.services import Gate

log = logging.getLogger(__name__)

INTERRUPTED = 130
TERMINATED = 143
GateFactory = Callable[[argparse.Namespace], Gate]
WindowOpener = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str], make_gate: GateFactory, open_window: WindowOpener) -> int:
    """Run what the command line says and return the exit code.

    `make_gate` is called inside the event loop. Without a command, `open_window` takes over.
    """
    use_utf8()
    try:
        args = parse(argv)
    except FamiliarError as error:
        return _report(Output("--json" in argv), error)
    except SystemExit as done:  # --help and --version
        return int(done.code or 0)
    if args.command is None:
        return open_window(args)
    return _run_until_done(_make_and_run(args, make_gate))


async def run_command(args: argparse.Namespace, gate: Gate, out: Output | None = None) -> int:
    """Run the command of `args`, print its result or error, close the gate, and return the exit code."""
    out = out or Output(args.json)
    try:
        try:
            code: int = await args.handler(Command(args, gate, out))
        finally:
            await gate.close()
        out.finish()
    except FamiliarError as error:
        return _report(out, error)
    except Exception as error:
        if _is_shortage(error):
            log.warning("a command ran out of memory or threads", exc_info=error)
            return _report(out, _shortage())
        # The outermost frame: a defect becomes an exit code.
        log.critical("a command failed of a defect", exc_info=error)
        return _report(out, _defect(error))
    return code


async def _make_and_run(args: argparse.Namespace, make_gate: GateFactory) -> int:
    out = Output(args.json)
    try:
        gate = make_gate(args)
    except FamiliarError as error:
        return _report(out, error)
    return await run_command(args, gate, out)


def _run_until_done(work: Coroutine[Any, Any, int]) -> int:
    """Run `work`; an interrupt or termination signal cancels it, which lets everything close."""
    code = OutsideError.exit_code
    try:
        with asyncio.Runner() as runner:
            code = runner.run(_ending_on_terminate(work))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    except (MemoryError, RuntimeError) as error:
        # The loop starts a thread to end its threads; the command itself is over by then.
        if not _is_shortage(error):
            raise
        log.warning("the loop could not end its threads", exc_info=error)
    return code


async def _ending_on_terminate(work: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(work)
    terminated = False

    def terminate() -> None:
        nonlocal terminated
        terminated = True
        task.cancel()

    try:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    except (NotImplementedError, RuntimeError):
        log.debug("this system has no termination signal for the loop")
    try:
        return await task
    except asyncio.CancelledError:
        if terminated:
            return TERMINATED
        raise


def _report(out: Output, error: FamiliarError) -> int:
    """Print an error and return its exit code; where even that cannot be written, the code has to do."""
    try:
        out.error(error, error.details if isinstance(error, CommandFailedError) else None)
    except FamiliarError as failed:
        log.warning("an error could not be printed", exc_info=failed)
    return error.exit_code


def _is_shortage(error: Exception) -> bool:
    """Tell whether the system gave no memory, or no thread, for which Python has no error of its own."""
    return isinstance(error, MemoryError) or (type(error) is RuntimeError and "can't start new thread" in str(error))


def _shortage() -> OutsideError:
    return OutsideError(
        "There is not enough free memory, or the system allows no more threads.",
        "Close other programs, or raise the limit, and try again.",
        retryable=True,
    )


def _defect(error: Exception) -> BugError:
    kind = type(error).__name__
    return BugError(f"The program has a defect ({kind}).", "The log has the place. Nothing private is in it.")
