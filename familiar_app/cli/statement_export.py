"""`export statement`: the privacy statement, written from the settings as they are now."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from familiar_app.cli.context import Command
from familiar_app.discord_link.handling import statement_of
from familiar_app.domain.errors import UsageError
from familiar_app.domain.statement import Handled
from familiar_app.interchange.json_text import write_file
from familiar_app.interchange.turn_export import refuse_existing

STATEMENT = "statement"


async def export_statement(command: Command) -> int:
    """Write the privacy statement of all familiars, as Markdown."""
    args, out = command.args, command.out
    if args.format is not None:
        raise UsageError("The statement is written in one form.", "Leave --format out.")
    to_output = args.file == "-"
    if to_output and out.as_json:
        raise UsageError("--json cannot be combined with standard output.", "Name a file, or leave --json out.")
    path = Path(args.file)
    if not to_output:
        refuse_existing(path, args.force)
    services = await command.open()
    settings = await asyncio.to_thread(command.gate.profile.settings)
    text = await statement_of(
        services.vault,
        [Handled(one.name, one.config) for one in services.familiars.values()],
        local_only=services.network.local_only,
        key_in_keyring=settings.remember_key,
    )
    if to_output:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            out.give_up(error)
        return 0
    await asyncio.to_thread(write_file, path, text.encode())
    if out.as_json:
        out.json({"kind": STATEMENT, "file": str(path)})
    else:
        out.message(f"The privacy statement is written to {path}. Write it anew when settings change.")
    return 0
