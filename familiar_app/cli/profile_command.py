"""`init` and `status`: makes a profile or adds a familiar to it, and tells how a profile stands."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from familiar_app import __version__
from familiar_app.cli import passphrase
from familiar_app.cli.backup_shape import backups_line, backups_shape
from familiar_app.cli.context import Command, heard
from familiar_app.cli.health_shape import memory_lines, memory_shape
from familiar_app.cli.model_name import named_spec
from familiar_app.cli.network_shape import network_lines, network_shape
from familiar_app.cli.next_step import error_shape
from familiar_app.cli.option import familiar_id
from familiar_app.cli.place_shape import index_line, place_lines, place_shape
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import BadInputError, OutsideError, UsageError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_spec import BUNDLED_MODEL, model_slot_from_spec
from familiar_app.domain.turn import ChannelSummary
from familiar_app.interchange.card_kept import kept_of
from familiar_app.interchange.cards import read_card_file
from familiar_app.interchange.lorebook.document import LoreDocument, report_to_json
from familiar_app.interchange.lorebook.library import LoreLibrary, ShelvedBook
from familiar_app.interchange.lorebook.taken import lorebook_of_import, native_bytes
from familiar_app.interchange.report import ReportLine
from familiar_app.services import Hosted, NewFamiliar, Services
from familiar_app.store import schema
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.lore_place import LorePlace
from familiar_app.store.portable import portable_profile, program_folder

DEFAULT_NAME = "Familiar"
_WRITE_DOWN = "Write it down and keep it apart from this computer: it opens the vault if the passphrase is forgotten."


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
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

    status = commands.add_parser(
        "status",
        parents=[common],
        help="tell how the profile stands",
        description="Print the version, the vault and its backups, the familiars with their models, channels and "
        "memory, and whether local-only mode is on.",
    )
    status.set_defaults(handler=run_status)


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
    return not services.profile.familiars() and await services.vault.turns.count() == 0


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


async def run_status(command: Command) -> int:
    """Print how the profile stands."""
    services = await command.open()
    profile, vault = command.gate.profile, services.vault
    familiars = [await _familiar_shape(services, id_) for id_ in profile.familiars()]
    facts = {
        "version": __version__,
        "profile_dir": str(profile.root),
        "portable": portable_profile(program_folder()) == profile.root,
        "vault": {
            "path": str(profile.vault_path),
            "turns": await vault.turns.count(),
            "size_bytes": _size_bytes(profile.vault_path),
            "schema": schema.VERSION,
        },
        "index": _index_shape(vault.index.status),
        "backups": await backups_shape(services),
        "local_only": services.network.local_only,
        "network": await network_shape(services),
        "familiars": familiars,
    }
    if command.out.as_json:
        command.out.json(facts)
    else:
        _print_status(command, facts)
    return 0


def _index_shape(status: IndexStatus) -> dict[str, Any]:
    """Return how the search index stands; it is in memory alone, so a command that does not search has none."""
    error = status.error.message if status.error else None
    return {"state": status.state, "indexed": status.indexed, "total": status.total, "error": error}


async def _familiar_shape(services: Services, familiar: FamiliarId) -> dict[str, Any]:
    hosted, broken = services.familiars.get(familiar), services.broken.get(familiar)
    channels = await heard(services, familiar)
    return {
        "id": familiar,
        "name": hosted.name if hosted else None,
        "models": _models(hosted) if hosted else None,
        "error": error_shape(broken) if broken else None,
        "channels": [_channel_shape(summary) for summary in channels],
        "lorebooks": [] if broken else [_lorebook_shape(*pair) for pair in await _lorebooks(services, familiar)],
        **(await memory_shape(services, hosted) if hosted else {"projectors": [], "memory": None}),
        **(await place_shape(services, hosted, channels) if hosted else {"discord": None, "reminders": []}),
    }


async def _lorebooks(services: Services, familiar: FamiliarId) -> list[tuple[LorePlace, ShelvedBook]]:
    places = await asyncio.to_thread(services.profile.lorebooks, familiar)
    books = await asyncio.to_thread(LoreLibrary().read, [place.path for place in places])
    return list(zip(places, books, strict=True))


def _lorebook_shape(place: LorePlace, shelved: ShelvedBook) -> dict[str, Any]:
    book, error = shelved.book, shelved.error
    return {
        "file": str(place.path),
        "binding": place.binding,
        "channels": list(place.channels),
        "name": book.name if book else None,
        "entries": len(book.entries) if book else 0,
        "error": error_shape(error) if error else None,
    }


def _models(hosted: Hosted) -> dict[str, Any]:
    slots = {"prose": hosted.prose.info, "background": hosted.background.info}
    return {
        slot: {"provider": info.provider, "name": info.name, "local": info.local, "weak": info.weak}
        for slot, info in slots.items()
    }


def _channel_shape(summary: ChannelSummary) -> dict[str, Any]:
    return {
        "channel": summary.channel.key,
        "title": summary.channel.title,
        "guild": summary.channel.guild,
        "archived": summary.channel.archived,
        "turns": summary.turns,
        "last_at": format_time(summary.last_at) if summary.last_at else None,
    }


def _size_bytes(vault: Path) -> int:
    """Return what the vault takes on disk, with the log of changes beside it."""
    files = (vault, vault.with_name(f"{vault.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _print_status(command: Command, facts: dict[str, Any]) -> None:
    line, vault = command.out.line, facts["vault"]
    line(f"familiar {facts['version']}")
    if facts["portable"]:
        line(f"Portable: the profile {facts['profile_dir']} lies beside the program")
    line(f"Vault: {vault['path']}, {vault['turns']} turns, {vault['size_bytes']} bytes, schema {vault['schema']}")
    line(index_line(facts["index"]))
    line(backups_line(facts["backups"]))
    line(f"Local-only mode: {'on' if facts['local_only'] else 'off'}")
    for text in network_lines(facts["network"]):
        line(text)
    for one in facts["familiars"]:
        if one["error"]:
            line(f"{one['id']}: not loaded: {one['error']['message']}")
            continue
        models = ", ".join(f"{slot} {info['provider']}:{info['name']}" for slot, info in one["models"].items())
        line(f"{one['id']} ({one['name']}): {models}")
        for text in memory_lines(one["memory"]):
            line(f"  {text}")
        for text in place_lines(one, local_only=facts["local_only"]):
            line(f"  {text}")
        for place in one["channels"]:
            line(f"  {place['channel']}: {place['turns']} turns")
        for book in one["lorebooks"]:
            state = book["error"]["message"] if book["error"] else f"{book['entries']} entries"
            line(f"  lorebook {book['name'] or Path(book['file']).name}: {state}")
