"""What the commands about memories have in common: which memory, and whose."""

from __future__ import annotations

import argparse

from familiar_app.cli.option import limit, person_key
from familiar_app.domain.errors import UsageError
from familiar_app.domain.ids import Lineage
from familiar_app.domain.saved_memory.capacity import Decay
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryPlace, Scope
from familiar_app.services import Hosted


def add_id(parser: argparse.ArgumentParser) -> None:
    """Add the id of a memory."""
    parser.add_argument("id", type=limit, metavar="ID", help="the memory's id, as 'memory list' gives it")


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the options that say about whom or what memories are."""
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--server", metavar="KEY", help="about this server or local channel, such as discord:100")
    place.add_argument("--person", type=person_key, metavar="KEY", help="about this person, such as discord:123")
    parser.add_argument("--global", action="store_true", dest="everywhere", help="known to every familiar (--person)")


def asked_owner(args: argparse.Namespace) -> tuple[Scope | None, str | None]:
    """Return which owner the options name, if any."""
    if args.server is not None:
        return Scope.SERVER, args.server
    return (None, None) if args.person is None else (Scope.PERSONAL, args.person)


def place_of(args: argparse.Namespace, lineage: Lineage) -> MemoryPlace:
    """Return the place that the options name. Raises UsageError where they name none."""
    scope, owner = asked_owner(args)
    if scope is None or owner is None:
        raise UsageError("It is not said about whom or what this is.", "Name it with --person or --server.")
    if args.everywhere and scope is Scope.SERVER:
        raise UsageError("--global is for memories about a person.", "Name the person, or leave --global out.")
    return MemoryPlace(scope, owner, GLOBAL_LINEAGE if args.everywhere else lineage)


def decay_of(hosted: Hosted) -> Decay:
    """Tell when a familiar's memories rest."""
    settings = hosted.config.saved_memories
    return Decay(settings.decay_days if settings.decay_enabled else None, retrieval=hosted.embedder is not None)
