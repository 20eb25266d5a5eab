"""Bringing turns into the log: all or nothing for bad lines, nothing twice, each channel to whom it belongs."""

from __future__ import annotations

import asyncio
import io
import json
import os
import threading
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError, OutsideError, UserError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from familiar_app.interchange import known_turns, turn_import
from familiar_app.interchange.known_turns import KnownTurns, fingerprint
from familiar_app.interchange.turn_export import export_turns, write_turns
from familiar_app.interchange.turn_format import find_turn_format, turn_reader
from familiar_app.interchange.turn_import import ImportReport, TurnImport
from familiar_app.interchange.turn_record import ReadOptions
from familiar_app.interchange.turn_source import TurnSource, source_from_path, source_from_pipe

ARIA = FamiliarId("aria")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Count:
    added: int
    skipped: int
    unkept: int = 0


class Log:
    """A log in memory that knows message ids as the vault does."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.turns: list[Turn] = []
        self.batches: list[int] = []

    async def append_many(self, turns: Sequence[NewTurn]) -> Count:
        self.batches.append(len(turns))
        before = len(self.turns)
        for new in turns:
            there = {(t.channel, t.message_id) for t in self.turns if t.message_id is not None}
            if (new.channel, new.message_id) not in there:
                self.turns.append(self._stored(new))
        return Count(len(self.turns) - before, len(turns) - (len(self.turns) - before))

    def _stored(self, new: NewTurn) -> Turn:
        return Turn(
            id=TurnId(len(self.turns) + 1),
            channel=new.channel,
            channel_key=self.book.channels[new.channel - 1].key,
            role=new.role,
            content=new.content,
            at=new.at,
            arrived_at=NOW,
            author=new.author,
            familiar=new.familiar,
            guild=new.guild,
            message_id=new.message_id,
            reply_to=new.reply_to,
            mode=new.mode,
        )

    async def stream(
        self, channel: ChannelId | None = None, *, chunk: int = 1000, inactive: bool = False, hidden: bool = False
    ) -> AsyncIterator[list[Turn]]:
        yield [turn for turn in self.turns if channel in (None, turn.channel)]


class Book:
    """Channels in memory."""

    def __init__(self) -> None:
        self.channels: list[Channel] = []
        self.heard: set[tuple[ChannelId, FamiliarId]] = set()
        self.unread: set[ChannelId] = set()
        self.marked: list[ChannelId] = []

    async def find(self, key: ChannelKey, *, familiar: FamiliarId | None = None) -> Channel | None:
        return next((c for c in self.channels if (c.key, c.familiar) == (key, familiar)), None)

    async def ensure(
        self, key: ChannelKey, *, familiar: FamiliarId | None = None, title: str | None = None, guild: str | None = None
    ) -> Channel:
        found = await self.find(key, familiar=familiar)
        if found is None:
            found = Channel(ChannelId(len(self.channels) + 1), key, familiar, title or key, guild)
            self.channels.append(found)
        return found

    async def subscribe(self, id: ChannelId, familiar: FamiliarId) -> None:  # noqa: A002
        self.heard.add((id, familiar))

    async def is_read(self, id: ChannelId) -> bool:  # noqa: A002
        return id not in self.unread

    async def mark_all_read(self, id: ChannelId) -> None:  # noqa: A002
        self.marked.append(id)


@pytest.fixture
def log() -> Log:
    return Log(Book())


async def bring(
    log: Log,
    source: TurnSource | Path | list[dict[str, object]],
    *,
    familiar: FamiliarId = ARIA,
    steps: list[tuple[str, int, int | None]] | None = None,
    dry_run: bool = False,
    skip_bad_lines: bool = False,
    channel: str | None = None,
    own_key: str | None = None,
) -> ImportReport:
    if isinstance(source, list):
        source = source_from_pipe(io.BytesIO(b"".join(json.dumps(value).encode() + b"\n" for value in source)))
    elif isinstance(source, Path):
        source = source_from_path(source)
    format_name = find_turn_format(source)
    work = TurnImport(
        source,
        turn_reader(format_name),
        format_name=format_name,
        familiar=familiar,
        options=ReadOptions("Aria", source.name, ChannelKey(channel) if channel else None, own_key),
        log=log,
        channels=log.book,
        progress=lambda *step: None if steps is None else steps.append(step),
    )
    return await work.run(dry_run=dry_run, skip_bad_lines=skip_bad_lines)


def line(number: int, **changes: object) -> dict[str, object]:
    value = {
        "channel": "discord:10",
        "author": {"key": "discord:1", "name": "Ann"},
        "role": "user",
        "content": f"text {number}",
        "at": "2024-05-01T12:00:00Z",
        "message_id": str(number),
    }
    return value | changes


async def test_turns_arrive_in_order_with_all_they_have(log: Log) -> None:
    extra = {"guild": "discord:1", "reply_to": "0", "mode": "text"}
    report = await bring(log, [line(1, **extra), line(2)])
    assert (report.taken, report.already_there, report.channels) == (2, 0, ["discord:10"])
    first, second = log.turns
    assert (first.content, first.guild, first.reply_to, first.mode) == ("text 1", "discord:1", "0", "text")
    assert (first.author, first.familiar) == (Author(PersonKey("discord:1"), "Ann"), None)
    assert (second.content, second.guild, second.mode) == ("text 2", None, None)


async def test_a_second_import_takes_only_what_is_new(log: Log) -> None:
    await bring(log, [line(1), line(2)])
    report = await bring(log, [line(1), line(2), line(3)])
    assert (report.taken, report.already_there) == (1, 2)
    assert [turn.message_id for turn in log.turns] == ["1", "2", "3"]


async def test_turns_without_an_id_are_not_taken_twice_but_may_be_said_twice(log: Log) -> None:
    said = [line(1, message_id=None), line(1, message_id=None), line(2, message_id=None)]
    first = await bring(log, said)
    assert (first.taken, first.already_there) == (3, 0)
    again = await bring(log, [*said, line(1, message_id=None)])
    assert (again.taken, again.already_there) == (1, 3)
    assert [turn.content for turn in log.turns] == ["text 1", "text 1", "text 2", "text 1"]


async def test_an_import_cut_short_is_completed_by_another(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_import, "CHUNK_TURNS", 2)
    said = [line(n, message_id=str(n) if n % 2 else None) for n in range(7)]

    class PulledOutError(Exception): ...

    def stop_after_four(step: str, done: int, total: int | None) -> None:
        if (step, done) == ("stored", 4):
            raise PulledOutError

    source = source_from_pipe(io.BytesIO(b"".join(json.dumps(value).encode() + b"\n" for value in said)))
    work = TurnImport(
        source,
        turn_reader("jsonl"),
        format_name="jsonl",
        familiar=ARIA,
        options=ReadOptions("Aria", "x"),
        log=log,
        channels=log.book,
        progress=stop_after_four,
    )
    with pytest.raises(PulledOutError):
        await work.run()
    assert len(log.turns) == 4
    report = await bring(log, said)
    assert (report.taken, report.already_there) == (3, 4)
    assert Counter(turn.content for turn in log.turns) == Counter(f"text {n}" for n in range(7))


async def test_a_bad_line_stops_everything_before_it_begins(log: Log) -> None:
    with pytest.raises(BadInputError) as caught:
        await bring(log, [*(line(n) for n in range(2500)), line(9, role="king"), line(10, at="x")])
    error = caught.value
    assert (error.line, error.field) == (2501, "role")
    assert "1 more cannot be read either" in error.message
    assert "--skip-bad-lines" in error.next_step
    assert (log.turns, log.book.channels) == ([], [])


async def test_bad_lines_can_be_left_out(log: Log) -> None:
    report = await bring(log, [line(1), line(2, role="king"), line(3)], skip_bad_lines=True)
    assert (report.taken, report.read.bad_lines) == (2, 1)
    assert [error.line for error in report.read.first_bad_lines] == [2]
    assert [turn.message_id for turn in log.turns] == ["1", "3"]


async def test_a_trial_run_counts_and_stores_nothing(log: Log) -> None:
    await bring(log, [line(1), line(2, message_id=None)])
    report = await bring(log, [line(1), line(2, message_id=None), line(3)], dry_run=True)
    assert (report.taken, report.already_there, report.dry_run) == (1, 2, True)
    assert len(log.turns) == 2


async def test_assistant_turns_become_the_familiars_own(log: Log) -> None:
    bot = {"key": "discord:99", "name": "Bot", "bot": True}
    own = {"key": "ego:aria", "name": "Aria the First"}
    await bring(
        log,
        [
            line(1, role="assistant", author=bot),
            line(2, role="assistant", author=None),
            line(3, role="assistant", author=own),
            line(4, author=bot),
        ],
    )
    assert [(t.familiar, t.author.key, t.author.name) for t in log.turns if t.author] == [
        ("aria", "ego:aria", "Bot"),
        ("aria", "ego:aria", "Aria"),
        ("aria", "ego:aria", "Aria the First"),
        (None, "discord:99", "Bot"),
    ]


async def test_local_channels_are_owned_and_others_heard(log: Log) -> None:
    await bring(log, [line(1), line(2, channel="local:main")])
    await bring(log, [line(1), line(2, channel="local:main")], familiar=FamiliarId("bell"))
    assert [(c.key, c.familiar) for c in log.book.channels] == [
        ("discord:10", None),
        ("local:main", "aria"),
        ("local:main", "bell"),
    ]
    assert log.book.heard == {(1, "aria"), (1, "bell")}
    assert [turn.channel for turn in log.turns] == [1, 2, 3]


async def test_chunks_are_bounded_by_number_and_size(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_import, "CHUNK_TURNS", 10)
    monkeypatch.setattr(turn_import, "CHUNK_CHARS", 1000)
    await bring(log, [*(line(n) for n in range(25)), *(line(n, content="x" * 600) for n in range(100, 103))])
    assert log.batches == [10, 10, 7, 1]


async def test_progress_speaks_only_of_what_is_stored(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_import, "CHUNK_TURNS", 2)
    steps: list[tuple[str, int, int | None]] = []
    await bring(log, [line(n) for n in range(3)], steps=steps)
    assert steps == [("read", 2, None), ("read", 3, None), ("stored", 2, 3), ("stored", 3, 3)]


async def test_parsing_stays_off_the_loops_thread(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set()
    original = turn_import._next_chunk

    def spy(records):  # type: ignore[no-untyped-def]
        threads.add(threading.current_thread())
        return original(records)

    monkeypatch.setattr(turn_import, "_next_chunk", spy)
    await bring(log, [line(1)])
    assert threads
    assert threading.main_thread() not in threads


async def test_a_file_that_changes_in_between_is_refused(log: Log, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(line(1)) + "\n")
    source = source_from_path(path)
    source.open().close()
    path.write_text(json.dumps(line(1)) + "\n{}\n")
    with pytest.raises(OutsideError, match="changed while it was read"):
        source.open()


@pytest.mark.parametrize("while_it_is", ["read", "stored"])
async def test_a_file_that_changes_while_it_is_open_is_told(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, while_it_is: str
) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(line(n)) + "\n" for n in range(6000)))
    monkeypatch.setattr(turn_import, "CHUNK_TURNS", 1000)

    class Cut(list[tuple[str, int, int | None]]):
        def append(self, step: tuple[str, int, int | None]) -> None:
            if step[:2] == (while_it_is, 1000):
                os.truncate(path, path.stat().st_size // 2)

    with pytest.raises(OutsideError, match="changed while it was read") as raised:
        await bring(log, path, steps=Cut(), skip_bad_lines=True)
    assert ("is kept" in raised.value.next_step) == bool(log.turns) == (while_it_is == "stored")


async def test_a_disk_that_fails_in_the_middle_is_told(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("".join(json.dumps(line(n)) + "\n" for n in range(3)))
    source = source_from_path(path)
    find_turn_format(source)

    class Failing(io.FileIO):
        def readline(self, _size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(TurnSource, "open", lambda _: Failing(path))
    monkeypatch.setattr("tests.unit.interchange.test_turns_import.find_turn_format", lambda _: "jsonl")
    with pytest.raises(OutsideError, match=r"cannot be read: Input/output error"):
        await bring(log, source)


async def test_what_is_stored_as_somebody_stops_it_is_told(log: Log) -> None:
    begun, steps = asyncio.Event(), []
    stored = log.append_many

    async def append_many(turns: Sequence[NewTurn]) -> Count:
        begun.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return await stored(turns)

    log.append_many = append_many  # type: ignore[method-assign]
    work = asyncio.create_task(bring(log, [line(n) for n in range(3)], steps=steps))
    await begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert len(log.turns) == 3
    assert steps[-1] == ("stored", 3, 3)


async def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        source_from_path(tmp_path / "none.jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX systems")
async def test_a_named_pipe_is_read_once_and_held(log: Log, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = asyncio.create_task(asyncio.to_thread(pipe.write_text, json.dumps(line(1)) + "\n"))
    source = await asyncio.to_thread(source_from_path, pipe)
    await writer
    assert (await bring(log, source)).taken == 1


async def test_a_pipe_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("familiar_app.interchange.turn_source.MAX_PIPE_BYTES", 10)
    assert source_from_pipe(io.BytesIO(b"x" * 10)).data == b"x" * 10
    with pytest.raises(BadInputError, match="through a pipe"):
        source_from_pipe(io.BytesIO(b"x" * 11))


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b'{"channel": "a", "role": "user"}\n', "jsonl"),
        (b'\xef\xbb\xbf\n{"anything": 1}', "jsonl"),
        (b'{"channel": broken\n', "jsonl"),
        (b'{"user_name": "You", "character_name": "Aria"}\n{"mes": "x"}', "sillytavern-chat"),
        (b'{\n  "guild": {"id": "1"},\n  "channel": {"id": "2"}', "discord-chat-exporter"),
        (b'{"guild": {}, "channel": {}, "messages": []}', "discord-chat-exporter"),
    ],
)
def test_the_format_is_found_out(start: bytes, name: str) -> None:
    assert find_turn_format(source_from_pipe(io.BytesIO(start))) == name


@pytest.mark.parametrize("start", [b"", b"\n\n", b"\x89PNG\r\n", b"hello", b"[]", b'{\n "entries": {}}'])
def test_other_files_are_no_turns(start: bytes) -> None:
    with pytest.raises(BadInputError):
        find_turn_format(source_from_pipe(io.BytesIO(start)))


async def exported(log: Log, turns: Sequence[Turn]) -> tuple[bytes, Counter[str], int]:
    async def chunks() -> AsyncIterator[Sequence[Turn]]:
        yield turns

    stream = io.BytesIO()
    report = await write_turns(chunks(), stream, lambda _done: None)
    return stream.getvalue(), report.left_out, report.written


async def test_export_and_import_into_another_log_export_the_same_bytes(log: Log) -> None:
    await bring(
        log,
        [
            line(1, guild="discord:1"),
            line(2, role="assistant", author={"key": "ego:aria", "name": "Aria"}, message_id=None),
            line(3, channel="local:main", role="tool", author=None, content="\x00\U0001f98a\n", mode="voice"),
        ],
    )
    data, _, written = await exported(log, log.turns)
    assert written == 3
    other = Log(Book())
    await bring(other, source_from_pipe(io.BytesIO(data)))
    assert (await exported(other, other.turns))[0] == data


async def test_an_export_leaves_out_what_is_not_part_of_the_conversation(log: Log) -> None:
    await bring(log, [line(n) for n in range(5)])
    kept, erased, removed, replaced, decision = log.turns
    data, left_out, written = await exported(
        log,
        [
            kept,
            replace(erased, deleted=True, content=""),
            replace(removed, hidden=True),
            replace(replaced, active=False),
            replace(decision, role=Role.OPERATOR),
        ],
    )
    assert [json.loads(text)["message_id"] for text in data.splitlines()] == ["0"]
    assert (written, left_out.total(), len(left_out)) == (1, 4, 4)


def names_in(folder: Path) -> list[str]:
    return [item.name for item in folder.iterdir()]


async def empty() -> AsyncIterator[Sequence[Turn]]:
    for nothing in ():
        yield nothing


async def test_an_export_never_writes_over_a_file_unasked(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("mine")
    with pytest.raises(UserError, match="exists already") as caught:
        await export_turns(empty(), path, overwrite=False, progress=lambda _done: None)
    assert "--force" in caught.value.next_step
    assert path.read_text() == "mine"
    await export_turns(empty(), path, overwrite=True, progress=lambda _done: None)
    assert path.read_text() == ""
    assert names_in(tmp_path) == ["out.jsonl"]


async def test_a_failed_export_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("mine")

    async def failing() -> AsyncIterator[Sequence[Turn]]:
        yield []
        raise OutsideError("the vault is damaged")

    with pytest.raises(OutsideError, match="damaged"):
        await export_turns(failing(), path, overwrite=True, progress=lambda _done: None)
    assert path.read_text() == "mine"
    assert names_in(tmp_path) == ["out.jsonl"]


async def test_an_export_into_a_missing_folder_is_an_outside_error(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match="cannot be written"):
        await export_turns(empty(), tmp_path / "none" / "x", overwrite=False, progress=lambda _done: None)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), max_size=12), st.data())
def test_each_known_turn_is_taken_once(said: list[tuple[str, int]], data: st.DataObject) -> None:
    def mark(item: tuple[str, int]) -> int:
        return fingerprint(ChannelKey("c"), "user", None, NOW, f"{item[0]}{item[1]}", None)

    async def load() -> KnownTurns:
        async def chunks() -> AsyncIterator[list[Turn]]:
            yield [
                Turn(TurnId(1), ChannelId(1), ChannelKey("c"), Role.USER, f"{text}{n}", NOW, NOW) for text, n in said
            ]

        known = KnownTurns()
        await known.load(chunks(), with_ids=False)
        return known

    known = asyncio.run(load())
    offered = data.draw(st.permutations([*said, *said, ("z", 9)]))
    taken = Counter(item for item in offered if known.take(mark(item)))
    assert taken == Counter(said)


async def test_a_long_log_is_never_put_in_order_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def in_order(found: Sequence[int]) -> list[int]:
        sizes.append(len(found))
        return sorted(found)

    monkeypatch.setattr(known_turns, "sorted", in_order, raising=False)
    known, keys = KnownTurns(), [ChannelKey(f"discord:{number}") for number in range(20)]
    for key in keys:

        async def chunks(key: ChannelKey = key) -> AsyncIterator[list[Turn]]:
            yield [Turn(TurnId(n), ChannelId(1), key, Role.USER, str(n), NOW, NOW) for n in range(1000)]

        await known.load(chunks(), with_ids=False)
    marks = [fingerprint(key, "user", None, NOW, str(n), None) for key in keys for n in range(1000)]
    assert all(known.take(mark) for mark in marks)
    assert not any(known.take(mark) for mark in marks)
    assert sum(sizes) == len(known) == len(marks)
    assert max(sizes) < len(marks) / 50


def test_a_folder_is_no_file_of_turns(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="a folder") as caught:
        source_from_path(tmp_path)
    assert caught.value.next_step == "Name a file in it."


async def test_imported_turns_count_as_read_where_nothing_else_waited(log: Log) -> None:
    waiting = await log.book.ensure(ChannelKey("discord:5"))
    log.book.unread.add(waiting.id)
    turn = {"role": "user", "content": "Hi", "at": "2020-01-01T00:00:00Z"}
    await bring(log, [{**turn, "channel": key} for key in ("discord:5", "discord:6")])
    [fresh] = [one for one in log.book.channels if one.key == "discord:6"]
    assert log.book.marked == [fresh.id]
