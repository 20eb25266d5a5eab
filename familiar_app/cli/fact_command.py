"""`facts` and `fact`: what the familiar believes and believed, and the owner's corrections."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.fact_shape import fact_shape, history_shape
from familiar_app.cli.memory_option import decay_of
from familiar_app.cli.memory_shape import memory_shape
from familiar_app.cli.option import instant, limit, person_key, whole_number
from familiar_app.cli.own_name import own_names
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import BadInputError, UsageError, UserError
from familiar_app.domain.fact import Fact, FactId, NewFact, Subject
from familiar_app.domain.fact_render import render
from familiar_app.domain.ids import ChannelKey, PersonKey, TurnId
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE
from familiar_app.services import Services
from familiar_app.store.fact import FactHistory
from familiar_app.store.fact_act import ORIGIN

_ALL = 1 << 40


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    facts = commands.add_parser(
        "facts",
        parents=[common],
        help="read what the familiar believes",
        description="Print facts, newest first: those that hold now, those that were true at a time, those that were "
        "believed at a time, or those that were believed at one time about another.",
    )
    facts.add_argument("--as-of", type=instant, metavar="V", help="what was true then, by all that was ever believed")
    facts.add_argument("--known-at", type=instant, metavar="T", help="what was believed then, as it stood then")
    facts.add_argument("--subject", type=person_key, metavar="KEY", help="only about this person, such as discord:123")
    facts.add_argument("--search", metavar="Q", help="only with this text in them")
    facts.add_argument("--include-retired", action="store_true", help="every fact, retired and ended ones too")
    facts.add_argument("--limit", type=limit, metavar="N", help="at most this many (default: all)")
    facts.set_defaults(handler=run_facts)

    fact = commands.add_parser(
        "fact", parents=[common], help="look at or correct one fact", description="Look at or correct one fact."
    )
    acts = fact.add_subparsers(title="commands", metavar="COMMAND", dest="fact_command", required=True)
    show = acts.add_parser(
        "show",
        parents=[common],
        help="print one fact and what it rests on",
        description="Print a fact with its beliefs over time, what it replaced, its sources and what cites it.",
    )
    _add_id(show)
    show.set_defaults(handler=run_show)
    _add_add(acts, common)
    _add_edit(acts, common)
    retire = acts.add_parser(
        "retire",
        parents=[common],
        help="believe a fact no longer",
        description="Let the familiar believe a fact no longer. It stays readable, and can be restored.",
    )
    _add_id(retire)
    retire.add_argument("--by", type=limit, metavar="ID", help="the fact that takes its place")
    retire.set_defaults(handler=run_retire)
    restore = acts.add_parser(
        "restore",
        parents=[common],
        help="believe a retired fact again",
        description="Let the familiar believe a retired fact again; the time in between stays on record.",
    )
    _add_id(restore)
    restore.set_defaults(handler=run_restore)


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=limit, metavar="ID", help="the fact's id, as 'facts' gives it")


def _add_add(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    add = acts.add_parser(
        "add",
        parents=[common],
        help="tell the familiar a fact",
        description="Store a fact in your own words. Where it is believed already, that fact rests on your word too.",
    )
    _add_content(add)
    add.set_defaults(handler=run_add)


def _add_edit(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    edit = acts.add_parser(
        "edit",
        parents=[common],
        help="put a fact in other words, or give it other dates",
        description="Put a corrected fact in the place of one that is believed. The old one stays readable. What is "
        "not named stays as it was.",
    )
    _add_id(edit)
    _add_content(edit)
    edit.set_defaults(handler=run_edit)


def _add_content(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", help="the fact, in one sentence")
    parser.add_argument(
        "--subject", type=person_key, action="extend", nargs="+", metavar="KEY", help="whom it is about"
    )
    parser.add_argument("--from", type=instant, dest="valid_from", metavar="V", help="since when it is true")
    parser.add_argument("--to", type=instant, dest="valid_to", metavar="V", help="until when it is true")
    parser.add_argument("--importance", type=whole_number, metavar="N", help="1 to 10")
    parser.add_argument("--source", type=limit, action="extend", nargs="+", metavar="TURN", help="a turn that says so")


async def run_facts(command: Command) -> int:
    """Print facts, newest first."""
    args, out = command.args, command.out
    if args.search is not None and not args.search.strip():
        raise UsageError("--search needs a text to look for.", "Write it behind --search, or leave the option out.")
    familiar = command.familiar()
    services = await command.open()
    found = await services.vault.facts.page(
        familiar,
        as_of=args.as_of,
        known_at=args.known_at,
        subject=None if args.subject is None else await services.vault.people.spelt(args.subject),
        search=args.search or "",
        include_retired=args.include_retired,
        limit=_ALL if args.limit is None else args.limit,
    )
    labels = await services.vault.facts.labels(found)
    if out.as_json:
        out.json([fact_shape(fact, own_names(services, labels[fact.id])) for fact in found])
    else:
        for fact in found:
            out.line(_line(fact, own_names(services, labels[fact.id])))
    return 0


async def run_show(command: Command) -> int:
    """Print one fact and what it rests on."""
    services = await command.open()
    history = await services.vault.facts.history((await _fact(command, services, command.args.id)).id)
    if history is None:
        raise UserError("There is no fact of this id.", "'familiar facts' lists them.")
    history = replace(history, labels=own_names(services, history.labels))
    if command.out.as_json:
        channels = await _channels(services, {one.channel for one in history.reflections if one.channel is not None})
        command.out.json(history_shape(history, channels, await _memories(command, services, history)))
        return 0
    out = command.out
    out.line(_line(history.fact, history.labels))
    for belief in history.fact.beliefs:
        until = "now" if belief.held.until is None else format_time(belief.held.until)
        since = "" if belief.held.since is None else format_time(belief.held.since)
        out.line(f"  believed {since} to {until}" + ("" if belief.by is None else f", then fact {belief.by}"))
    for prior in history.supersedes:
        out.line(f"  replaces fact {prior}")
    for turn in history.sources:
        out.line(f"  from turn {turn.id}, {format_time(turn.at)}: {turn.content}")
    for reflection in history.reflections:
        out.line(f"  in reflection {reflection.id}: {reflection.text}")
    return 0


async def run_add(command: Command) -> int:
    """Store what the owner says."""
    args = command.args
    _require_text(args.text)
    familiar = command.familiar()
    services = await command.open()
    fact, created = await services.vault.facts.add_by_owner(
        familiar,
        args.text,
        subjects=await _people(services, args.subject or ()),
        sources=[TurnId(turn) for turn in args.source or ()],
        importance=args.importance,
        valid_from=args.valid_from,
        valid_to=args.valid_to,
    )
    return await _print_fact(command, services, fact, "stored" if created else "was believed already")


async def run_edit(command: Command) -> int:
    """Put a corrected fact in the place of one."""
    args = command.args
    _require_text(args.text)
    services = await command.open()
    fact = await _fact(command, services, args.id)
    subjects = fact.subjects
    if args.subject is not None:
        people = services.vault.people
        keys = await _people(services, args.subject)
        subjects = tuple([Subject(key, await people.label(key)) for key in dict.fromkeys(keys)])
    changed = NewFact(
        familiar=fact.familiar,
        text=args.text.strip(),
        origin=ORIGIN,
        subjects=subjects,
        source_turns=fact.source_turns if args.source is None else tuple(TurnId(turn) for turn in args.source),
        channel=fact.channel,
        importance=fact.importance if args.importance is None else args.importance,
        valid_from=args.valid_from or fact.valid.since,
        valid_to=args.valid_to or fact.valid.until,
    )
    edited = await services.vault.facts.edit_by_owner(fact.id, changed)
    return await _print_fact(command, services, edited, f"stands in the place of fact {fact.id}")


async def run_retire(command: Command) -> int:
    """Let the familiar believe a fact no longer."""
    services = await command.open()
    fact = await _fact(command, services, command.args.id)
    by = None if command.args.by is None else (await _fact(command, services, command.args.by)).id
    if by == fact.id:
        raise UserError("A fact cannot take its own place.", "Name another fact with --by, or none.")
    retired = await services.vault.facts.retire_by_owner(fact.id, by=by)
    return await _print_fact(command, services, retired, "retired")


async def run_restore(command: Command) -> int:
    """Let the familiar believe a retired fact again."""
    services = await command.open()
    fact = await _fact(command, services, command.args.id)
    restored = await services.vault.facts.restore_by_owner(fact.id)
    return await _print_fact(command, services, restored, "believed again")


async def _people(services: Services, keys: Sequence[PersonKey]) -> list[PersonKey]:
    """Return the keys as those of people who are known, whatever the case they were typed in."""
    return [await services.vault.people.spelt(key) for key in keys]


async def _memories(command: Command, services: Services, history: FactHistory) -> list[dict[str, Any]]:
    """Return what was saved on purpose from the turns that a fact rests on."""
    hosted = command.hosted(services)
    found = await services.vault.saved_memories.drawn_from([turn.id for turn in history.sources])
    seen = [one for one in found if one.place.lineage in (hosted.config.lineage, GLOBAL_LINEAGE)]
    return [memory_shape(one, services.clock.now(), decay_of(hosted)) for one in seen]


async def _fact(command: Command, services: Services, number: int) -> Fact:
    """Return a fact of the familiar that is meant. Raises UserError where it has none of that id."""
    fact = await services.vault.facts.get(FactId(number))
    if fact is None or fact.familiar != command.familiar():
        raise UserError(f"There is no fact {number}.", "'familiar facts --include-retired' lists them.")
    return fact


async def _print_fact(command: Command, services: Services, fact: Fact, done: str) -> int:
    if command.out.as_json:
        labels = await services.vault.facts.labels([fact])
        command.out.json(fact_shape(fact, own_names(services, labels[fact.id])))
    else:
        command.out.message(f"Fact {fact.id}: {done}.")
    return 0


async def _channels(services: Services, ids: set[Any]) -> dict[Any, ChannelKey]:
    found = [await services.vault.channels.get(number) for number in ids]
    return {channel.id: channel.key for channel in found if channel is not None}


def _line(fact: Fact, labels: dict[PersonKey, str]) -> str:
    parts = [str(fact.id), format_time(fact.created_at), render(fact, labels)]
    if fact.superseded_at is not None:
        by = "" if fact.superseded_by is None else f" by {fact.superseded_by}"
        parts.append(f"[retired {format_time(fact.superseded_at)}{by}]")
    if fact.valid.until is not None:
        parts.append(f"[until {format_time(fact.valid.until)}]")
    return "  ".join(parts)


def _require_text(text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise BadInputError("the fact is not UTF-8 text.", source="the command line")
    if not text.strip():
        raise UsageError("There is nothing to store.", "Write the fact behind the command.")
