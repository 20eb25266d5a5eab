"""`recall`: what retrieval would bring for a cue, and why."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from familiar_app.cli.context import Command
from familiar_app.cli.mark_command import score_marks, weight
from familiar_app.cli.option import channel, instant, limit
from familiar_app.cli.search import build_index
from familiar_app.domain.audience import Audience
from familiar_app.domain.clock import format_time
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.ranking import Kind, Signal, Weights
from familiar_app.domain.recall import DEFAULT_LIMIT, Hit, Recall
from familiar_app.interchange.line import numbered_lines, parse_object
from familiar_app.services import Services
from familiar_app.store.vector_fill import VectorFill

KINDS: dict[str, Kind] = {"turns": "turn", "facts": "fact", "memories": "memory"}


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    recall = commands.add_parser(
        "recall",
        parents=[common],
        help="look into memory",
        description="Print what a message would bring back from memory, best first, with the signals of each score.",
    )
    recall.add_argument("query", nargs="?", metavar="QUERY", help="what is looked for")
    recall.add_argument(
        "--queries",
        type=Path,
        metavar="FILE",
        help="many queries, one JSON object a line: id, query; - reads standard input",
    )
    recall.add_argument("--json-lines", action="store_true", help="print one JSON object for each query")
    recall.add_argument("--limit", type=limit, default=DEFAULT_LIMIT, metavar="N", help=f"default: {DEFAULT_LIMIT}")
    recall.add_argument(
        "--channel", type=channel, metavar="C", help="only what may be said there (default: everything)"
    )
    recall.add_argument(
        "--kind", type=kinds, default=tuple(KINDS.values()), metavar="K", help="turns, facts, memories (default: all)"
    )
    recall.add_argument("--as-of", type=instant, metavar="V", help="facts that were true at this time")
    recall.add_argument("--known-at", type=instant, metavar="T", help="only what was known at this time")
    recall.add_argument("--marks", action="store_true", help="tell how well recall does by your marks")
    recall.add_argument(
        "--weight", type=weight, action="append", default=[], metavar="NAME=N", help="with --marks: try another weight"
    )
    recall.set_defaults(handler=run_recall)


def kinds(text: str) -> tuple[Kind, ...]:
    """Read a list of kinds."""
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no kind {unknown[0]!r}; there are: {', '.join(KINDS)}.")
    return tuple(dict.fromkeys(KINDS[name] for name in names))


@dataclass(frozen=True, slots=True)
class _Query:
    id: object
    text: str


async def run_recall(command: Command) -> int:
    """Print what one cue, or each cue of a file, brings back."""
    args = command.args
    if (args.query is not None) + (args.queries is not None) + args.marks != 1:
        raise UsageError(
            "A query is needed, a file of queries with --queries, or --marks: one of them.", "Give one of them."
        )
    if args.weight and not args.marks:
        raise UsageError("--weight tries another weight on your marks, so it needs --marks.", "Add --marks.")
    if args.queries is not None and not args.json_lines:
        raise UsageError("--queries prints one line a query, so it needs --json-lines.", "Add --json-lines.")
    if args.query is not None and not args.query.strip():
        raise UsageError("The query is empty.", "Write what you are looking for.")
    queries = [_Query(None, args.query)] if args.queries is None else list(_read_queries(args.queries))
    services = await command.open()
    request = await _request(command, services)
    if (broken := await build_index(command, services)) is not None:
        raise broken
    embedder = await _vectors(command, services)
    if args.marks:
        return await _by_marks(command, services, request, embedder)
    if not args.json_lines:
        found = await services.vault.retrieval.look(request(args.query), embedder, held=args.limit)
        _print_hits(command, list(found.hits))
        _tell_held(command, found.held)
        return 0
    for query in queries:
        began = time.perf_counter()
        hits = await services.vault.retrieval.recall(request(query.text), embedder)
        ms = round((time.perf_counter() - began) * 1000, 3)
        command.out.json({"id": query.id, "results": [hit_shape(hit) for hit in hits], "ms": ms})
    return 0


async def _by_marks(
    command: Command, services: Services, request: Callable[[str], Recall], embedder: Embedder | None
) -> int:
    """Print how well recall does by the owner's marks, and by other weights."""

    async def look(cue: str, weights: Weights) -> list[Hit]:
        return await services.vault.retrieval.recall(replace(request(cue), weights=weights), embedder)

    hosted = command.hosted(services)
    return await score_marks(command, hosted.id, hosted.config.memory.retrieval.weights(), command.args.weight, look)


async def _request(command: Command, services: Services) -> Callable[[str], Recall]:
    """Return what makes a request of a text."""
    args = command.args
    hosted = command.hosted(services)
    audience: Audience | None = None
    if args.channel is not None:
        place = await command.channel_or_new(services, args.channel)
        audience = await services.vault.audiences.of(hosted.id, place, hosted.config.audience_mode(place.key))

    def make(text: str) -> Recall:
        return Recall(
            familiar=hosted.id,
            cue=text,
            limit=args.limit,
            kinds=args.kind,
            as_of=args.as_of,
            known_at=args.known_at,
            audience=audience,
            lineage=hosted.config.lineage,
            weights=hosted.config.memory.retrieval.weights(),
        )

    return make


def _tell_held(command: Command, held: Sequence[Hit]) -> None:
    """Say what fits the cue and would not be said in the channel, by number and reason."""
    for hit in held:
        command.out.message(f"Held back: {hit.kind} {hit.id}, {hit.held}.")


async def _vectors(command: Command, services: Services) -> Embedder | None:
    """Return the embedder where it counts, after it has embedded everything that has no vector yet."""
    hosted = command.hosted(services)
    if hosted.embedder is None or hosted.config.memory.retrieval.embedding_weight <= 0:
        return None
    fill = VectorFill(services.vault.vectors, hosted.embedder)
    done = await fill.until_idle(lambda done: command.out.progress(f"Embedded {done} texts."))
    if done:
        command.out.progress(f"Embedded {done} texts.", last=True)
    return hosted.embedder


def _read_queries(path: Path) -> Iterator[_Query]:
    if str(path) == "-":
        yield from _queries_in(sys.stdin.buffer, "standard input")
        return
    try:
        with path.open("rb") as stream:
            yield from _queries_in(stream, str(path))
    except OSError as error:
        raise BadInputError("this file cannot be read.", source=path, next_step="Check the path.") from error


def _queries_in(stream: BinaryIO, source: str) -> Iterator[_Query]:
    for number, line in numbered_lines(stream):
        value = parse_object(line, source=source, number=number)
        text = value.get("query")
        if not isinstance(text, str):
            raise BadInputError("this has to be a text.", source=source, line=number, field="query")
        yield _Query(value.get("id"), text)


def hit_shape(hit: Hit) -> dict[str, Any]:
    """Return a hit's JSON form."""
    turn, fact = hit.turn, hit.fact
    return {
        "kind": hit.kind,
        "id": hit.id,
        "text": hit.text,
        "message_id": hit.message_id,
        "channel": turn.channel_key if turn else fact.channel_key if fact else None,
        "author": {"key": turn.author.key, "name": turn.author.name} if turn and turn.author else None,
        "at": format_time(turn.at) if turn else None,
        "score": hit.score,
        "signals": {name: _signal_shape(signal) for name, signal in hit.signals.items()},
    }


def _signal_shape(signal: Signal) -> dict[str, float | None]:
    return {"raw": signal.raw, "normalised": signal.normalised, "weight": signal.weight}


def _print_hits(command: Command, hits: list[Hit]) -> None:
    if command.out.as_json:
        command.out.json([hit_shape(hit) for hit in hits])
        return
    for hit in hits:
        who = hit.turn.author.name if hit.turn and hit.turn.author else hit.kind
        reasons = " ".join(f"{name} {signal.share:.2f}" for name, signal in hit.signals.items() if signal.share)
        command.out.line(f"{hit.score:.3f}  {hit.kind} {hit.id}  {who}: {hit.text}")
        command.out.line(f"       {reasons}")
