"""`serve`: Discord and the work on memory without a window, until a signal."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from familiar_app.cli.context import Command
from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.token import keep_token, subscribe
from familiar_app.domain.errors import BadInputError, FamiliarError, OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.services import Hosted, Services
from familiar_app.store.backup_keeper import BackupState

if TYPE_CHECKING:
    from familiar_app.discord_link.company import Company
    from familiar_app.discord_link.status import LinkStatus
    from familiar_app.store.vault import Vault

_STANDARD_INPUT = "-"
_EVERYWHERE = "all"
_MAX_TOKEN_BYTES = 4096
log = logging.getLogger(__name__)


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the command."""
    serve = commands.add_parser(
        "serve",
        parents=[common],
        help="stay connected to Discord without a window",
        description="Connect familiars to Discord and keep their memory up to date, until a signal. The first signal "
        "ends it cleanly, a second one at once. Without --familiar every familiar that has a token is connected.",
    )
    serve.add_argument(
        "--token-file",
        metavar="FILE",
        help="take the bot's token from FILE ('-' is standard input) and keep it in the vault for this familiar",
    )
    serve.add_argument(
        "--subscribe",
        type=_channel_number,
        action="append",
        default=[],
        metavar="CHANNEL",
        help="let the familiar listen in the channel of this number from now on; may be given several times",
    )
    serve.add_argument(
        "--focus",
        type=_focus_channel,
        action="append",
        default=[],
        metavar="CHANNEL",
        help="let the familiar attend to the channel of this number, and hold it there; may be given several times, "
        "and 'all' lets it attend to every channel again",
    )
    serve.set_defaults(handler=run_serve)


def _channel_number(text: str) -> int:
    number = text.removeprefix("discord:")
    if not (number.isascii() and number.isdigit() and len(number) <= 20):
        raise argparse.ArgumentTypeError("a channel of Discord is named by its number (Copy Channel ID)")
    return int(number)


def _focus_channel(text: str) -> int | None:
    return None if text == _EVERYWHERE else _channel_number(text)


async def run_serve(command: Command) -> int:
    """Serve until a signal."""
    services = await command.open()
    stopping = _stop_on_signal()
    await _prepare(command, services)
    # Imported here, so that other commands start without the client library.
    from familiar_app.discord_link.opening import open_company

    names = {one.id: one.name for one in services.familiars.values()}

    def report(familiar: FamiliarId, status: LinkStatus) -> None:
        command.out.message(f"{names[familiar]}: {status.sentence(services.clock.now())}")

    company = open_company(services.vault, services.profile, services.network, services.clock, services.tasks, report)
    services.backups.listen(_backup_teller(command))
    served = await _serve(command, services, company, stopping)
    if command.out.as_json:
        command.out.json({"served": served})
    return 0


def _backup_teller(command: Command) -> Callable[[BackupState], None]:
    """Return a listener that says once of each failed backup that it failed."""
    told: FamiliarError | None = None

    def tell(state: BackupState) -> None:
        nonlocal told
        if state.failure is not None and state.failure is not told:
            command.out.message(f"The backup failed: {state.failure}")
        told = state.failure

    return tell


async def _serve(command: Command, services: Services, company: Company, stopping: asyncio.Event) -> list[str]:
    """Run the links until a signal; returns the familiars they were for. Raises what ended the last of them."""
    connected = await company.with_token([one.conversation for one in _meant(command, services)])
    if not connected:
        command.out.message("No familiar has a token for Discord; memory alone is kept up to date.")
    waiting = services.tasks.start(stopping.wait(), name="waiting for a signal", owner=services)
    works = [waiting]
    if connected:
        works.append(services.tasks.start(company.run(connected), name="Discord", owner=services))
    await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        works[-1].result()
    for work in works:
        work.cancel()
    await asyncio.wait(works)
    return [one.familiar for one in connected]


def _meant(command: Command, services: Services) -> Sequence[Hosted]:
    return list(services.familiars.values()) if command.args.familiar is None else [command.hosted(services)]


async def _prepare(command: Command, services: Services) -> None:
    """Keep the token and the channels that were given."""
    if command.args.token_file is None and not command.args.subscribe and not command.args.focus:
        return
    familiar = command.hosted(services).id
    if command.args.token_file is not None:
        token = _read(command.args.token_file)
        await keep_token(services.vault, familiar, token, source=_source(command.args.token_file))
        command.out.message("The token is kept in the vault; the file is not needed any more.")
    for channel in command.args.subscribe:
        await subscribe(services.vault, familiar, channel)
    await _focus(services.vault, familiar, command.args.focus)


async def _focus(vault: Vault, familiar: FamiliarId, channels: Sequence[int | None]) -> None:
    """Hold the familiar's attention to channels of Discord, which it hears from then on; None lets go of all."""
    for number in channels:
        if number is None:
            await vault.attention.release(familiar)
            continue
        channel = await vault.channels.ensure(channel_key(number), familiar=familiar)
        await vault.attention.pin(familiar, channel.id)


def _source(name: str) -> str:
    return "standard input" if name == _STANDARD_INPUT else name


def _read(name: str) -> str:
    try:
        if name == _STANDARD_INPUT:
            data = sys.stdin.buffer.read(_MAX_TOKEN_BYTES)
        else:
            with Path(name).open("rb") as file:
                data = file.read(_MAX_TOKEN_BYTES)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError("this is not UTF-8 text.", source=_source(name)) from error
    except OSError as error:
        raise OutsideError(f"{_source(name)} cannot be read: {error.strerror}.", "Check the path.") from error


def _stop_on_signal() -> asyncio.Event:
    """Return an event that the first signal sets; the second ends the program at once, even while it is closing."""
    stopping = asyncio.Event()

    def stop(number: int) -> None:
        if stopping.is_set():
            os._exit(128 + number)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop, number)
        except NotImplementedError:
            log.debug("this system gives the loop no signals; an interrupt ends the command")
    return stopping
