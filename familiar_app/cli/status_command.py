"""`status`: tells how a profile stands."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from familiar_app import __version__
from familiar_app.cli.backup_shape import backups_line, backups_shape
from familiar_app.cli.context import Command, heard
from familiar_app.cli.health_shape import memory_lines, memory_shape
from familiar_app.cli.network_shape import network_lines, network_shape
from familiar_app.cli.next_step import error_shape
from familiar_app.cli.place_shape import index_line, place_lines, place_shape
from familiar_app.domain.clock import format_time
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.turn import ChannelSummary
from familiar_app.interchange.lorebook.library import LoreLibrary, ShelvedBook
from familiar_app.services import Hosted, Services
from familiar_app.store import schema
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.store.lore_place import LorePlace
from familiar_app.store.portable import portable_profile, program_folder


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the command."""
    status = commands.add_parser(
        "status",
        parents=[common],
        help="tell how the profile stands",
        description="Print the version, the vault and its backups, the familiars with their models, channels and "
        "memory, and whether local-only mode is on.",
    )
    status.set_defaults(handler=run_status)


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
