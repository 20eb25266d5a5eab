"""Rows, keys of the composer, the calendar, the words about a prompt."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from familiar_app.domain.ids import OWNER, ChannelId, ChannelKey, FamiliarId, TurnId
from familiar_app.domain.turn import Author, DayMark, Role, Turn
from familiar_app.ui.chat.calendar import Calendar
from familiar_app.ui.chat.composer import MESSAGE_CHARS, Drafts, deed_of, length_problem
from familiar_app.ui.chat.row import build_rows, day_label
from familiar_app.ui.chat.why import explain
from familiar_app.ui.chat.window import Window
from familiar_app.ui.kit.prompt_word import meter
from tests.unit.ui.chat.stage import make_trace

ZONE = ZoneInfo("Europe/Berlin")
EVENING = datetime(2026, 11, 30, 21, 50, tzinfo=UTC)


def turn(number: int, minutes: float, *, own: bool = True, name: str = "Jo") -> Turn:
    at = EVENING + timedelta(minutes=minutes)
    key = OWNER if own else "ego:mira"
    return Turn(
        TurnId(number),
        ChannelId(1),
        ChannelKey("local:main"),
        Role.USER if own else Role.ASSISTANT,
        f"text {number}",
        at,
        at,
        author=Author(key, name),
    )


class NoPages:
    """No page of the channel is read here."""

    async def page(self, channel: ChannelId, **_: object) -> list[Turn]:
        raise AssertionError

    async def around(self, id: TurnId, *, limit: int = 50) -> list[Turn]:  # noqa: A002
        raise AssertionError


def rows_of(*turns: Turn, unread: int | None = None):
    return build_rows(
        turns,
        zone=ZONE,
        today=date(2026, 12, 1),
        familiar_name="Mira",
        owner_key=OWNER,
        unread_from=TurnId(unread) if unread else None,
    )


def test_groups_break_at_speakers_gaps_days_and_the_unread_mark() -> None:
    rows = rows_of(
        turn(1, 0),
        turn(2, 2),
        turn(3, 4, own=False, name="Mira"),
        turn(4, 16, own=False, name="Mira"),
        turn(5, 69, own=False, name="Mira"),
        turn(6, 70, own=False, name="Mira"),
        turn(7, 75, own=False, name="Mira"),
        unread=7,
    )
    assert [(row.kind, row.head) for row in rows] == [
        ("day", False),
        ("turn", True),
        ("turn", False),
        ("turn", True),
        ("turn", True),
        ("turn", True),
        ("day", False),
        ("turn", True),
        ("unread", False),
        ("turn", True),
    ]
    assert [row.label for row in rows if row.kind == "day"] == ["Yesterday", "Today"]
    assert rows[-1].last_answer
    assert rows[1].time == "22:50"
    assert rows[1].spoken() == "Jo, 30 November 2026, 22:50:00: text 1"


def test_a_row_keeps_its_key_when_an_answer_is_replaced() -> None:
    first = Turn(
        TurnId(2), ChannelId(1), ChannelKey("local:main"), Role.ASSISTANT, "a", EVENING, EVENING, answers=TurnId(1)
    )
    other = Turn(
        TurnId(9), ChannelId(1), ChannelKey("local:main"), Role.ASSISTANT, "b", EVENING, EVENING, answers=TurnId(1)
    )
    one, two = rows_of(first)[-1], rows_of(other)[-1]
    assert one.key == two.key
    assert one.version != two.version


def test_answers_of_two_familiars_to_one_message_are_rows_of_their_own() -> None:
    asked = turn(1, 0)
    replies = [
        replace(turn(number, 1, own=False), familiar=FamiliarId(name), answers=asked.id)
        for number, name in ((2, "mira"), (3, "nix"))
    ]
    keys = [row.key for row in rows_of(asked, *replies) if row.kind == "turn"]
    assert len(set(keys)) == 3
    window = Window(NoPages(), ChannelId(1), turns=[asked, replies[0]])
    window.append(replies[1])
    again = replace(replies[0], id=TurnId(4), content="again")
    window.append(again)
    assert [one.id for one in window.turns] == [1, 3, 4]
    window.replace(replies[0])
    assert [one.id for one in window.turns] == [1, 3, 2]


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2026, 12, 1), "Today"),
        (date(2026, 11, 30), "Yesterday"),
        (date(2026, 11, 28), "Saturday, 28 November 2026"),
    ],
)
def test_days_have_names(day: date, words: str) -> None:
    assert day_label(day, date(2026, 12, 1)) == words


@pytest.mark.parametrize(
    ("key", "state", "deed"),
    [
        ("enter", {}, "send"),
        ("enter", {"shift": True}, "newline"),
        ("enter", {"ctrl": True}, "regenerate"),
        ("enter", {"composing": True}, "pass"),
        ("enter", {"composing": True, "ctrl": True}, "pass"),
        ("escape", {"composing": True, "replying": True}, "pass"),
        ("up", {"empty": True}, "edit_last"),
        ("up", {}, "pass"),
        ("left", {"empty": True}, "swipe_back"),
        ("right", {"empty": True}, "swipe_on"),
        ("right", {"empty": True, "shift": True}, "pass"),
        ("left", {}, "pass"),
        ("escape", {"replying": True}, "stop"),
        ("escape", {}, "escape"),
        ("other", {}, "pass"),
    ],
)
def test_what_keys_mean(key: str, state: dict[str, bool], deed: str) -> None:
    assert deed_of(key, **({"empty": False, "composing": False, "replying": False} | state)) == deed


def test_places_in_a_channel_follow_its_days() -> None:
    calendar = Calendar()
    calendar.fill([DayMark("2026-01-01", TurnId(1), 100), DayMark("2026-01-02", TurnId(101), 300)])
    assert calendar.place(TurnId(1)) == 0.0
    assert calendar.place(TurnId(101)) == 0.25
    assert calendar.near(0.25) == 101
    assert calendar.near(0.0) == 1
    assert calendar.place(TurnId(251)) == pytest.approx(0.625)
    calendar.add(TurnId(401), date(2026, 1, 2))
    calendar.add(TurnId(402), date(2026, 1, 3))
    assert calendar.turns == 402
    assert calendar.has(date(2026, 1, 3))


def test_a_trace_is_told_in_words() -> None:
    why = explain(make_trace(EVENING), ZONE)
    facts = dict(why.facts)
    assert facts["Prompt"] == "1,240 of 8,192 tokens (15 %)"
    assert facts["Speed"] == "45.0 tokens a second"
    assert facts["Sampling"] == "temperature 0.8, top p 0.95"
    assert why.layers[0].summary == "400 of 3,000 tokens · unchanged since the last prompt"
    assert why.layers[1].share == pytest.approx(800 / 1240)
    assert [message.turn for message in why.messages] == [None, 1, None]
    assert meter(900, 0, exact=False) == "about 900 tokens"


def test_a_reply_that_was_stopped_is_no_error() -> None:
    facts = dict(explain(make_trace(EVENING).model_copy(update={"error": "stopped"}), ZONE).facts)
    assert facts["Outcome"] == "stopped before its end"
    assert "Error" not in facts
    failed = make_trace(EVENING).model_copy(update={"error": "out of reach"})
    assert dict(explain(failed, ZONE).facts)["Error"] == "out of reach"


def test_what_is_too_long_to_send_is_counted_as_it_would_be_sent() -> None:
    assert length_problem("x" * MESSAGE_CHARS + "  \n") == ""
    assert "64,001 characters" in length_problem("x" * (MESSAGE_CHARS + 1) + "\n")


class SlowState:
    """Keeps what is set once the gate is open, as a vault that is busy with other things."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.kept: dict[str, object] = {}

    async def set(self, key: str, value: object) -> None:
        await self.gate.wait()
        self.kept[key] = value


async def test_a_draft_whose_saving_is_given_up_is_saved_the_next_time() -> None:
    state = SlowState()
    drafts = Drafts(state)
    drafts.put(ChannelId(1), "half a thought")
    saving = asyncio.create_task(drafts.save())
    await asyncio.sleep(0)
    saving.cancel()
    await asyncio.wait([saving])
    state.gate.set()
    await drafts.save()
    assert state.kept == {"chat.draft.1": "half a thought"}


async def test_what_is_typed_while_a_draft_is_saved_is_saved_too() -> None:
    state = SlowState()
    drafts = Drafts(state)
    drafts.put(ChannelId(1), "half")
    saving = asyncio.create_task(drafts.save())
    await asyncio.sleep(0)
    drafts.put(ChannelId(1), "half a thought")
    state.gate.set()
    await saving
    await drafts.save()
    assert state.kept == {"chat.draft.1": "half a thought"}
