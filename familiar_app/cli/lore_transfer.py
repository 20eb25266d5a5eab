"""Lorebooks and cards on their way into a familiar and out of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.lore_command import print_report
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError, UsageError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.interchange.card_json import card_to_json
from familiar_app.interchange.card_kept import kept_of
from familiar_app.interchange.cards import read_card_file, write_card
from familiar_app.interchange.lorebook.document import LoreDocument, report_to_json
from familiar_app.interchange.lorebook.files import (
    LORE_FORMATS,
    read_lorebook,
    write_lorebook,
)
from familiar_app.interchange.lorebook.lore_file import LoreFile
from familiar_app.interchange.lorebook.merge import Merged
from familiar_app.interchange.lorebook.taken import lorebook_of_import, take_in
from familiar_app.interchange.report import ReportLine
from familiar_app.interchange.turn_export import refuse_existing
from familiar_app.store.profile import Profile

_LOST = ("dropped", "ignored")
_PICTURES = (".png", ".apng")


async def import_lorebook(command: Command, path: Path) -> int:
    """Bring a lorebook's entries into the familiar's own lorebook."""
    familiar = command.familiar()
    document = await asyncio.to_thread(read_lorebook, path)
    if not document.book.entries:
        raise BadInputError("there is no lorebook entry in this file.", source=path)
    merged = await asyncio.to_thread(_take, command, familiar, document)
    shape = _shape(command, "lorebook", document.format, [*document.report, *merged.report])
    shape |= {"taken": merged.added, "skipped": merged.already_there, "already_there": merged.already_there}
    _print(command, shape, "entries", [*document.report, *merged.report])
    return 0


async def import_card(command: Command, path: Path) -> int:
    """Let a card take the place of the familiar's own; its picture and the entries of its lorebook come too.

    The card that was there is kept as `character.before.md`.
    """
    familiar, profile = command.familiar(), command.gate.profile
    found = await asyncio.to_thread(read_card_file, path)
    card = replace(found.card, name=found.card.name.strip() or profile.card(familiar).name)
    document = await asyncio.to_thread(lorebook_of_import, found)
    report = [line for line in found.report if line.field != "character_book"]
    shape: dict[str, Any] = {"taken": 1, "skipped": 0, "already_there": 0, "lorebook": None}
    if document is not None:
        merged = await asyncio.to_thread(_take, command, familiar, document)
        report += [*document.report, *merged.report]
        shape["lorebook"] = {"taken": merged.added, "already_there": merged.already_there}
    if not command.args.dry_run:
        await asyncio.to_thread(_keep_old_card, profile, familiar, card)
        await asyncio.to_thread(profile.save_card, familiar, card)
        if found.avatar_png is not None:
            await asyncio.to_thread(profile.save_avatar, familiar, found.avatar_png)
        await asyncio.to_thread(profile.save_kept_card, familiar, await asyncio.to_thread(kept_of, found))
    _print(command, _shape(command, "card", found.format, report) | shape, "card", report)
    return 0


def _keep_old_card(profile: Profile, familiar: FamiliarId, new: CharacterCard) -> None:
    """Leave the card that was there beside the new one."""
    old = profile.card(familiar)
    if old != new:
        write_card(profile.lorebook(familiar).with_name("character.before.md"), old, format="familiar")


def _take(command: Command, familiar: FamiliarId, document: LoreDocument) -> Merged:
    file = LoreFile(command.gate.profile.lorebook(familiar))
    return take_in(file, document, dry_run=command.args.dry_run).merged


def _shape(command: Command, kind: str, format_name: str, report: Iterable[ReportLine]) -> dict[str, Any]:
    lines = list(report)
    return {
        "kind": kind,
        "format": format_name,
        "dry_run": command.args.dry_run,
        "changed": _counted(line for line in lines if line.what not in _LOST),
        "lost": _counted(line for line in lines if line.what in _LOST),
        "report": report_to_json(lines),
    }


def _counted(lines: Iterable[ReportLine]) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    for line in lines:
        what = f"{line.field}: {line.what}: {line.detail}"
        counts[what] = counts.get(what, 0) + 1
    return [{"what": what, "count": count} for what, count in counts.items()]


def _print(command: Command, shape: dict[str, Any], what: str, report: Iterable[ReportLine]) -> None:
    if command.out.as_json:
        command.out.json(shape)
        return
    command.out.line(f"Format: {shape['format']}")
    dry = " (dry run: nothing was stored)" if shape["dry_run"] else ""
    command.out.line(f"Taken: {shape['taken']} {what}{dry}")
    if shape["already_there"]:
        command.out.line(f"Skipped: {shape['already_there']} that were there already")
    if shape.get("lorebook"):
        command.out.line(f"Lorebook: {shape['lorebook']['taken']} entries")
    print_report(command, report)


async def export_lorebook(command: Command) -> int:
    """Write the familiar's own lorebook to a file."""
    args, path = command.args, Path(command.args.file)
    if args.format is not None and args.format not in LORE_FORMATS:
        raise UsageError("There is no such format.", f"Known are {', '.join(LORE_FORMATS)}.")
    if args.file == "-":
        raise UsageError("A lorebook is written to a file.", "Name a file in the place of -.")
    familiar, profile = command.familiar(), command.gate.profile
    if path.suffix.lower() not in _PICTURES:
        refuse_existing(path, args.force)
    document = await asyncio.to_thread(_own_document, profile, familiar)
    lost = await asyncio.to_thread(write_lorebook, path, document, args.format)
    if command.out.as_json:
        shape = {"file": str(path), "format": args.format, "familiar": familiar}
        command.out.json(shape | {"written": len(document.book.entries), "report": report_to_json(lost)})
    else:
        command.out.message(f"{len(document.book.entries)} entries written.")
        print_report(command, lost)
    return 0


def _own_document(profile: Profile, familiar: FamiliarId) -> LoreDocument:
    """Return the familiar's lorebook, with its card for formats that hold both."""
    path = profile.lorebook(familiar)
    if not path.exists():
        raise UserError(f"The familiar {familiar} has no lorebook.", "'familiar import FILE' brings one.")
    loaded = LoreFile(path).load().document
    return replace(loaded, card=card_to_json(profile.card(familiar), "card-v3"))
