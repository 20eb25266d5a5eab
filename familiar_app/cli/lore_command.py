"""`lore`: lists, checks and converts lorebooks, splits typed keys, and tries out what a book does with a chat."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.lore_trial import add_trial
from familiar_app.cli.next_step import error_shape
from familiar_app.domain.errors import UsageError
from familiar_app.domain.lorebook.keysplit import split_keys
from familiar_app.domain.lorebook.lint import Linter
from familiar_app.domain.lorebook.rules import RULE_SETS, rules_named
from familiar_app.interchange.lorebook.document import entry_to_json, report_to_json
from familiar_app.interchange.lorebook.files import LORE_FORMATS, format_for, read_lorebook, write_lorebook
from familiar_app.interchange.lorebook.library import LoreLibrary, ShelvedBook
from familiar_app.interchange.report import ReportLine
from familiar_app.interchange.turn_export import refuse_existing
from familiar_app.store.lore_place import LorePlace
from familiar_app.store.profile import Profile

# What reading a file already lost or changed counts as lost on the way to another format too.
_LOST_IN_READING = ("dropped", "merged", "repaired")


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    lore = commands.add_parser(
        "lore", parents=[common], help="look after lorebooks", description="Look after lorebooks."
    )
    acts = lore.add_subparsers(title="commands", metavar="COMMAND", dest="lore_command", required=True)
    listing = acts.add_parser(
        "list",
        parents=[common],
        help="list the familiar's lorebooks",
        description="List the lorebooks of the familiar, of its channels, and those that every familiar has.",
    )
    listing.set_defaults(handler=run_list)
    check = acts.add_parser(
        "check",
        parents=[common],
        help="read a lorebook and tell what is odd about it",
        description="Read a lorebook, or the one inside a character card, and print its entries and a report.",
    )
    check.add_argument("file", type=Path, metavar="FILE", help="a lorebook or card in any known format")
    check.set_defaults(handler=run_check)
    _add_convert(acts, common)
    keys = acts.add_parser(
        "keys",
        parents=[common],
        help="split a typed list of keys",
        description="Split a list of keys at its commas, as the editor does; commas within /patterns/ stay.",
    )
    keys.add_argument("text", metavar="TEXT", help="the list")
    keys.add_argument("--rules", choices=sorted(RULE_SETS), default="fixed", metavar="R", help="fixed or st-1.18")
    keys.set_defaults(handler=run_keys)
    add_trial(acts, common)


def _add_convert(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    convert = acts.add_parser(
        "convert",
        parents=[common],
        help="write a lorebook in another format",
        description="Read a lorebook and write it in another format, with a report of what does not survive. In a "
        "picture that is there already only the card inside is replaced.",
    )
    convert.add_argument("file", type=Path, metavar="IN", help="a lorebook or card in any known format")
    convert.add_argument("out", type=Path, metavar="OUT", help="the file to write")
    convert.add_argument("--to", choices=LORE_FORMATS, metavar="F", help=f"one of {', '.join(LORE_FORMATS)}")
    convert.add_argument("--force", action="store_true", help="write over an existing file")
    convert.set_defaults(handler=run_convert)


async def run_list(command: Command) -> int:
    """Print the familiar's lorebooks."""
    books = await asyncio.to_thread(shelved_books, command.gate.profile, command)
    if command.out.as_json:
        command.out.json([book_shape(place, shelved) for place, shelved in books])
        return 0
    for place, shelved in books:
        command.out.line(describe_book(place, shelved))
    if not books:
        command.out.message("There are no lorebooks. 'familiar import FILE' brings one.")
    return 0


def shelved_books(profile: Profile, command: Command) -> list[tuple[LorePlace, ShelvedBook]]:
    """Read every lorebook of the familiar that is meant."""
    places = profile.lorebooks(command.familiar())
    return list(zip(places, LoreLibrary().read(place.path for place in places), strict=True))


def book_shape(place: LorePlace, shelved: ShelvedBook) -> dict[str, Any]:
    """Return the JSON form of a lorebook in its place."""
    book, error = shelved.book, shelved.error
    return {
        "file": str(place.path),
        "binding": place.binding,
        "channels": list(place.channels),
        "format": "familiar",
        "name": book.name if book else None,
        "entries": [entry_to_json(entry) for entry in book.entries] if book else [],
        "report": report_to_json(shelved.report),
        "error": None if error is None else error_shape(error),
    }


def describe_book(place: LorePlace, shelved: ShelvedBook) -> str:
    """Return a line about a lorebook in its place."""
    where = ", ".join(place.channels) if place.channels else place.binding
    if shelved.book is None:
        return f"{place.path.name} ({where}): cannot be read: {shelved.error}"
    entries = shelved.book.entries
    off = sum(not entry.enabled for entry in entries)
    return f"{place.path.name} ({where}): {shelved.book.name}, {len(entries)} entries, {off} of them off"


async def run_check(command: Command) -> int:
    """Print a lorebook's entries and what is odd about it."""
    document = await asyncio.to_thread(read_lorebook, command.args.file)
    out = command.out
    odd = await asyncio.to_thread(Linter().run, document.book)
    warnings = [
        {"entry": number, "kind": one.kind.value, "text": one.text, "never": one.never}
        for number, entry in enumerate(document.book.entries)
        for one in odd.get(entry.uid, ())
    ]
    if out.as_json:
        out.json(document.to_json() | {"warnings": warnings})
        return 0
    out.line(f"{document.book.name}: {document.format}, {len(document.book.entries)} entries")
    for number, entry in enumerate(document.book.entries):
        state = "" if entry.enabled else " (off)"
        out.line(f"{number}  {entry.name}{state}: {', '.join(entry.keys)}")
    print_report(command, document.report)
    for warning in warnings:
        out.line(f"Entry {warning['entry']}: {warning['text']}")
    return 0


async def run_convert(command: Command) -> int:
    """Write a lorebook in another format."""
    args = command.args
    if args.out.suffix.lower() not in (".png", ".apng"):
        refuse_existing(args.out, args.force)
    document = await asyncio.to_thread(read_lorebook, args.file)
    to = args.to or format_for(args.out, document)
    written = await asyncio.to_thread(write_lorebook, args.out, document, to)
    lost = [*(line for line in document.report if line.what in _LOST_IN_READING), *written]
    if command.out.as_json:
        command.out.json(
            {
                "file": str(args.out),
                "from": document.format,
                "to": to,
                "name": document.book.name,
                "entries": len(document.book.entries),
                "report": report_to_json(lost),
                "read_report": report_to_json(document.report),
            }
        )
        return 0
    command.out.message(f"{len(document.book.entries)} entries written to {args.out}.")
    print_report(command, lost)
    return 0


async def run_keys(command: Command) -> int:
    """Print the keys of a typed list."""
    text = command.args.text
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError("The keys are not UTF-8 text.", "Set the terminal to UTF-8.")
    keys = split_keys(text, rules_named(command.args.rules))
    if command.out.as_json:
        command.out.json(keys)
    else:
        for key in keys:
            command.out.line(key)
    return 0


def print_report(command: Command, lines: Iterable[ReportLine]) -> None:
    """Print what a report says, for people."""
    for line in lines:
        where = "" if line.entry is None else f"entry {line.entry}, "
        command.out.line(f"{where}{line.field}: {line.what}: {line.detail}")
