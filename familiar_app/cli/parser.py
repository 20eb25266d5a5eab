"""The commands, their options and their help."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from familiar_app import __version__
from familiar_app.cli import (
    backup_command,
    erasure_command,
    fact_command,
    log_command,
    lore_command,
    mark_command,
    memory_command,
    model_command,
    person_command,
    profile_command,
    project_command,
    recall_command,
    retirement_command,
    serve_command,
    server_command,
    status_command,
    talk_command,
    transfer_command,
    vault_command,
    whole_command,
)
from familiar_app.cli.option import familiar_id, instant
from familiar_app.domain.errors import UsageError

_FAMILIES = (
    profile_command,
    status_command,
    talk_command,
    serve_command,
    log_command,
    fact_command,
    retirement_command,
    recall_command,
    mark_command,
    memory_command,
    person_command,
    server_command,
    erasure_command,
    whole_command,
    project_command,
    transfer_command,
    lore_command,
    model_command,
    vault_command,
    backup_command,
)
_EPILOG = """\
Without a command the window opens. Results go to standard output, messages and progress to standard error.
Exit codes: 0 done; 2 wrong usage; 3 locked or wrong passphrase; 4 bad input; 5 something outside failed;
70 a defect in the program.
"""


class CommandParser(argparse.ArgumentParser):
    """Raises UsageError instead of ending the program, so that the error can be printed as JSON too.

    Options cannot be shortened: a script that shortens one would break when another is added.
    """

    def __init__(self, **settings: Any) -> None:
        settings["allow_abbrev"] = False
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[:1].upper()}{message[1:]}", f"See '{self.prog} --help'.")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser. `command` is None where the window is wanted; `handler` runs the chosen command."""
    parser = CommandParser(
        prog="familiar",
        description="A home for AI characters that remember, kept encrypted on your own computer.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_common_options(defaults=True)],
    )
    parser.add_argument("--version", action="version", version=f"familiar {__version__}")
    parser.add_argument(
        "--open",
        nargs="?",  # a desktop's menu leaves out the file where none was dropped on the entry
        type=Path,
        metavar="FILE",
        help="a character card that the window shall make a familiar of",
    )
    parser.add_argument("--hidden", action="store_true", help="leave the window in the tray until it is wanted")
    parser.set_defaults(command=None, handler=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=CommandParser)
    common = _common_options(defaults=False)
    for family in _FAMILIES:
        family.add_commands(commands, common)
    return parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read the command line. Raises UsageError; `--help` and `--version` print and raise SystemExit(0)."""
    return build_parser().parse_args(argv)


def _common_options(*, defaults: bool) -> argparse.ArgumentParser:
    """Options that stand before or after the command; behind it they have no defaults that could undo the others."""
    common = argparse.ArgumentParser(add_help=False, argument_default=None if defaults else argparse.SUPPRESS)
    group = common.add_argument_group("common options")
    group.add_argument("--profile-dir", type=Path, metavar="DIR", help="the profile's folder (default: the system's)")
    group.add_argument(
        "--familiar",
        type=familiar_id,
        metavar="ID",
        help="which familiar is meant (default: the only one, else the one used last)",
    )
    group.add_argument(
        "--passphrase-file",
        type=Path,
        metavar="FILE",
        help="holds the passphrase (else FAMILIAR_PASSPHRASE, the keyring, or a question at a terminal)",
    )
    group.add_argument(
        "--json", action="store_true", help="print one JSON value on standard output and nothing else there"
    )
    group.add_argument("--local-only", action="store_true", help="refuse every connection that leaves this computer")
    group.add_argument("--now", type=instant, metavar="TIME", help="the time to use instead of the clock (ISO 8601)")
    return common
