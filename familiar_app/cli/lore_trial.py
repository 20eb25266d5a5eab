"""`lore test`: what lorebooks do with a chat, entry by entry, without a vault; or one recorded case."""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.option import limit, whole_number
from familiar_app.domain.card import fill_placeholders
from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook
from familiar_app.domain.lorebook.rules import FIXED, RULE_SETS, Rules, rules_named
from familiar_app.domain.lorebook.scene import MAX_DEPTH, LoreSettings, Scene
from familiar_app.domain.lorebook.setting import lore_settings
from familiar_app.domain.turn import Role
from familiar_app.interchange.json_text import decode_text, parse_json, read_file
from familiar_app.interchange.lorebook.files import read_lorebook
from familiar_app.interchange.turn_format import find_turn_format, turn_reader
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnRecord
from familiar_app.interchange.turn_source import source_from_path
from familiar_app.models.token_estimate import estimate_tokens
from familiar_app.store.profile import shipped_config

_CHARACTER, _PERSON = "Familiar", "User"


def add_trial(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the command."""
    test = acts.add_parser(
        "test",
        parents=[common],
        help="try out what a lorebook does with a chat",
        description="Print which entries the newest message of a chat brings in, in order, and for each entry the "
        "reason. Tokens are estimated. The default settings are those of a new familiar; under st-1.18 they are those "
        "of SillyTavern.",
    )
    test.add_argument("--book", type=Path, action="append", default=[], metavar="FILE", help="a lorebook; repeatable")
    test.add_argument("--chat", type=Path, metavar="FILE", help="turns as JSON Lines, or a chat of SillyTavern")
    test.add_argument("--case", type=Path, metavar="FILE", help="a recorded case, with everything it needs")
    test.add_argument("--rules", choices=sorted(RULE_SETS), metavar="R", help="fixed (default) or st-1.18")
    test.add_argument("--character", metavar="NAME", help="the character's name (default: from the chat)")
    test.add_argument("--user", metavar="NAME", help="the person's name (default: from the chat)")
    test.add_argument("--depth", type=whole_number, metavar="N", help="how many messages back keys are searched")
    test.add_argument("--tokens", type=limit, metavar="N", help="the room for entries")
    test.add_argument("--recursive", action="store_true", help="let entries bring in others")
    test.add_argument("--seed", type=whole_number, default=0, metavar="N", help="of the chance that entries have")
    test.set_defaults(handler=run_test)


async def run_test(command: Command) -> int:
    """Evaluate books against a chat, or a recorded case."""
    args = command.args
    if args.case is not None:
        if args.book or args.chat is not None:
            raise UsageError("A case brings its own books and chat.", "Give --case alone, or --book with --chat.")
        return await _run_case(command)
    if not args.book or args.chat is None:
        raise UsageError("A book and a chat are needed.", "Give --book FILE and --chat FILE, or --case FILE.")
    result = await asyncio.to_thread(_evaluate, args)
    if command.out.as_json:
        command.out.json(result.to_json() | {"rolls": list(result.rolls), "tokens": result.used_tokens})
    else:
        _print_activation(command, result.to_json())
    return 0


async def _run_case(command: Command) -> int:
    path: Path = command.args.case
    data = await asyncio.to_thread(read_file, path)
    case = parse_json(decode_text(data, source=path), source=path)
    if not isinstance(case, dict):
        raise BadInputError("a case is one JSON object.", source=path)
    named = case.get("rules")
    rules = rules_named(command.args.rules or (named if isinstance(named, str) else FIXED.name))
    try:
        result = await asyncio.to_thread(run_case, case, rules, verdicts=True)
    except BadInputError as error:
        if error.source is not None:
            raise
        raise BadInputError(error.reason, source=path, field=error.field, next_step=error.next_step) from error
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise BadInputError(
            "this is no lorebook case.", source=path, next_step="See what 'lore test' takes."
        ) from error
    if command.out.as_json:
        command.out.json(result)
    elif "steps" in result:
        for step in result["steps"]:
            command.out.line(f"{step['length']}: {', '.join(step['activated'])}")
    else:
        _print_activation(command, result)
    return 0


def _evaluate(args: argparse.Namespace) -> Activation:
    rules = rules_named(args.rules or FIXED.name)
    books = [read_lorebook(path).book for path in args.book]
    chat = _read_chat(args.chat, args.character)
    settings, tokens = _settings(args, rules, books)
    character, person = args.character or chat.character, args.user or chat.person
    engine = LoreEngine(BoundBooks(character=tuple(_apart(books))), settings, rules)
    return engine.activate(
        Scene(
            messages=chat.messages,
            character=character,
            prompt_tokens=tokens,
            expand=lambda text: fill_placeholders(text, char=character, user=person),
        ),
        chance=_chance(args.seed),
        count_tokens=estimate_tokens,
    )


def _chance(seed: int) -> Callable[[], float]:
    return random.Random(seed).random  # noqa: S311 - it decides about entries, not about secrets


def _settings(args: argparse.Namespace, rules: Rules, books: list[LoreBook]) -> tuple[LoreSettings, int]:
    if rules is FIXED:
        config = shipped_config()
        budget = config.budget.text
        settings = lore_settings(config.lorebook, books, max_entries=budget.max_lorebook_entries)
        tokens = budget.lorebook_tokens
    else:
        settings, tokens = LoreSettings(), Scene().prompt_tokens
    if args.tokens is not None:
        settings, tokens = replace(settings, budget_percent=100, max_entries=0), args.tokens
    if args.depth is not None:
        settings = replace(settings, depth=min(args.depth, MAX_DEPTH))
    return replace(settings, recursive=settings.recursive or args.recursive), tokens


def _apart(books: list[LoreBook]) -> list[LoreBook]:
    """Number books of one name, since the engine takes each name once."""
    names = [book.name for book in books]
    counts = [names[: place + 1].count(name) for place, name in enumerate(names)]
    return [
        replace(book, name=f"{book.name} ({count})") if count > 1 else book
        for book, count in zip(books, counts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Chat:
    """The messages as they are searched, and the names of the two sides."""

    messages: tuple[str, ...]
    character: str
    person: str


def _read_chat(path: Path, character: str | None) -> _Chat:
    source, report = source_from_path(path), ReadReport()
    reader = turn_reader(find_turn_format(source))
    options = ReadOptions(character or _CHARACTER, source.name, ChannelKey("local:main"))
    with source.open() as stream:
        turns = [turn for turn in reader(stream, options, report) if turn.role in (Role.USER, Role.ASSISTANT)]
    if report.first_bad_lines:
        raise report.first_bad_lines[0]
    own = character or _first_name(turns, Role.ASSISTANT) or _CHARACTER
    return _Chat(
        tuple(f"{_speaker(turn, own)}: {turn.content}" for turn in turns),
        own,
        _first_name(turns, Role.USER) or _PERSON,
    )


def _first_name(turns: list[TurnRecord], role: Role) -> str | None:
    return next((turn.author.name for turn in turns if turn.role is role and turn.author is not None), None)


def _speaker(turn: TurnRecord, own: str) -> str:
    if turn.author is not None:
        return turn.author.name
    return own if turn.role is Role.ASSISTANT else _PERSON


def _print_activation(command: Command, result: dict[str, Any]) -> None:
    line = command.out.line
    line(f"Activated: {', '.join(result['activated']) or 'nothing'}")
    line(f"Passes: {result['passes']}" + (", more than there was room for" if result["overflowed"] else ""))
    for verdict in result["verdicts"]:
        detail = ", ".join(f"{name} {value}" for name, value in verdict["detail"].items())
        line(f"{verdict['pass']}  {verdict['verdict']:3}  {verdict['entry']}: {verdict['reason']}  {detail}".rstrip())
