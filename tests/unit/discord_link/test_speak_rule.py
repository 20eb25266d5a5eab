"""When the familiar speaks: every rule with its reason, and what no combination can bring about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.discord_link.speak_rule import Situation, Why, when_to_speak

HERE = Situation(subscribed=True)


@pytest.mark.parametrize(
    ("now", "speak", "why"),
    [
        (replace(HERE, own=True, mentioned=True), False, Why.OWN),
        (replace(HERE, system=True, mentioned=True), False, Why.SYSTEM),
        (replace(HERE, bot=True, mentioned=True), False, Why.BOT),
        (replace(HERE, bot=True, bot_allowed=True), False, Why.BOT),
        (replace(HERE, bot=True, bot_allowed=True, replied_to=True), False, Why.BOT),
        (replace(HERE, bot=True, bot_allowed=True, mentioned=True), True, Why.ADDRESSED),
        (replace(HERE, bot=True, bot_allowed=True, mentioned=True, own_in_a_row=3), False, Why.IN_A_ROW),
        (Situation(mentioned=True), False, Why.NOT_SUBSCRIBED),
        (Situation(direct=True), False, Why.DIRECT_OFF),
        (Situation(direct=True, direct_on=True), True, Why.DIRECT),
        (replace(HERE, mentioned=True), True, Why.ADDRESSED),
        (replace(HERE, replied_to=True), True, Why.ADDRESSED),
        (replace(HERE, mentioned=True, others_mentioned=True), True, Why.ADDRESSED),
        (replace(HERE, others_mentioned=True, ambient=True), False, Why.OTHERS),
        (replace(HERE, mentioned=True, age_s=300.0), True, Why.ADDRESSED),
        (replace(HERE, mentioned=True, age_s=300.1), False, Why.OLD),
        (HERE, False, Why.UNADDRESSED),
        (replace(HERE, ambient=True, another=True), False, Why.ANOTHER),
        (replace(HERE, direct=True, direct_on=True, another=True), False, Why.ANOTHER),
        (replace(HERE, ambient=True), True, Why.AMBIENT),
        (replace(HERE, ambient=True, idle_s=19.0), False, Why.COOLING),
        (replace(HERE, ambient=True, idle_s=20.0), True, Why.AMBIENT),
        (replace(HERE, ambient=True, attended=False, unread=19), False, Why.UNFOCUSED),
        (replace(HERE, ambient=True, attended=False, unread=20), True, Why.LOOK),
        (replace(HERE, ambient=True, attended=False, unread=20, idle_s=19.0), False, Why.COOLING),
        (replace(HERE, attended=False, unread=20), False, Why.UNADDRESSED),
        (replace(HERE, mentioned=True, attended=False), True, Why.ADDRESSED),
    ],
)
def test_each_rule_has_its_reason(now: Situation, speak: bool, why: Why) -> None:
    verdict = when_to_speak(now)
    assert (verdict.speak, verdict.why) == (speak, why)


situations = st.builds(
    Situation,
    **{
        name: st.booleans()
        for name in (
            "own", "system", "bot", "bot_allowed", "direct", "direct_on", "subscribed", "mentioned", "replied_to",
            "others_mentioned", "ambient",
        )
    },
    own_in_a_row=st.integers(0, 5),
    age_s=st.floats(0, 1000),
    idle_s=st.none() | st.floats(0, 100),
)  # fmt: skip


@given(situations)
def test_nothing_makes_it_answer_itself_or_where_it_is_not_wanted(now: Situation) -> None:
    verdict = when_to_speak(now)
    if verdict.speak:
        assert not now.own
        assert not now.system
        assert now.direct_on if now.direct else now.subscribed
        assert not now.bot or (now.bot_allowed and now.mentioned and now.own_in_a_row < 3)
        assert now.age_s <= 300
    assert verdict.may_stay_silent == (verdict.why in (Why.AMBIENT, Why.LOOK))
