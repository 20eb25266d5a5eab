"""Bringing in a chat of another program: what is in its file, who is who in it, and where it goes. Without Qt.

Looking writes nothing. What is brought in is checked and stored by the import that the command line uses.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from familiar_app.domain.errors import BadInputError, StoppedByUserError, UserError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Role
from familiar_app.interchange.kind_of_file import FileKind, kind_of_file
from familiar_app.interchange.turn_format import find_turn_format, turn_reader
from familiar_app.interchange.turn_import import ImportReport, Progress, TurnImport
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnReader, TurnRecord
from familiar_app.interchange.turn_source import TurnSource, source_from_path
from familiar_app.ui.chat.cast import Cast, speaker_key

if TYPE_CHECKING:
    from familiar_app.domain.ids import FamiliarId
    from familiar_app.store.vault import Vault

TELL_EACH = 2000
MOST_SPEAKERS = 5000


@dataclass(slots=True)
class Speaker:
    """Somebody in a file. `own` counts the turns that the file takes for a familiar's own."""

    key: str
    name: str
    turns: int = 0
    own: int = 0
    bot: bool = False


@dataclass(slots=True)
class Seen:
    """What is in a file. `channels` has the names that the file gives them; `read` what cannot come over as it is."""

    format: str
    turns: int = 0
    speakers: dict[str, Speaker] = field(default_factory=dict)
    channels: dict[ChannelKey, str | None] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None
    read: ReadReport = field(default_factory=ReadReport)

    def note(self, record: TurnRecord) -> None:
        """Take in one turn."""
        self.turns += 1
        self.channels.setdefault(record.channel, record.channel_title)
        self.first = record.at if self.first is None else min(self.first, record.at)
        self.last = record.at if self.last is None else max(self.last, record.at)
        if record.role not in (Role.USER, Role.ASSISTANT):
            return
        key = speaker_key(record)
        speaker = self.speakers.get(key)
        if speaker is None:
            if len(self.speakers) >= MOST_SPEAKERS:
                return
            name = record.author.name if record.author is not None else ""
            speaker = self.speakers[key] = Speaker(key, name, bot=record.author is not None and record.author.bot)
        speaker.turns += 1
        speaker.own += record.role is Role.ASSISTANT

    def by_turns(self) -> list[Speaker]:
        """Return the speakers, whoever said most first."""
        return sorted(self.speakers.values(), key=lambda one: -one.turns)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person decided: who is who, and the channel; None leaves the file's own channels.

    With a `title` the channel is a new one, which its first message makes.
    """

    cast: Cast
    channel: ChannelKey | None = None
    title: str | None = None


class Bringing:
    """One file on its way to one familiar."""

    def __init__(self, vault: Vault, familiar: FamiliarId, name: str, path: Path, zone: tzinfo = UTC) -> None:
        self._vault, self._familiar, self._name, self.path, self._zone = vault, familiar, name, path, zone
        self._source: TurnSource | None = None
        self._format = ""

    async def look(self, progress: Callable[[int], object]) -> Seen:
        """Read the whole file in a thread and say what is in it. Raises UserError, OutsideError."""
        stop, loop = threading.Event(), asyncio.get_running_loop()

        def told(turns: int) -> None:
            if stop.is_set():
                raise StoppedByUserError("Nobody waits for this any more.")
            loop.call_soon_threadsafe(progress, turns)

        try:
            return await asyncio.to_thread(self._look, told)
        finally:
            stop.set()

    def _look(self, told: Callable[[int], object]) -> Seen:
        self._source = source_from_path(self.path)
        self._format = _format_of(self.path, self._source)
        seen = Seen(self._format)
        options = ReadOptions(self._name, self._source.name, zone=self._zone)
        with self._source.open() as stream, self._source.watched(stream):
            for record in turn_reader(self._format)(stream, options, seen.read):
                seen.note(record)
                if seen.turns % TELL_EACH == 0:
                    told(seen.turns)
        if not seen.turns:
            raise UserError(tr("Nothing in this file can be brought in."), _first_reason(seen.read))
        return seen

    async def run(self, choice: Choice, progress: Progress) -> ImportReport:
        """Store what was looked at; lines that cannot be read are left out. Raises UserError, OutsideError."""
        if self._source is None:
            raise UserError(tr("This file was not looked into yet."), tr("Choose it again."))
        own = choice.cast.familiar
        own_key = next(iter(own)) if len(own) == 1 else None
        options = ReadOptions(self._name, self._source.name, choice.channel, own_key, self._zone)
        work = TurnImport(
            self._source,
            cast_reader(turn_reader(self._format), choice),
            format_name=self._format,
            familiar=self._familiar,
            options=options,
            log=self._vault.turns,
            channels=self._vault.channels,
            progress=progress,
        )
        return await work.run(skip_bad_lines=True)


def cast_reader(reader: TurnReader, choice: Choice) -> TurnReader:
    """Return a reader whose turns are said by whom the person chose, in the channel that was chosen."""

    def read(stream: BinaryIO, options: ReadOptions, report: ReadReport) -> Iterator[TurnRecord]:
        for record in reader(stream, options, report):
            yield _placed(choice.cast.applied(record), choice)

    return read


def _placed(record: TurnRecord, choice: Choice) -> TurnRecord:
    if choice.channel is None:
        return record
    # A channel of the window belongs to no server, and keeps the name it has.
    return replace(record, channel=choice.channel, channel_title=choice.title, guild=None)


def _format_of(path: Path, source: TurnSource) -> str:
    # What is told by the beginning of a file comes first: reading a large one as a whole would hold up the window.
    try:
        found = find_turn_format(source)
    except BadInputError:
        refuse_others(kind_of_file(path))
        raise
    if found == "jsonl" and path.suffix.lower() != ".jsonl":
        refuse_others(kind_of_file(path))
    return found


def refuse_others(kind: FileKind) -> None:
    """Say where a file belongs that holds no chat. Raises UserError."""
    if kind == "lorebook":
        raise UserError(tr("This file is a lorebook, not a chat."), tr("Import it on the lorebook's page."))
    if kind == "card":
        raise UserError(tr("This file is a character card, not a chat."), tr("Import it on the character's page."))
    if kind == "memories":
        raise UserError(tr("This file has memories, not a chat."), tr("Import it by 'familiar memory import'."))


def _first_reason(read: ReadReport) -> str:
    return read.first_bad_lines[0].message if read.first_bad_lines else tr("It has no messages.")
