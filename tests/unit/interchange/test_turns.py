"""Turns as JSON Lines: what a line may hold, what is refused and how, and that writing and reading keep everything."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.ids import ChannelId, ChannelKey, PersonKey, TurnId
from familiar_app.domain.turn import Author, Role, Turn
from familiar_app.interchange.line import MAX_LINE_BYTES, numbered_lines
from familiar_app.interchange.turn_record import MAX_KINDS, ReadOptions, ReadReport, TurnRecord
from familiar_app.interchange.turns import read_turns, render_turn

OPTIONS = ReadOptions("Aria", "chat.jsonl")
GOOD = {
    "channel": "discord:10",
    "guild": "discord:1",
    "author": {"key": "discord:123", "name": "Ann", "username": "ann", "bot": False},
    "role": "user",
    "content": "Hello",
    "at": "2024-05-01T12:00:00Z",
    "message_id": "7",
    "reply_to": "6",
    "mode": "text",
}


def read(data: bytes) -> tuple[list[TurnRecord], ReadReport]:
    report = ReadReport()
    return list(read_turns(io.BytesIO(data), OPTIONS, report)), report


def line(**changes: object) -> bytes:
    return json.dumps(GOOD | changes).encode() + b"\n"


def test_a_full_line_is_read_field_by_field() -> None:
    records, report = read(line())
    assert records == [
        TurnRecord(
            channel=ChannelKey("discord:10"),
            role=Role.USER,
            content="Hello",
            at=datetime(2024, 5, 1, 12, tzinfo=UTC),
            author=Author(PersonKey("discord:123"), "Ann", username="ann"),
            guild="discord:1",
            message_id="7",
            reply_to="6",
            mode="text",
        )
    ]
    assert report == ReadReport()


def test_only_four_fields_are_needed() -> None:
    records, _ = read(b'{"channel": "local:main", "role": "system", "content": "", "at": "2024-05-01"}')
    assert records == [
        TurnRecord(ChannelKey("local:main"), Role.SYSTEM, "", datetime(2024, 5, 1, tzinfo=UTC)),
    ]


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2024-05-01T12:00:00", datetime(2024, 5, 1, 12, tzinfo=UTC)),
        ("2024-05-01T12:00:00+02:00", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T12:00:00.250Z", datetime(2024, 5, 1, 12, 0, 0, 250_000, tzinfo=UTC)),
    ],
)
def test_times_are_utc(text: str, instant: datetime) -> None:
    assert read(line(at=text))[0][0].at == instant


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ({"key": "pk:9"}, Author(PersonKey("pk:9"), "9")),
        ({"key": "pk:9", "username": "u", "name": None, "bot": None}, Author(PersonKey("pk:9"), "u", username="u")),
        ({"key": "import:a b", "name": "A", "bot": True}, Author(PersonKey("import:a b"), "A", bot=True)),
    ],
)
def test_what_an_author_lacks_is_made_up(author: object, expected: Author) -> None:
    assert read(line(author=author))[0][0].author == expected


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"role": "operator"}, "role", "one of user, assistant, system, tool"),
        ({"role": None}, "role", "one of"),
        ({"role": ["user"]}, "role", "one of"),
        ({"content": None}, "content", "has to be text"),
        ({"content": 3}, "content", "has to be text"),
        ({"content": "\ud800"}, "content", "surrogate"),
        ({"at": "yesterday"}, "at", "not an ISO 8601"),
        ({"at": 1714564800}, "at", "ISO 8601"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "at", "not an ISO 8601"),
        ({"channel": ""}, "channel", "missing or empty"),
        ({"channel": "x" * 257}, "channel", "longer than 256"),
        ({"channel": "a\nb"}, "channel", "control characters"),
        ({"message_id": 7}, "message_id", "text or null"),
        ({"guild": "\ud800"}, "guild", "control characters"),
        ({"author": "Ann"}, "author", "object or null"),
        ({"author": {}}, "author.key", "missing or empty"),
        ({"author": {"key": "Ann"}}, "author.key", "platform:id"),
        ({"author": {"key": "discord:"}}, "author.key", "platform:id"),
        ({"author": {"key": "ego:aria"}}, "author.key", "only an assistant turn"),
        ({"author": {"key": "pk:1", "bot": "yes"}}, "author.bot", "true, false or null"),
    ],
)
def test_a_field_that_cannot_be_taken_is_named(changes: dict[str, object], field: str, reason: str) -> None:
    records, report = read(line() + line(**changes) + line())
    assert len(records) == 2
    [error] = report.first_bad_lines
    assert (error.source, error.line, error.field) == ("chat.jsonl", 2, field)
    assert reason in error.reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"channel": "a', "not JSON"),
        (b"[1]", "one JSON object"),
        (b'{"content": "\xff"}', "not UTF-8 text (byte 14 of the line)"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": NaN}', "number that cannot be read"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number that cannot be read"),
        (b'{"content": "' + b"x" * MAX_LINE_BYTES + b'"}', "longer than 4 MiB"),
    ],
)
def test_a_line_that_is_no_object_is_named_and_the_next_is_read(data: bytes, reason: str) -> None:
    records, report = read(b"\n" + data + b"\r\n" + line())
    assert [record.content for record in records] == ["Hello"]
    [error] = report.first_bad_lines
    assert error.line == 2
    assert reason in error.reason


def test_a_byte_order_mark_blank_lines_and_carriage_returns_are_no_trouble() -> None:
    records, report = read(b"\xef\xbb\xbf" + line().replace(b"\n", b"\r\n") + b"  \r\n\n" + line(message_id="8")[:-1])
    assert [record.message_id for record in records] == ["7", "8"]
    assert not report.bad_lines


def test_unknown_keys_are_counted_and_their_number_is_bounded() -> None:
    author = dict(GOOD["author"], colour="red")  # type: ignore[call-overload]
    records, report = read(line(mood="calm", author=author) + line(mood="calm"))
    assert len(records) == 2
    assert report.lost == {"unknown key mood": 2, "unknown key author.colour": 1}
    _, report = read(b"".join(line(**{f"k{n}": 1}) for n in range(200)))
    assert len(report.lost) == MAX_KINDS + 1
    assert report.lost.total() == 200


def test_only_the_first_bad_lines_are_kept() -> None:
    _, report = read(b"{}\n" * 1000)
    assert report.bad_lines == 1000
    assert [error.line for error in report.first_bad_lines] == list(range(1, 21))


def test_a_line_of_the_longest_length_is_read() -> None:
    exact = b"x" * (MAX_LINE_BYTES - 1)
    assert [n for n, text in numbered_lines(io.BytesIO(exact + b"\n" + exact + b"yz\nlast")) if text] == [1, 3]


name = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(str.strip)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
when = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))])).filter(
    lambda instant: 1 < instant.year < 9999
)
author_of_people = st.builds(
    Author,
    key=name.map(lambda tail: PersonKey(f"discord:{tail}")),
    name=name,
    username=st.none() | name,
    bot=st.booleans(),
)
turn = st.builds(
    Turn,
    id=st.just(TurnId(1)),
    channel=st.just(ChannelId(1)),
    channel_key=name.map(ChannelKey),
    role=st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM, Role.TOOL]),
    content=text,
    at=when,
    arrived_at=st.just(datetime(2024, 1, 1, tzinfo=UTC)),
    author=st.none() | author_of_people,
    guild=st.none() | name,
    message_id=st.none() | name,
    reply_to=st.none() | name,
    mode=st.none() | name,
)


@given(st.lists(turn, max_size=5))
def test_what_is_written_reads_back_exactly(turns: list[Turn]) -> None:
    data = b"".join(map(render_turn, turns))
    assert data.count(b"\n") == len(turns)
    records, report = read(data)
    assert report == ReadReport()
    fields = ("role", "content", "at", "author", "guild", "message_id", "reply_to", "mode")
    assert [[getattr(record, f) for f in fields] for record in records] == [
        [getattr(one, f) for f in fields] for one in turns
    ]
    assert [record.channel for record in records] == [one.channel_key for one in turns]


@given(st.binary(max_size=300))
def test_no_bytes_end_the_reading(data: bytes) -> None:
    records, report = read(data + b"\n" + line())
    assert records[-1].content == "Hello"
    assert report.bad_lines == len(report.first_bad_lines)
