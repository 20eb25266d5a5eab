"""The panel's sentences: none is missing, none speaks of a thing that is not so."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from familiar_app.discord_link.incoming import Spot
from familiar_app.discord_link.journal import Fate, Noticed
from familiar_app.discord_link.limit import Limit
from familiar_app.discord_link.rights import Right, needed
from familiar_app.discord_link.speak_rule import Why
from familiar_app.discord_link.standing import Standing
from familiar_app.discord_link.status import REFUSED, LinkStatus
from familiar_app.ui.discord.word import did_text, fate_text, limits_text, pulse, right_words, why_text

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
HEARD = Noticed(NOW, Spot(10, "general", 1), "Ann", Why.ADDRESSED, speak=True)


@pytest.mark.parametrize("why", list(Why))
def test_every_reason_has_a_sentence(why: Why) -> None:
    told = why_text(replace(HEARD, why=why), "Mira")
    assert told.endswith(".")
    assert told[0].isupper()
    assert "{" not in told


@pytest.mark.parametrize("fate", list(Fate))
def test_every_end_has_a_word_and_a_sentence(fate: Fate) -> None:
    ended = replace(HEARD, fate=fate)
    assert did_text(ended) not in ("Answering…", "No answer")
    assert fate_text(ended).endswith(".")


def test_what_is_not_over_yet_says_so() -> None:
    assert did_text(HEARD) == "Answering…"
    assert did_text(replace(HEARD, speak=False)) == "No answer"
    assert fate_text(HEARD) == ""


@pytest.mark.parametrize(
    ("status", "text", "tone"),
    [
        (LinkStatus(), "Discord: off", "text_3"),
        (LinkStatus("connecting"), "Discord: connecting", "text_3"),
        (LinkStatus("connected"), "Discord: connected", "text_2"),
        (LinkStatus("waiting", "It broke.", NOW + timedelta(seconds=43)), "Discord: again in 43 s", "warning"),
        (LinkStatus("failed", REFUSED), "Discord: not connected", "danger"),
    ],
)
def test_the_status_bar_says_how_it_stands(status: LinkStatus, text: str, tone: str) -> None:
    word = pulse(Standing(on=True, token=True, status=status), NOW)
    assert (word.text, word.tone) == (text, tone)
    assert pulse(Standing(status=status), NOW).text == "", "a familiar without a bot has nothing to say here"


def test_limits_are_told_with_the_time_they_hold() -> None:
    limits = (Limit("messages", 112.0, True), Limit("channels", 105.0, False))
    assert limits_text(limits, 100.0) == (
        "Discord asks to wait with messages for 12 s. Discord takes no more channels for 5 s."
    )
    assert limits_text((), 100.0) == ""
    connected = Standing(token=True, status=LinkStatus("connected"))
    assert pulse(connected, NOW, limits).text == "Discord: slowed down"
    assert pulse(connected, NOW, limits[1:]).text == "Discord: connected", "it was never refused"


@pytest.mark.parametrize("right", needed(webhooks=True), ids=lambda right: right.name)
def test_every_right_has_the_words_it_is_known_by(right: Right) -> None:
    assert right_words(right) == (right.name, right.what_for)
