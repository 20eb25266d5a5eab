"""`person`: who is known, what is known of them, and how much of somebody may be kept."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.erasure_command import add_forgetting, carry_out, print_receipts
from familiar_app.cli.option import person_key
from familiar_app.cli.own_name import own_names
from familiar_app.cli.person_shape import PersonSheet, person_shape, sheet_shape
from familiar_app.domain.clock import format_time
from familiar_app.domain.erasure import OfPerson
from familiar_app.domain.errors import UsageError, UserError
from familiar_app.domain.ids import OWNER
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import NameSpan
from familiar_app.store.person_count import PersonRow
from familiar_app.store.vault import Vault

_NOBODY, _WHERE = "Nobody is known by this key.", "Look up the keys with 'familiar person list'."


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    person = commands.add_parser(
        "person", parents=[common], help="people and their privacy", description="People and their privacy."
    )
    acts = person.add_subparsers(title="commands", metavar="COMMAND", dest="person_command", required=True)
    _add_listing(acts, common)
    _add_show(acts, common)
    _add_privacy(acts, common)
    _add_merge(acts, common)
    _add_part(acts, common)
    _add_forget(acts, common)


def _add_listing(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    listing = acts.add_parser(
        "list",
        parents=[common],
        help="print everybody who is known",
        description="Print everybody who is known, the one who spoke last first.",
    )
    listing.add_argument("--search", metavar="Q", help="those with this in their key or in any name they ever had")
    listing.set_defaults(handler=run_list)


def _add_show(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    show = acts.add_parser(
        "show",
        parents=[common],
        help="print what is known of somebody",
        description="Print somebody's names over time, their dossier, and how much is known about them.",
    )
    show.add_argument("key", type=person_key, metavar="KEY", help="the person, such as discord:123")
    show.set_defaults(handler=run_show)


def _add_privacy(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    privacy = acts.add_parser(
        "privacy",
        parents=[common],
        help="read or set how much of somebody may be kept",
        description="none: everything; partial: messages, but no facts or memories; full: no messages either.",
    )
    privacy.add_argument("key", type=person_key, metavar="KEY", help="the person, such as discord:123")
    privacy.add_argument(
        "level",
        nargs="?",
        choices=[str(level) for level in PrivacyLevel],
        metavar="LEVEL",
        help="none, partial or full",
    )
    privacy.set_defaults(handler=run_privacy)


def _add_merge(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    merge = acts.add_parser(
        "merge",
        parents=[common],
        help="let two identities count as one person",
        description="Let an identity count as another one. No message and no fact is changed; 'person part' undoes it.",
    )
    merge.add_argument("key", type=person_key, metavar="KEY", help="the identity that is somebody else's")
    merge.add_argument("into", type=person_key, metavar="INTO", help="the person it counts as from now on")
    merge.set_defaults(handler=run_merge)


def _add_part(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    part = acts.add_parser(
        "part",
        parents=[common],
        help="take a merged identity apart again",
        description="Let a merged identity stand for itself again.",
    )
    part.add_argument("key", type=person_key, metavar="KEY", help="the identity that was merged")
    part.set_defaults(handler=run_part)


def _add_forget(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    forget = acts.add_parser(
        "forget",
        parents=[common],
        help="erase somebody",
        description="Erase somebody: what they said, what is known of them, and their names where others wrote them. "
        "Shows first what will go. Without KEY, print the receipts of what was erased so far.",
    )
    forget.add_argument("key", type=person_key, metavar="KEY", nargs="?", help="the person, such as discord:123")
    add_forgetting(forget)
    forget.set_defaults(handler=run_forget)


async def run_list(command: Command) -> int:
    """Print everybody who is known to a familiar."""
    args, out = command.args, command.out
    if args.search is not None and not args.search.strip():
        raise UsageError("--search needs a text to look for.", "Write it behind --search, or leave the option out.")
    familiar = command.familiar()
    services = await command.open()
    rows = await services.vault.person_pages.list(familiar, search=args.search or "")
    labels = own_names(services, {row.key: row.label for row in rows})
    rows = [replace(row, label=labels[row.key]) for row in rows]
    if out.as_json:
        out.json([person_shape(row) for row in rows])
    else:
        for row in rows:
            out.line(_line(row))
    return 0


async def run_show(command: Command) -> int:
    """Print what is known of somebody."""
    args, out = command.args, command.out
    familiar = command.familiar()
    services = await command.open()
    vault = services.vault
    row = await vault.person_pages.get(familiar, await vault.people.spelt(args.key))
    if row is None:
        raise UserError(_NOBODY, _WHERE)
    row = replace(row, label=own_names(services, {row.key: row.label})[row.key])
    sheet = PersonSheet(
        row,
        names=await _names(vault, row),
        dossier=await vault.projections.dossier(familiar, row.key),
        memories=await vault.person_pages.memories(row.identities, command.hosted(services).config.lineage),
    )
    if out.as_json:
        out.json(sheet_shape(sheet))
        return 0
    out.line(_line(row))
    for other in row.identities[1:]:
        out.line(f"  also {other}")
    for span in sheet.names:
        until = "now" if span.until is None else format_time(span.until)
        out.line(f"  {span.name}  {span.kind}  {format_time(span.since)} to {until}")
    if sheet.dossier is not None:
        out.line(f"  dossier of {format_time(sheet.dossier.created_at)}: {sheet.dossier.text}")
    out.line(f"  {sheet.memories} saved memories")
    return 0


async def run_privacy(command: Command) -> int:
    """Print somebody's level, after setting it where one is given."""
    args = command.args
    familiar = command.familiar()
    services = await command.open()
    privacy, key = services.vault.privacy, await services.vault.people.spelt(args.key)
    if args.level is not None:
        await privacy.set(key, PrivacyLevel(args.level), familiar=familiar, by=OWNER)
    level = await privacy.get(key)
    if command.out.as_json:
        command.out.json({"key": key, "privacy": str(level)})
    else:
        command.out.line(str(level))
    return 0


async def run_merge(command: Command) -> int:
    """Let an identity count as another one."""
    args = command.args
    familiar = command.familiar()
    vault = (await command.open()).vault
    key, into = await vault.people.spelt(args.key), await vault.people.spelt(args.into)
    for one in (key, into):
        if await vault.person_pages.get(familiar, one) is None:
            raise UserError(_NOBODY, _WHERE)
    await vault.person_pages.merge(key, into, familiar=familiar)
    if command.out.as_json:
        command.out.json({"key": key, "into": into})
    else:
        command.out.message(f"{key} counts as {into} now.")
    return 0


async def run_forget(command: Command) -> int:
    """Erase somebody, or print what was erased so far."""
    services = await command.open()
    erasure = services.vault.erasure
    if command.args.key is None:
        print_receipts(command, await erasure.receipts())
        return 0
    return await carry_out(command, services, OfPerson(await services.vault.people.spelt(command.args.key)))


async def run_part(command: Command) -> int:
    """Let a merged identity stand for itself again."""
    familiar = command.familiar()
    vault = (await command.open()).vault
    key = await vault.people.spelt(command.args.key)
    before = await vault.person_pages.part(key, familiar=familiar)
    if command.out.as_json:
        command.out.json({"key": key, "from": before})
    else:
        command.out.message(f"{key} stands for itself again.")
    return 0


async def _names(vault: Vault, row: PersonRow) -> list[NameSpan]:
    """Return the names of all identities of somebody, the oldest first."""
    people = [await vault.people.get(one) for one in row.identities]
    return sorted((span for one in people if one is not None for span in one.names), key=lambda span: span.since)


def _line(row: PersonRow) -> str:
    seen = "never" if row.last_seen_at is None else format_time(row.last_seen_at)
    return f"{row.key}  {row.label}  {row.turns} turns  {row.facts} facts  last seen {seen}  privacy {row.privacy}"
