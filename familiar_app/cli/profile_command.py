"""`init`: makes a profile, or adds a familiar to one."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from familiar_app.cli import passphrase
from familiar_app.cli.context import Command
from familiar_app.cli.model_name import named_spec
from familiar_app.cli.option import familiar_id
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError, OutsideError, UsageError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_spec import BUNDLED_MODEL, model_slot_from_spec
from familiar_app.interchange.card_kept import kept_of
from familiar_app.interchange.cards import read_card_file
from familiar_app.interchange.lorebook.document import LoreDocument, report_to_json
from familiar_app.interchange.lorebook.taken import lorebook_of_import, native_bytes
from familiar_app.interchange.report import ReportLine
from familiar_app.services import Hosted, NewFamiliar, Services
from familiar_app.store.keys import new_recovery_code

DEFAULT_NAME = "Familiar"
_WRITE_DOWN = "Write it down and keep it apart from this computer: it opens the vault if the passphrase is forgotten."


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the command."""
    init = commands.add_parser(
        "init",
        parents=[common],
        help="make a profile, or add a familiar to it",
        description="Make a profile with its first familiar, or add a familiar to a profile. The recovery code of a "
        "new profile is shown this one time.",
    )
    init.add_argument("--name", metavar="N", help="the familiar's name (default: that of the card)")
    init.add_argument("--id", type=familiar_id, metavar="ID", help="the familiar's id (default: made from its name)")
    init.add_argument("--card", type=Path, metavar="FILE", help="a character card: PNG, JSON, charx or Markdown")
    init.add_argument(
        "--model",
        default=BUNDLED_MODEL,
        metavar="SPEC",
        help="smollm2 (default), gguf:FILE, openai:URL#MODEL, scripted:FILE, or the name of a model that was fetched",
    )
    init.add_argument("--api-key-file", type=Path, metavar="FILE", help="holds the model's key; it goes into the vault")
    init.set_defaults(handler=run_init)


async def run_init(command: Command) -> int:
    """Make a profile, or add a familiar to one."""
    args, gate = command.args, command.gate
    familiar, notes, entries = _new_familiar(args, gate.profile.root)
    if familiar.id is not None and familiar.id in gate.profile.familiars():
        raise BadInputError("a familiar with this id exists already.", field="id", next_step="Choose another id.")
    recovery_code = None
    if gate.state == "new":
        secret = passphrase.new(args.passphrase_file, command.out)
        recovery_code = new_recovery_code()
        services = await gate.create(secret, familiar, recovery_code=recovery_code, remember=False)
        hosted = next(iter(services.familiars.values()))
    else:
        services = await command.open()
        if await _was_cut_short(services):
            recovery_code = new_recovery_code()
            await services.vault.replace_recovery_code(recovery_code)
        hosted = await gate.add_familiar(familiar)
    _print_init(command, hosted, recovery_code, notes, entries)
    return 0


async def _was_cut_short(services: Services) -> bool:
    """Tell whether the profile was made by a run that ended before it could show the recovery code."""
    vault = services.vault
    return not services.profile.familiars() and not await vault.turns.count() and not await vault.erasure.receipts()


def _new_familiar(args: argparse.Namespace, root: Path) -> tuple[NewFamiliar, tuple[ReportLine, ...], int]:
    """Read everything that the options name, so that what cannot be used is refused before anything is made.

    Returns the familiar, what its card's file had to be told about, and the number of its lorebook's entries.
    """
    avatar: bytes | None = None
    notes: tuple[ReportLine, ...] = ()
    lorebook: LoreDocument | None = None
    kept: bytes | None = None
    card = CharacterCard(name=DEFAULT_NAME)
    if args.card is not None:
        found = read_card_file(args.card)
        card, avatar, notes = found.card, found.avatar_png, found.report
        lorebook, kept = lorebook_of_import(found), kept_of(found)
        if lorebook is not None:
            notes = (*(line for line in notes if line.field != "character_book"), *lorebook.report)
    familiar = NewFamiliar(
        card=replace(card, name=_name(args.name) or card.name.strip() or DEFAULT_NAME),
        id=FamiliarId(args.id) if args.id else None,
        model=named_spec(args.model, root) or absolute_spec(args.model),
        api_key=passphrase.from_file(args.api_key_file).strip() if args.api_key_file else None,
        avatar_png=avatar,
        lorebook_toml=None if lorebook is None else native_bytes(lorebook),
        card_kept=kept,
    )
    return familiar, notes, 0 if lorebook is None else len(lorebook.book.entries)


def _print_init(
    command: Command, hosted: Hosted, recovery_code: str | None, notes: tuple[ReportLine, ...], entries: int
) -> None:
    out, root = command.out, command.gate.profile.root
    if out.as_json:
        out.json(
            {
                "profile_dir": str(root),
                "familiar": {"id": hosted.id, "name": hosted.name},
                "model": {"provider": hosted.prose.info.provider, "name": hosted.prose.info.name},
                "recovery_code": recovery_code,
                "card_report": report_to_json(notes),
                "lorebook_entries": entries,
            }
        )
        return
    out.message(f"{hosted.name} ({hosted.id}) lives in {root}.")
    if entries:
        out.message(f"The card's lorebook came too: {entries} entries.")
    for one in notes:
        out.message(f"Card, {one.field}: {one.what}: {one.detail}")
    if recovery_code is not None:
        out.message(f"Recovery code: {recovery_code}")
        out.message(_WRITE_DOWN)


def _name(given: str | None) -> str | None:
    if given is None:
        return None
    name = given.strip()
    if not name or len(name) > 80 or not name.isprintable():
        raise UsageError("This is no name for a familiar.", "A name has 1 to 80 characters on one line.")
    return name


def absolute_spec(spec: str) -> str:
    """Return a model's SPEC with its file as an absolute path. Raises BadInputError where there is no such file."""
    kind, _, rest = spec.strip().partition(":")
    try:
        here = Path.cwd()
    except OSError as error:
        raise OutsideError("The present folder is gone.", "Change to a folder that exists, then try again.") from error
    slot = model_slot_from_spec(spec, base_dir=here)
    if kind.strip().lower() not in ("gguf", "scripted"):
        return spec
    path = Path(slot["model"]).absolute()
    if not path.is_file():
        raise BadInputError(
            "there is no such file.",
            source=rest.strip(),
            field="model",
            next_step="Check the path, or name another model.",
        )
    return f"{kind.strip().lower()}:{path}"
