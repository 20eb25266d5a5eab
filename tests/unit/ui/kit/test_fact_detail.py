"""One fact in words: both clocks, who decided what, and the ways to what it rests on and what followed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from familiar_app.domain.fact import Belief, Cause, Fact, FactId, Subject
from familiar_app.domain.ids import OWNER, ChannelId, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.interval import Interval
from familiar_app.domain.turn import Channel
from familiar_app.store.fact import FactHistory
from familiar_app.ui.kit.fact_detail import Chip, describe

MIRA, ANN = FamiliarId("mira"), PersonKey("discord:1")
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def history(**changes: object) -> FactHistory:
    beliefs = (
        Belief(Interval(NOON, NOON + DAY), Cause.LEARNED, Cause.SUPERSEDED, FactId(9)),
        Belief(Interval(NOON + 2 * DAY, NOON + 3 * DAY), Cause.RESTORED, Cause.RETIRED, None, OWNER, OWNER),
    )
    fact = Fact(
        id=FactId(4),
        familiar=MIRA,
        text="Ann lives in Oslo.",
        subjects=(Subject(ANN, "ann_old"),),
        source_turns=(TurnId(1),),
        channel=ChannelId(1),
        importance=8,
        origin="rich_note",
        valid=Interval(NOON - 30 * DAY, None),
        beliefs=beliefs,
        channel_key=ChannelKey("local:sillytavern-6ad8"),
    )
    channel = Channel(ChannelId(1), ChannelKey("local:sillytavern-6ad8"), MIRA, "Evenings")
    values = {
        "channel": channel,
        "labels": {ANN: "Ann"},
        "supersedes": (),
        "successors": (FactId(9),),
        "sources": (),
        "reflections": (),
    }
    return FactHistory(fact=fact, **{**values, **changes})  # type: ignore[arg-type]


def test_both_clocks_and_who_decided() -> None:
    detail = describe(history(), lambda _fact: "Ann lives in Rome.", UTC, "Mira")
    assert detail.world == "2024-04-01 12:00 – open"
    assert detail.beliefs == (
        "2024-05-01 12:00 learned – 2024-05-02 12:00 superseded",
        "2024-05-03 12:00 restored by you – 2024-05-04 12:00 retired by you",
    )
    assert detail.about == ("Ann",)
    assert detail.facts == (("Importance", "8 of 10"), ("Written by", "Facts"), ("Learned in", "Evenings"))
    assert detail.retired


def test_what_followed_leads_to_that_fact() -> None:
    long = "word " * 60
    detail = describe(history(), lambda fact: long if fact == 9 else "", UTC, "Mira")
    (chip,) = detail.successors
    assert (chip.panel, chip.key, len(chip.text), chip.text[-1]) == ("timeline", "9", 90, "…")
    unread = describe(history(), lambda _fact: "", UTC, "Mira")
    assert unread.successors == (Chip("Fact 9", "timeline", "9"),)
