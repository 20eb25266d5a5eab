"""Bringing turns from a file into the log.

The file is read twice. The first pass checks every line and writes nothing, so a bad line stops the import before
anything has changed. The second stores the turns in transactions of a few thousand, so that memory stays bounded,
a conversation going on at the same time can store its own turns in between, and what progress reports is on disk. An
import that was cut short is completed by running it again: what is in the log already is recognised and skipped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, ego_key, is_local
from familiar_app.domain.text import ntr, tr
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from familiar_app.interchange.known_turns import KnownTurns, fingerprint
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnReader, TurnRecord
from familiar_app.interchange.turn_source import TurnSource

CHUNK_TURNS = 4000
AT_A_TIME = 100
"""So many turns are worked on before the event loop gets its turn: a few milliseconds."""
CHUNK_CHARS = 4_000_000
T = TypeVar("T")
Progress = Callable[[str, int, int | None], None]


class _Counted(Protocol):
    @property
    def added(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def unkept(self) -> int: ...


class TurnLog(Protocol):
    """The part of the log an import needs."""

    async def append_many(self, turns: Sequence[NewTurn]) -> _Counted: ...
    def stream(
        self, channel: ChannelId | None = None, *, chunk: int = 1000, inactive: bool = False, hidden: bool = False
    ) -> AsyncIterable[list[Turn]]: ...


class ChannelBook(Protocol):
    """The part of the channels an import needs."""

    async def ensure(
        self, key: ChannelKey, *, familiar: FamiliarId | None = None, title: str | None = None, guild: str | None = None
    ) -> Channel: ...
    async def find(self, key: ChannelKey, *, familiar: FamiliarId | None = None) -> Channel | None: ...
    async def subscribe(self, id: ChannelId, familiar: FamiliarId) -> None: ...  # noqa: A002 (the store's own name)
    async def is_read(self, id: ChannelId) -> bool: ...  # noqa: A002
    async def mark_all_read(self, id: ChannelId) -> None: ...  # noqa: A002


@dataclass(slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do. `taken` and `already_there` count turns.

    `unkept` counts those of people who want nothing kept; a dry run counts them as taken.
    """

    format: str
    source: str
    dry_run: bool
    taken: int = 0
    already_there: int = 0
    unkept: int = 0
    channels: list[ChannelKey] = field(default_factory=list)
    read: ReadReport = field(default_factory=ReadReport)


@dataclass(slots=True)
class _Survey:
    """What the first pass found: how many turns, which channels, and which of them have turns without an id."""

    turns: int = 0
    channels: dict[ChannelKey, bool] = field(default_factory=dict)


class TurnImport:
    """One import of one file for one familiar, whose name becomes the author of its assistant turns."""

    def __init__(
        self,
        source: TurnSource,
        reader: TurnReader,
        *,
        format_name: str,
        familiar: FamiliarId,
        options: ReadOptions,
        log: TurnLog,
        channels: ChannelBook,
        progress: Progress,
    ) -> None:
        self._source = source
        self._reader = reader
        self._format = format_name
        self._familiar = familiar
        self._options = options
        self._log = log
        self._channels = channels
        self._progress = progress
        self._ids: dict[ChannelKey, ChannelId] = {}
        self._caught_up: list[ChannelId] = []
        self._known = KnownTurns()

    async def run(self, *, dry_run: bool = False, skip_bad_lines: bool = False) -> ImportReport:
        """Check the file, then store its turns; with `dry_run` only count.

        Raises BadInputError for the first bad line unless `skip_bad_lines`; nothing was imported then.
        """
        report = ImportReport(self._format, self._source.name, dry_run)
        survey = await self._check(report.read)
        if report.read.bad_lines and not skip_bad_lines:
            raise _refusal(report.read)
        report.channels = list(survey.channels)
        await self._load_known(survey, with_ids=dry_run)
        done = 0
        for_second_pass = ReadReport()
        try:
            async with aclosing(self._chunks(for_second_pass, kept=not dry_run)) as chunks:
                async for chunk in chunks:
                    stopped = await _to_its_end(self._take(chunk, report))
                    done += len(chunk)
                    self._progress("checked" if dry_run else "stored", done, survey.turns)
                    if stopped is not None:
                        raise stopped
        finally:
            await self._mark_read()
        return report

    async def _mark_read(self) -> None:
        """What was brought in is old; only what had not been read before it stays unread."""
        for channel in self._caught_up:
            await self._channels.mark_all_read(channel)

    async def _chunks(self, read: ReadReport, *, kept: bool = False) -> AsyncGenerator[list[TurnRecord], None]:
        """Yield the file's turns; the next chunk is read in a thread while one is worked on."""
        loop = asyncio.get_running_loop()
        with await asyncio.to_thread(self._source.open) as stream, self._source.watched(stream, kept=kept):
            records = self._reader(stream, self._options, read)
            coming = loop.run_in_executor(None, _next_chunk, records)
            try:
                while chunk := await asyncio.shield(coming):
                    coming = loop.run_in_executor(None, _next_chunk, records)
                    yield chunk
            finally:
                # The thread must be done with the file before it is closed, whatever became of the import.
                await asyncio.gather(coming, return_exceptions=True)

    async def _check(self, read: ReadReport) -> _Survey:
        survey = _Survey()
        async with aclosing(self._chunks(read)) as chunks:
            async for chunk in chunks:
                async for record in _in_turns_with_others(chunk):
                    without_id = record.message_id is None
                    survey.channels[record.channel] = survey.channels.get(record.channel, False) or without_id
                survey.turns += len(chunk)
                self._progress("read", survey.turns, None)
        return survey

    async def _load_known(self, survey: _Survey, *, with_ids: bool) -> None:
        for key, without_id in survey.channels.items():
            if not (without_id or with_ids):
                continue
            channel = await self._channels.find(key, familiar=self._owner(key))
            if channel is not None:
                turns = self._log.stream(channel.id, inactive=True, hidden=True)
                await self._known.load(turns, with_ids=with_ids)

    async def _take(self, chunk: list[TurnRecord], report: ImportReport) -> None:
        new = []
        known = len(self._known) > 0
        async for record in _in_turns_with_others(chunk):
            author = self._author(record)
            if (report.dry_run or record.message_id is None) and known:
                key = author.key if author else None
                mark = fingerprint(record.channel, record.role.value, key, record.at, record.content, record.message_id)
                if self._known.take(mark):
                    report.already_there += 1
                    continue
            new.append((record, author))
        if report.dry_run:
            report.taken += len(new)
            return
        turns = [await self._new_turn(record, author) async for record, author in _in_turns_with_others(new)]
        if turns:
            count = await self._log.append_many(turns)
            report.taken += count.added
            report.already_there += count.skipped
            report.unkept += count.unkept

    def _author(self, record: TurnRecord) -> Author | None:
        """An assistant turn is the familiar's own, whoever said it in the file."""
        if record.role is not Role.ASSISTANT:
            return record.author
        own = ego_key(self._familiar)
        if record.author is None:
            return Author(key=own, name=self._options.familiar_name)
        return record.author if record.author.key == own else replace(record.author, key=own)

    async def _new_turn(self, record: TurnRecord, author: Author | None) -> NewTurn:
        channel = self._ids.get(record.channel)
        if channel is None:
            channel = self._ids[record.channel] = await self._open_channel(record)
        return NewTurn(
            channel=channel,
            role=record.role,
            content=record.content,
            at=record.at,
            author=author,
            familiar=self._familiar if record.role is Role.ASSISTANT else None,
            guild=record.guild,
            message_id=record.message_id,
            reply_to=record.reply_to,
            mode=record.mode,
            attachments=record.attachments,
            others=record.others,
        )

    async def _open_channel(self, record: TurnRecord) -> ChannelId:
        owner = self._owner(record.channel)
        channel = await self._channels.find(record.channel, familiar=owner)
        if channel is None:
            channel = await self._channels.ensure(
                record.channel, familiar=owner, title=record.channel_title, guild=record.guild
            )
        if owner is None:
            await self._channels.subscribe(channel.id, self._familiar)
        if await self._channels.is_read(channel.id):
            self._caught_up.append(channel.id)
        return channel.id

    def _owner(self, key: ChannelKey) -> FamiliarId | None:
        return self._familiar if is_local(key) else None


async def _to_its_end(taking: Coroutine[Any, Any, None]) -> asyncio.CancelledError | None:
    """Await what can no longer be called back. Returns the stop that came meanwhile, to be raised once that is told."""
    task = asyncio.ensure_future(taking)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError as stop:
        await asyncio.wait([task])
        if task.cancelled() or task.exception() is not None:
            raise
        return stop
    return None


async def _in_turns_with_others(items: Sequence[T]) -> AsyncGenerator[T, None]:
    """Yield the items; every now and then the event loop may do something else first."""
    for number, item in enumerate(items):
        if number % AT_A_TIME == AT_A_TIME - 1:
            await asyncio.sleep(0)
        yield item


def _next_chunk(records: Iterator[TurnRecord]) -> list[TurnRecord]:
    chunk: list[TurnRecord] = []
    size = 0
    for record in records:
        chunk.append(record)
        size += len(record.content) + sum(map(len, record.others))
        if len(chunk) >= CHUNK_TURNS or size >= CHUNK_CHARS:
            break
    return chunk


def _refusal(read: ReadReport) -> BadInputError:
    first = read.first_bad_lines[0]
    reason = first.reason
    if read.bad_lines > 1:
        reason = ntr(
            "{reason} {n} more cannot be read either.",
            "{reason} {n} more cannot be read either.",
            read.bad_lines - 1,
            reason=reason,
        )
    return BadInputError(
        reason,
        source=first.source,
        line=first.line,
        field=first.field,
        next_step=tr("Nothing was imported. Mend the file, or leave such lines out with --skip-bad-lines."),
    )
