"""Chats of other programs: SillyTavern and DiscordChatExporter, what is taken of them and what is said to be lost."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.turn import Role
from familiar_app.interchange import json_array
from familiar_app.interchange.discord_chat_exporter import read_discord_chat_exporter
from familiar_app.interchange.json_array import JsonArrayReader
from familiar_app.interchange.sillytavern_chat import read_sillytavern_chat
from familiar_app.interchange.turn_record import ReadOptions, ReadReport, TurnRecord

HEADER = {"user_name": "Sam", "character_name": "Aria", "create_date": "2024-05-01@10h00m00s"}


def tavern(
    *messages: dict[str, Any], header: dict[str, Any] = HEADER, **options: Any
) -> tuple[list[TurnRecord], ReadReport]:
    report = ReadReport()
    data = b"".join(json.dumps(value).encode() + b"\n" for value in (header, *messages))
    settings = ReadOptions(**({"familiar_name": "Aria", "source": "/chats/Aria - evening.jsonl"} | options))
    return list(read_sillytavern_chat(io.BytesIO(data), settings, report)), report


def said(text: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": "Sam",
        "is_user": True,
        "is_system": False,
        "mes": text,
        "send_date": "2024-05-01T10:00:00Z",
    } | changes


def answered(text: str, **changes: Any) -> dict[str, Any]:
    return said(text) | {"name": "Aria", "is_user": False} | changes


@pytest.mark.parametrize("written", ["July 1, 2024 7:00pm", "2024-07-01@19h00m00s", "2024-07-01T19:00:00"])
def test_a_time_without_a_zone_was_written_where_the_reader_says(written: str) -> None:
    (record,), report = tavern(said("Hi", send_date=written), zone=ZoneInfo("Europe/Berlin"))
    assert record.at == datetime(2024, 7, 1, 17, tzinfo=UTC)
    assert dict(report.changed) == {"time without a time zone, read as Europe/Berlin": 1}
    (record,), report = tavern(said("Hi", send_date=written))
    assert record.at == datetime(2024, 7, 1, 19, tzinfo=UTC)
    assert dict(report.changed) == {"time without a time zone, read as UTC": 1}


def test_a_time_with_a_zone_stays_what_it_is() -> None:
    (record,), report = tavern(said("Hi", send_date="2024-07-01T19:00:00+05:00"), zone=ZoneInfo("Europe/Berlin"))
    assert (record.at, report) == (datetime(2024, 7, 1, 14, tzinfo=UTC), ReadReport())


def test_a_chat_of_two_becomes_owner_and_familiar() -> None:
    records, report = tavern(said("Hi"), answered("Hello you"))
    first, second = records
    assert first.author is not None
    assert (first.role, first.author.key, first.author.name, first.content) == (Role.USER, "local:owner", "Sam", "Hi")
    assert (second.role, second.content, second.reply_to) == (Role.ASSISTANT, "Hello you", first.message_id)
    assert first.channel == second.channel
    assert first.channel.startswith("local:sillytavern-")
    assert first.channel_title == "Aria - evening"
    assert report == ReadReport()


def test_ids_are_the_same_when_the_chat_went_on_and_differ_between_chats() -> None:
    ids = [record.message_id for record in tavern(said("Hi"), answered("Hello"))[0]]
    assert [record.message_id for record in tavern(said("Hi"), answered("Hello"), said("More"))[0]][:2] == ids
    other = tavern(said("Hi"), header=HEADER | {"create_date": "2024-06-01@10h00m00s"})[0]
    assert other[0].message_id not in ids
    assert other[0].channel != ChannelKey("local:main")


@pytest.mark.parametrize(
    ("raw", "instant", "without_zone"),
    [
        ("June 19, 2023 2:20pm", datetime(2023, 6, 19, 14, 20, tzinfo=UTC), 1),
        ("2023-6-9 @14h 20m 30s 123ms", datetime(2023, 6, 9, 14, 20, 30, 123_000, tzinfo=UTC), 1),
        ("2023-06-19@14h20m30s", datetime(2023, 6, 19, 14, 20, 30, tzinfo=UTC), 1),
        (1_687_184_400_500, datetime(2023, 6, 19, 14, 20, 0, 500_000, tzinfo=UTC), 0),
        ("1687184400500", datetime(2023, 6, 19, 14, 20, 0, 500_000, tzinfo=UTC), 0),
        ("2023-06-19T14:20:00.500Z", datetime(2023, 6, 19, 14, 20, 0, 500_000, tzinfo=UTC), 0),
    ],
)
def test_every_form_of_time_is_read(raw: object, instant: datetime, without_zone: int) -> None:
    records, report = tavern(said("Hi", send_date=raw))
    assert records[0].at == instant
    assert report.changed.total() == without_zone


def test_a_message_without_a_time_follows_the_one_before() -> None:
    records, report = tavern(said("Hi"), answered("Hello", send_date=""), said("Yes", send_date=None))
    assert [record.at.second for record in records] == [0, 1, 2]
    assert report.changed.total() == 2


def test_what_has_no_place_here_is_reported() -> None:
    records, report = tavern(
        answered("Hello", swipes=["Hello", "Hey", "Yo"], extra={"image": "a.png", "reasoning": "hm"}),
        said("", extra={}),
        said("hidden", is_system=True, extra={}),
        said("a note", name="Note", is_user=False, is_system=True, extra={"type": "comment"}),
    )
    assert [(record.role, record.content) for record in records] == [
        (Role.ASSISTANT, "Hello"),
        (Role.USER, "hidden"),
        (Role.SYSTEM, "a note"),
    ]
    assert report.lost == {"other swipes of an answer": 2, "picture": 1, "reasoning of the model": 1}
    assert report.left_out == {"empty message": 1}
    assert report.changed == {"hidden message, taken as an ordinary one": 1}


def test_swipes_of_an_answer_are_kept_once_for_each_message() -> None:
    records, report = tavern(
        answered("Greeting", swipes=["Greeting", "Welcome"]),
        said("Hi"),
        answered("B", swipes=["A", "B", "A", " ", 7, "B"], swipe_id=1),
        answered("And more", swipes=["And more", "Nothing more"]),
        said("Hm", swipes=["Hm", "Well"]),
        answered("Yes", swipes=["Yes"]),
    )
    assert [record.others for record in records] == [(), (), ("A",), (), (), ()]
    assert report.changed == {"swipe that was not shown, kept as another answer": 1}
    assert report.lost == {"other swipes of an answer": 3}


def test_in_a_group_only_the_familiar_speaks_as_itself() -> None:
    records, _ = tavern(answered("one"), answered("two", name="Old  Ben"), header=HEADER | {"character_name": "unused"})
    assert [(r.role, r.author.key if r.author else None) for r in records] == [
        (Role.ASSISTANT, "import:aria"),
        (Role.USER, "import:old-ben"),
    ]


def test_a_channel_can_be_chosen() -> None:
    assert tavern(said("Hi"), channel=ChannelKey("local:old"))[0][0].channel == "local:old"


@pytest.mark.parametrize(
    ("changes", "field"), [({"mes": None}, "mes"), ({"send_date": "soon"}, "send_date"), ({"name": 4}, "name")]
)
def test_a_bad_message_is_named(changes: dict[str, Any], field: str) -> None:
    records, report = tavern(said("Hi"), said("x") | changes, said("y"))
    assert [record.content for record in records] == ["Hi", "y"]
    assert [(e.source, e.line, e.field) for e in report.first_bad_lines] == [("/chats/Aria - evening.jsonl", 3, field)]


def test_a_file_without_the_header_is_refused() -> None:
    with pytest.raises(BadInputError, match="line 1"):
        tavern(said("Hi"), header={"a": 1})


def message(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": str(number),
        "type": "Default",
        "timestamp": "2024-05-01T12:00:00.000+02:00",
        "timestampEdited": None,
        "content": f"text {number}",
        "author": {"id": "123", "name": "ann", "nickname": "Ann", "isBot": False},
        "attachments": [],
        "embeds": [],
        "reactions": [],
    } | changes


def discord(
    *messages: Any, indent: int | None = 2, own_key: str | None = None, **top: Any
) -> tuple[list[TurnRecord], ReadReport]:
    value = {
        "guild": {"id": "1", "name": "Home"},
        "channel": {"id": "10", "name": "general"},
        "dateRange": {"after": None, "before": None},
    }
    value |= top
    value |= {"messages": list(messages), "messageCount": len(messages)}
    report = ReadReport()
    stream = io.BytesIO(json.dumps(value, indent=indent).encode())
    options = ReadOptions("Aria", "general.json", own_key=own_key)
    return list(read_discord_chat_exporter(stream, options, report)), report


def test_a_message_of_discord_is_taken_with_its_place_and_people() -> None:
    records, report = discord(message(7, reference={"messageId": "5", "channelId": "10"}, type="Reply"))
    [record] = records
    assert record.author is not None
    assert (record.channel, record.guild, record.message_id, record.reply_to) == ("discord:10", "discord:1", "7", "5")
    assert (record.author.key, record.author.name, record.author.username) == ("discord:123", "Ann", "ann")
    assert record.at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert (record.channel_title, record.role) == ("general", Role.USER)
    assert report == ReadReport()


def test_a_direct_message_has_no_guild() -> None:
    assert discord(message(1), guild={"id": "0", "name": "Direct Messages"})[0][0].guild is None


def test_the_familiars_account_is_told_and_never_guessed() -> None:
    bot = {"id": "99", "name": "Aria", "isBot": True}
    records, report = discord(message(1, author=bot))
    assert (records[0].role, records[0].author and records[0].author.bot) == (Role.USER, True)
    assert list(report.changed) == ["turn of the bot discord:99, taken as somebody else's (see --self)"]
    records, report = discord(message(1, author=bot), own_key="discord:99")
    assert records[0].role is Role.ASSISTANT
    assert not report.changed


def test_what_is_not_kept_of_discord_is_reported() -> None:
    picture = {"id": "5", "fileName": "cat.png", "url": "https://cdn.example/cat.png", "fileSizeBytes": 12}
    records, report = discord(
        message(1, type="GuildMemberJoin"),
        message(2, content="", embeds=[{}]),
        message(3, content="", attachments=[picture]),
        message(4, reactions=[{}], timestampEdited="2024-05-01T12:00:00Z", stickers=[{}]),
    )
    assert [record.content for record in records] == ["[attachment: cat.png]", "text 4"]
    assert json.loads(records[0].attachments or "") == [
        {"name": "cat.png", "url": "https://cdn.example/cat.png", "size_bytes": 12}
    ]
    assert report.left_out == {"notice of Discord, not said by anybody": 1, "message without text": 1}
    assert set(report.lost) == {
        "content of attachments (name and address are kept)",
        "reaction",
        "sticker",
        "earlier text of an edited message",
    }


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ("text", "messages[1]"),
        (message(2, id="x"), "messages[1].id"),
        (message(2, timestamp="soon"), "messages[1].timestamp"),
        (message(2, content=None), "messages[1].content"),
        (message(2, author=None), "messages[1].author"),
        (message(2, author={"id": "../1"}), "messages[1].author.id"),
        (message(2, reference={"messageId": 5}), "messages[1].reference.messageId"),
    ],
)
def test_a_bad_message_of_discord_is_named(bad: Any, field: str) -> None:
    records, report = discord(message(1), bad, message(3))
    assert [record.message_id for record in records] == ["1", "3"]
    [error] = report.first_bad_lines
    assert (error.source, error.field) == ("general.json", field)
    assert error.line is not None
    assert error.line > 10


@pytest.mark.parametrize("top", [{"guild": None}, {"channel": []}, {"channel": {"id": "x"}}])
def test_a_file_without_its_place_is_refused(top: dict[str, Any]) -> None:
    with pytest.raises(BadInputError):
        discord(message(1), **top)
    with pytest.raises(BadInputError):
        discord(**top)


def array_of(data: bytes) -> tuple[list[Any], dict[str, Any]]:
    reader = JsonArrayReader(io.BytesIO(data), "x.json")
    return list(reader.items("messages")), reader.fields


json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=5).filter(lambda key: key != "messages"), json_value, max_size=3),
    st.lists(json_value, max_size=6),
    st.integers(1, 30),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_a_long_array_is_read_the_same_in_pieces_of_any_size(
    before: dict[str, Any], items: list[Any], piece: int, indent: int | None, ascii_only: bool
) -> None:
    value = before | {"messages": items, "after": [1.5e300]}
    data = b"\xef\xbb\xbf" + json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    expected = json.loads(data.decode("utf-8-sig"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_array, "_PIECE_BYTES", piece)
        found, fields = array_of(data)
    assert found == expected["messages"]
    assert fields == {key: value for key, value in expected.items() if key not in ("messages", "after")}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b'{"messages": [1, 2',
        b'{"messages": [1 2]}',
        b'{"messages": [1,]}',
        b'{"messages": 5}',
        b"{1: 2}",
        b'{"a" 1}',
        b'{"messages": ["\xff"]}',
        b'{"messages": [' + b"[" * 100_000,
    ],
)
def test_a_broken_array_is_refused_with_its_line(data: bytes) -> None:
    with pytest.raises(BadInputError, match=r"x\.json, line 1"):
        array_of(data)


def test_an_endless_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_array, "MAX_VALUE_CHARS", 200_000)
    with pytest.raises(BadInputError, match="too long"):
        array_of(b'{"messages": ["' + b"x" * 1_000_000)
