"""`import` and `export`: turns, lorebooks and cards from and to files."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command, heard
from familiar_app.cli.lore_transfer import export_lorebook, import_card, import_lorebook
from familiar_app.cli.memory_transfer import export_memories, import_memories
from familiar_app.cli.option import channel, person_key, zone
from familiar_app.cli.remembered_export import REMEMBERED, export_remembered
from familiar_app.cli.statement_export import STATEMENT, export_statement
from familiar_app.domain.errors import UsageError
from familiar_app.domain.ids import ChannelId, ChannelKey
from familiar_app.domain.turn import Turn
from familiar_app.interchange.card_export import card_for_export
from familiar_app.interchange.cards import CARD_FORMATS, write_card
from familiar_app.interchange.kind_of_file import FileKind, kind_of_file
from familiar_app.interchange.lorebook.files import LORE_FORMATS
from familiar_app.interchange.lorebook.sniff import SHAPES
from familiar_app.interchange.memories import FORMAT as MEMORIES
from familiar_app.interchange.turn_export import ExportReport, export_turns, refuse_existing, write_turns
from familiar_app.interchange.turn_format import TURN_READERS, find_turn_format, turn_reader
from familiar_app.interchange.turn_import import ImportReport, TurnImport
from familiar_app.interchange.turn_record import ReadOptions
from familiar_app.interchange.turn_source import TurnSource, source_from_path, source_from_pipe
from familiar_app.services import Services

_EXPORTS = ("turns", *REMEMBERED, "card", "lorebook", "memories", STATEMENT)
_IMPORTS = tuple(dict.fromkeys((*TURN_READERS, *LORE_FORMATS, *CARD_FORMATS, MEMORIES)))


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    take = commands.add_parser(
        "import",
        parents=[common],
        help="bring turns, a lorebook, a card or memories from a file",
        description="Check a file as a whole, then bring its turns into the log, the entries of its lorebook into the "
        "familiar's, or its card into the place of the familiar's. What is there already is skipped, so an import "
        "that was cut short is completed by running it again.",
    )
    take.add_argument("file", metavar="FILE", help="the file; - reads standard input")
    take.add_argument("--format", choices=_IMPORTS, metavar="F", help=f"one of {', '.join(_IMPORTS)}")
    take.add_argument("--dry-run", action="store_true", help="only say what would be done")
    take.add_argument("--skip-bad-lines", action="store_true", help="leave out lines that cannot be read")
    take.add_argument("--channel", type=channel, metavar="C", help="the channel, where the lines name none")
    take.add_argument(
        "--self", dest="own_key", type=person_key, metavar="KEY", help="whose turns are the familiar's own (discord:ID)"
    )
    take.add_argument(
        "--time-zone",
        type=zone,
        default=UTC,
        metavar="ZONE",
        help="where times that name no time zone were written, such as Europe/Berlin (UTC)",
    )
    take.set_defaults(handler=run_import)

    give = commands.add_parser(
        "export",
        parents=[common],
        help="write turns, facts, a person, the card, the lorebook, memories, the privacy statement or everything",
        description="Write the familiar's turns or facts as JSON Lines, its card, its lorebook, its memories, "
        "all about one person, or everything as one JSON object. Whoever gets the file can read it. 'statement' writes "
        "how memory is handled, from the settings, to be shown to those who talk with the familiars.",
    )
    give.add_argument("what", choices=_EXPORTS, metavar="WHAT", help=f"one of {', '.join(_EXPORTS)}")
    give.add_argument("file", metavar="FILE", help="the file; - writes turns or the statement to standard output")
    give.add_argument(
        "--format",
        metavar="F",
        help=f"turns: jsonl; card: one of {', '.join(CARD_FORMATS)}; lorebook: one of {', '.join(LORE_FORMATS)}",
    )
    give.add_argument("--force", action="store_true", help="write over an existing file")
    give.add_argument("--person", type=person_key, metavar="KEY", help="with 'person': whom, such as discord:123")
    give.set_defaults(handler=run_export)


async def run_import(command: Command) -> int:
    """Import a file of turns, a lorebook, a card or memories."""
    args = command.args
    kind = await asyncio.to_thread(_kind, args.file, args.format)
    if kind != "turns":
        if args.skip_bad_lines or args.channel or args.own_key or args.time_zone is not UTC:
            raise UsageError("--skip-bad-lines, --channel, --self and --time-zone are for turns.", "Leave them out.")
        if kind == "memories":
            return await import_memories(command, Path(args.file), dry_run=args.dry_run)
        return await (import_lorebook if kind == "lorebook" else import_card)(command, Path(args.file))
    source = await asyncio.to_thread(_source, args.file)
    format_name = args.format or await asyncio.to_thread(find_turn_format, source)
    services = await command.open()
    familiar = command.familiar()
    name = command.gate.profile.card(familiar).name
    work = TurnImport(
        source,
        turn_reader(format_name),
        format_name=format_name,
        familiar=familiar,
        options=ReadOptions(
            name, source.name, ChannelKey(args.channel) if args.channel else None, args.own_key, args.time_zone
        ),
        log=services.vault.turns,
        channels=services.vault.channels,
        progress=lambda step, done, total: _show_progress(command, step, done, total),
    )
    report = await work.run(dry_run=args.dry_run, skip_bad_lines=args.skip_bad_lines)
    command.out.end_progress()
    if command.out.as_json:
        command.out.json(_import_shape(report))
    else:
        _print_import(command, report)
    return 0


def _kind(file: str, format_name: str | None) -> FileKind:
    """Tell what is imported: what the format says, else what the file holds."""
    if format_name in TURN_READERS or (file == "-" and format_name is None):
        return "turns"
    if file == "-":
        raise UsageError("Lorebooks and cards are read from a file.", "Name a file in the place of -.")
    if format_name == MEMORIES:
        return "memories"
    if format_name in SHAPES:
        return "lorebook"
    found = kind_of_file(Path(file))
    return "card" if format_name is not None and found == "turns" else found


def _source(file: str) -> TurnSource:
    return source_from_pipe(sys.stdin.buffer) if file == "-" else source_from_path(Path(file))


def _show_progress(command: Command, step: str, done: int, total: int | None) -> None:
    text = f"{done} turns {step}" if total is None else f"{done} of {total} turns {step}"
    command.out.progress(text, last=done == total)


def _import_shape(report: ImportReport) -> dict[str, Any]:
    read = report.read
    return {
        "format": report.format,
        "dry_run": report.dry_run,
        "taken": report.taken,
        "skipped": report.already_there + report.unkept + read.left_out.total() + read.bad_lines,
        "already_there": report.already_there,
        "not_kept": report.unkept,
        "channels": report.channels,
        "left_out": [{"what": what, "count": count} for what, count in read.left_out.items()],
        "changed": [{"what": what, "count": count} for what, count in read.changed.items()],
        "lost": [{"what": what, "count": count} for what, count in read.lost.items()],
        "bad_lines": read.bad_lines,
        "first_bad_lines": [
            {"line": error.line, "field": error.field, "reason": error.reason} for error in read.first_bad_lines
        ],
    }


def _print_import(command: Command, report: ImportReport) -> None:
    line, read = command.out.line, report.read
    line(f"Format: {report.format}")
    line(f"Taken: {report.taken} turns" + (" (dry run: nothing was stored)" if report.dry_run else ""))
    line(f"Skipped: {report.already_there} that were there already")
    if report.unkept:
        line(f"Skipped: {report.unkept} that were erased, or by people who want nothing kept (privacy level 'full')")
    for what, count in read.left_out.items():
        line(f"Skipped: {count} x {what}")
    for error in read.first_bad_lines:
        line(f"Skipped: {error.message}")
    if read.bad_lines > len(read.first_bad_lines):
        line(f"Skipped: {read.bad_lines - len(read.first_bad_lines)} further lines that cannot be read")
    for title, kinds in (("Changed", read.changed), ("Lost", read.lost)):
        for what, count in kinds.items():
            line(f"{title}: {count} x {what}")


async def run_export(command: Command) -> int:
    """Export turns, facts, a person, the card, the lorebook, memories or everything."""
    if command.args.what in REMEMBERED or command.args.person is not None:
        return await export_remembered(command)
    if command.args.what == STATEMENT:
        return await export_statement(command)
    if command.args.what == "card":
        return await _export_card(command)
    if command.args.what == "lorebook":
        return await export_lorebook(command)
    if command.args.what == "memories":
        if command.args.format is not None:
            raise UsageError("Memories are exported in one form only.", "Leave --format out.")
        return await export_memories(command, Path(command.args.file), force=command.args.force)
    args = command.args
    if args.format not in (None, "jsonl"):
        raise UsageError("Turns are exported as jsonl.", "Leave --format out.")
    if args.file == "-" and command.out.as_json:
        raise UsageError(
            "--json cannot be combined with an export to standard output.", "Name a file, or leave --json out."
        )
    services = await command.open()
    chunks = _turns(command, services)
    if args.file == "-":
        return await _export_to_standard_output(command, chunks)
    report = await export_turns(
        chunks,
        Path(args.file),
        overwrite=args.force,
        progress=lambda done: command.out.progress(f"{done} turns written"),
    )
    _print_export(command, report)
    return 0


async def _export_to_standard_output(command: Command, chunks: AsyncIterator[list[Turn]]) -> int:
    try:
        report = await write_turns(chunks, sys.stdout.buffer, lambda _done: None)
        sys.stdout.buffer.flush()
    except OSError as error:
        command.out.give_up(error)
    else:
        _print_export(command, report)
    return 0


async def _turns(command: Command, services: Services) -> AsyncIterator[list[Turn]]:
    """Yield what the familiar heard in the order of the log."""
    wanted = {summary.channel.id for summary in await heard(services, command.familiar())}
    only: ChannelId | None = next(iter(wanted)) if len(wanted) == 1 else None
    if wanted:
        async for chunk in services.vault.turns.stream(only, inactive=True, hidden=True):
            yield [turn for turn in chunk if turn.channel in wanted]


def _print_export(command: Command, report: ExportReport) -> None:
    if command.out.as_json:
        left_out = [{"what": what, "count": count} for what, count in report.left_out.items()]
        command.out.json({"file": command.args.file, "written": report.written, "left_out": left_out})
        return
    command.out.message(f"{report.written} turns written.")
    for what, count in report.left_out.items():
        command.out.message(f"Left out: {count} x {what}")


async def _export_card(command: Command) -> int:
    args, path = command.args, Path(command.args.file)
    if args.format is not None and args.format not in CARD_FORMATS:
        raise UsageError("There is no such format.", f"Known are {', '.join(CARD_FORMATS)}.")
    if args.file == "-":
        raise UsageError("A card is written to a file.", "Name a file in the place of -.")
    await command.open()
    familiar = command.familiar()
    # Into an existing picture only the card's own part is written.
    if path.suffix.lower() not in (".png", ".apng"):
        refuse_existing(path, args.force)
    profile = command.gate.profile
    avatar = profile.avatar(familiar)
    picture = await asyncio.to_thread(avatar.read_bytes) if avatar else None
    card = profile.card(familiar)
    kept = await asyncio.to_thread(
        card_for_export, card, profile.kept_card(familiar), profile.lorebook(familiar), args.format
    )
    await asyncio.to_thread(
        write_card,
        path,
        card,
        format=args.format,
        raw=kept.raw,
        avatar_png=picture,
        files=kept.files,
    )
    if command.out.as_json:
        command.out.json({"file": str(path), "format": args.format, "familiar": familiar})
    else:
        command.out.message(f"The card of {familiar} is written.")
    return 0
