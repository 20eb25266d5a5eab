"""`export facts`, `export person` and `export everything`: what a familiar has, piece by piece into a new file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from familiar_app.cli.context import Command, heard
from familiar_app.cli.fact_shape import fact_shape, reflection_shape
from familiar_app.cli.lore_command import book_shape, shelved_books
from familiar_app.cli.memory_option import decay_of
from familiar_app.cli.memory_shape import memory_shape
from familiar_app.cli.own_name import own_names
from familiar_app.cli.person_shape import dossier_shape, name_shape, person_shape
from familiar_app.cli.shape import turn_shape
from familiar_app.domain.clock import format_time
from familiar_app.domain.errors import UsageError, UserError
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.domain.saved_memory.memory import Scope
from familiar_app.domain.turn import Channel
from familiar_app.interchange.card_json import card_to_json
from familiar_app.interchange.turn_export import export_pieces, reason_to_leave_out, refuse_existing
from familiar_app.services import Hosted, Services
from familiar_app.store.person_count import PersonRow
from familiar_app.store.saved_memory import MemoryQuestion

REMEMBERED = ("facts", "person", "everything")
_PAGE = 500
_ALL = 1 << 40
_Items = AsyncIterator[Mapping[str, Any]]


async def export_remembered(command: Command) -> int:
    """Write facts, a person or everything to a file that must be new."""
    args, path = command.args, Path(command.args.file)
    if args.file == "-" or args.force or args.format is not None:
        raise UsageError(
            "This is written to a new file, in one form.", "Name a new file, without --force and --format."
        )
    if (args.what == "person") != (args.person is not None):
        raise UsageError("'export person' needs --person KEY, and nothing else takes it.", "See 'familiar export -h'.")
    refuse_existing(path, overwrite=False)
    services = await command.open()
    work = _Remembered(command, services, command.hosted(services))
    pieces = await work.pieces(args.what)
    await export_pieces(pieces, path)
    if command.out.as_json:
        command.out.json({"kind": args.what, "file": str(path), "written": work.written})
    else:
        command.out.message(f"{work.written} things written to {path}.")
    command.out.message("This file holds private text in clear: whoever gets it can read it.")
    return 0


class _Remembered:
    """What one familiar has, as pieces of a file. `written` counts turns, facts, memories and the like."""

    def __init__(self, command: Command, services: Services, hosted: Hosted) -> None:
        self._command = command
        self._services = services
        self._vault = services.vault
        self._hosted = hosted
        self.written = 0

    async def pieces(self, what: str) -> AsyncIterator[bytes]:
        """Return the pieces. Raises UserError for a person nobody knows, before anything is written."""
        if what == "facts":
            return self._lines(self._facts())
        if what == "person":
            return self._object(await self._person(self._command.args.person))
        return self._object(await self._everything())

    async def _person(self, key: PersonKey) -> dict[str, Any]:
        row = await self._vault.person_pages.get(self._hosted.id, await self._vault.people.spelt(key))
        if row is None:
            raise UserError("Nobody is known by this key.", "Look up the keys with 'familiar person list'.")
        sheet = await self._sheet(row)
        return {
            **{name: sheet[name] for name in ("key", "label", "identities", "names", "privacy", "dossier")},
            "turns": self._turns(await self._channels(), by=frozenset(row.identities)),
            "facts": self._facts(about=frozenset(row.identities)),
            "memories": self._memories(row.identities),
        }

    async def _everything(self) -> dict[str, Any]:
        hosted, profile = self._hosted, self._command.gate.profile
        books = await asyncio.to_thread(shelved_books, profile, self._command)
        channels = await self._channels()
        return {
            "familiar": {"id": hosted.id, "name": hosted.name},
            "card": card_to_json(profile.card(hosted.id), "card-v3"),
            "lorebooks": [book_shape(place, shelved) for place, shelved in books],
            "channels": [{"key": one.key, "title": one.title, "guild": one.guild} for one in channels.values()],
            "people": self._people(),
            "turns": self._turns(channels),
            "facts": self._facts(),
            "memories": self._memories(),
            "reflections": self._reflections(channels),
            "summaries": self._summaries(channels),
        }

    async def _lines(self, items: _Items) -> AsyncIterator[bytes]:
        async for item in items:
            yield f"{self._text(item)}\n".encode()

    async def _object(self, fields: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """Yield one JSON object; what comes bit by bit is a list in it."""
        for number, (name, value) in enumerate(fields.items()):
            yield f"{',' if number else '{'}\n{json.dumps(name)}: ".encode()
            if not isinstance(value, AsyncIterator):
                yield _json(value).encode()
                continue
            first = True
            async for item in value:
                yield f"{'[' if first else ','}\n{self._text(item)}".encode()
                first = False
            yield b"[]" if first else b"]"
        yield b"\n}\n"

    def _text(self, item: Mapping[str, Any]) -> str:
        self.written += 1
        if self.written % _PAGE == 0:
            self._command.out.progress(f"{self.written} things written")
        return _json(item)

    async def _channels(self) -> dict[ChannelId, Channel]:
        return {one.channel.id: one.channel for one in await heard(self._services, self._hosted.id)}

    async def _turns(self, channels: Mapping[ChannelId, Channel], by: frozenset[PersonKey] | None = None) -> _Items:
        async for chunk in self._vault.turns.stream():
            for turn in chunk:
                said_by = by is None or (turn.author is not None and turn.author.key in by)
                if turn.channel in channels and said_by and reason_to_leave_out(turn) is None:
                    yield turn_shape(turn)

    async def _facts(self, about: frozenset[PersonKey] | None = None) -> _Items:
        last = 0
        while found := await self._vault.facts.after(self._hosted.id, last, limit=_PAGE):
            last = found[-1].id
            meant = [one for one in found if about is None or any(s.key in about for s in one.subjects)]
            for shape in await self._fact_shapes(meant):
                yield shape

    async def _fact_shapes(self, facts: list[Fact]) -> list[dict[str, Any]]:
        labels = await self._vault.facts.labels(facts)
        return [fact_shape(fact, own_names(self._services, labels[fact.id])) for fact in facts]

    async def _memories(self, owners: tuple[PersonKey, ...] | None = None) -> _Items:
        decay, now = decay_of(self._hosted), self._services.clock.now()
        for owner in owners or (None,):
            question = MemoryQuestion(
                self._hosted.config.lineage,
                scope=None if owner is None else Scope.PERSONAL,
                owner=owner,
                include_retired=True,
                include_private=True,
                limit=_ALL,
            )
            for memory in await self._vault.saved_memories.list(question):
                yield memory_shape(memory, now, decay)

    async def _people(self) -> _Items:
        for row in await self._vault.person_pages.list(self._hosted.id):
            yield await self._sheet(row)

    async def _sheet(self, row: PersonRow) -> dict[str, Any]:
        people = [await self._vault.people.get(one) for one in row.identities]
        dossier = await self._vault.projections.dossier(self._hosted.id, row.key)
        return person_shape(row) | {
            "label": own_names(self._services, {row.key: row.label})[row.key],
            "identities": list(row.identities),
            "names": [name_shape(span) for one in people if one is not None for span in one.names],
            "dossier": dossier_shape(dossier),
        }

    async def _reflections(self, channels: Mapping[ChannelId, Channel]) -> _Items:
        keys = {number: channel.key for number, channel in channels.items()}
        for reflection in await self._vault.projections.reflections(self._hosted.id, limit=_ALL):
            yield reflection_shape(reflection, keys)

    async def _summaries(self, channels: Mapping[ChannelId, Channel]) -> _Items:
        for number, channel in channels.items():
            summary = await self._vault.projections.summary(self._hosted.id, number)
            if summary is not None:
                at = format_time(summary.created_at)
                yield {"channel": channel.key, "text": summary.text, "created_at": at}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
