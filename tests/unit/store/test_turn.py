from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, BugError, UserError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, PersonKey, TurnId
from familiar_app.domain.turn import Author, Channel, NewTurn, Reaction, Role, Turn
from familiar_app.store.turn_then import Then
from familiar_app.store.vault import Vault

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
Said = Callable[..., NewTurn]


def contents(turns: list[Turn]) -> list[str]:
    return [turn.content for turn in turns]


async def test_answers_that_were_not_chosen_are_alternatives_of_what_they_reply_to(
    vault: Vault, channel: Channel, said: Said
) -> None:
    mira = FamiliarId("mira")
    chosen = replace(
        said("chosen", message_id="a1", role=Role.ASSISTANT), familiar=mira, reply_to="q1", others=("first", "second")
    )
    astray = replace(chosen, content="astray", message_id="a2", reply_to="nowhere")
    for counted in (3, 0):
        done = await vault.turns.append_many([said("question", message_id="q1"), chosen, astray])
        assert done.added == counted
    assert contents(await vault.turns.page(channel.id)) == ["question", "chosen", "astray"]
    question = (await vault.turns.page(channel.id))[0]
    answers = await vault.turns.answers(question.id)
    assert [(turn.content, turn.active) for turn in answers] == [("first", False), ("second", False), ("chosen", True)]
    await vault.turns.choose(answers[1].id)
    assert contents(await vault.turns.page(channel.id)) == ["question", "second", "astray"]


async def test_a_stored_turn_reads_back_in_every_field(vault: Vault, channel: Channel, clock: FixedClock) -> None:
    author = Author(PersonKey("discord:7"), "Ben", "ben7", "Benjamin", "Benny", bot=True)
    new = NewTurn(
        channel=channel.id,
        role=Role.TOOL,
        content="naïve 🦊\x00end",
        at=datetime(1, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        author=author,
        familiar=FamiliarId("mira"),
        guild="discord:g",
        message_id="m1",
        reply_to="m0",
        mode="activity_return",
        tool_calls="[]",
        tool_call_id="c1",
        attachments="a picture",
        mentions=(PersonKey("discord:9"),),
    )
    stored, added = await vault.turns.append(new)
    assert added
    assert stored == Turn(
        id=TurnId(1),
        channel=channel.id,
        channel_key=channel.key,
        role=Role.TOOL,
        content="naïve 🦊\x00end",
        at=new.at,
        arrived_at=clock.now(),
        author=author,
        familiar=FamiliarId("mira"),
        guild="discord:g",
        message_id="m1",
        reply_to="m0",
        mode="activity_return",
        tool_calls="[]",
        tool_call_id="c1",
        attachments="a picture",
    )
    assert await vault.turns.get(stored.id) == stored
    assert await vault.turns.get(TurnId(99)) is None


async def test_a_message_delivered_twice_is_one_turn(vault: Vault, said: Said) -> None:
    first, added = await vault.turns.append(said("hello", message_id="m1"))
    again, added_again = await vault.turns.append(said("hello, edited since", message_id="m1"))
    assert (added, added_again) == (True, False)
    assert again == first
    assert await vault.turns.count() == 1


async def test_the_same_message_id_in_another_channel_is_another_turn(vault: Vault, said: Said) -> None:
    other = await vault.channels.ensure(ChannelKey("discord:10"))
    await vault.turns.append(said("here", message_id="m1"))
    _, added = await vault.turns.append(said("there", message_id="m1", channel=other.id))
    assert added


async def test_half_a_surrogate_pair_is_stored_as_the_replacement_character(vault: Vault, said: Said) -> None:
    author = Author(PersonKey("discord:1"), "A\ud83d", global_name="\udd8a")
    stored, _ = await vault.turns.append(said("a\ud83d b \ud83e\udd8a", author=author, attachments="\ud83d"))
    assert stored.content == "a\ufffd b 🦊"
    assert stored.author is not None
    assert stored.author.name == "A\ufffd"
    assert await vault.turns.get(stored.id) == stored


async def test_a_turn_for_an_unknown_channel_is_refused_and_leaves_nothing(vault: Vault) -> None:
    with pytest.raises(BugError):
        await vault.turns.append(NewTurn(ChannelId(77), Role.USER, "x", NOON, Author(PersonKey("a:b"), "Zed")))
    assert await vault.turns.count() == 0
    assert await vault.people.list() == []


async def test_an_import_is_all_or_nothing(vault: Vault, said: Said) -> None:
    bad = said("bad", channel=ChannelId(77))
    with pytest.raises(BugError):
        await vault.turns.append_many([said("good"), bad])
    assert await vault.turns.count() == 0
    counted = await vault.turns.append_many([said("one", message_id="1"), said("two", message_id="2"), said("three")])
    assert (counted.added, counted.skipped) == (3, 0)
    counted = await vault.turns.append_many([said("one", message_id="1"), said("four", message_id="4")])
    assert (counted.added, counted.skipped) == (1, 1)


async def test_appends_at_the_same_time_all_arrive_and_one_that_fails_fails_alone(vault: Vault, said: Said) -> None:
    jobs = [vault.turns.append(said(str(n), **({"channel": ChannelId(77)} if n == 13 else {}))) for n in range(40)]
    results = await asyncio.gather(*jobs, return_exceptions=True)
    failed = [n for n, result in enumerate(results) if isinstance(result, BaseException)]
    assert failed == [13]
    stored = [turn.content async for turns in vault.turns.stream() for turn in turns]
    assert stored == [str(n) for n in range(40) if n != 13]


async def test_pages_walk_the_channel_in_both_directions(vault: Vault, channel: Channel, said: Said) -> None:
    await vault.turns.append_many([said(str(n)) for n in range(10)])
    last = await vault.turns.page(channel.id, limit=3)
    assert contents(last) == ["7", "8", "9"]
    assert contents(await vault.turns.page(channel.id, before=last[0].id, limit=3)) == ["4", "5", "6"]
    assert contents(await vault.turns.page(channel.id, after=last[0].id, limit=5)) == ["8", "9"]
    assert contents(await vault.turns.page(channel.id, after=TurnId(2), before=TurnId(5))) == ["2", "3"]
    assert await vault.turns.page(channel.id, limit=0) == []


async def test_around_gives_the_room_of_a_missing_side_to_the_other(vault: Vault, said: Said) -> None:
    await vault.turns.append_many([said(str(n)) for n in range(10)])
    assert contents(await vault.turns.around(TurnId(6), limit=5)) == ["3", "4", "5", "6", "7"]
    assert contents(await vault.turns.around(TurnId(1), limit=5)) == ["0", "1", "2", "3", "4"]
    assert contents(await vault.turns.around(TurnId(10), limit=5)) == ["5", "6", "7", "8", "9"]
    assert contents(await vault.turns.around(TurnId(10), limit=1)) == ["9"]
    assert await vault.turns.around(TurnId(99)) == []


async def test_an_edit_is_a_revision_and_the_newest_is_read(vault: Vault, said: Said, clock: FixedClock) -> None:
    turn, _ = await vault.turns.append(said("frist"))
    clock.instant = NOON + timedelta(minutes=5)
    revised = await vault.turns.revise(turn.id, "first")
    assert (revised.content, revised.revision) == ("first", 2)
    assert (await vault.turns.revise(turn.id, "first")).revision == 2
    texts = await vault.turns.revisions(turn.id)
    assert [(r.number, r.content, r.at) for r in texts] == [(1, "frist", NOON), (2, "first", clock.now())]
    assert contents(await vault.turns.search("FIRST")) == ["first"]
    assert await vault.turns.search("frist") == []


async def test_the_newest_answer_is_active_until_another_is_chosen(vault: Vault, channel: Channel, said: Said) -> None:
    asked, _ = await vault.turns.append(said("question"))
    first, _ = await vault.turns.append(said("one", role=Role.ASSISTANT, answers=asked.id, author=None))
    await vault.turns.append(said("two", role=Role.ASSISTANT, answers=asked.id, author=None))
    assert contents(await vault.turns.page(channel.id)) == ["question", "two"]
    places = [(a.alternative, a.alternatives, a.active) for a in await vault.turns.answers(asked.id)]
    assert places == [(1, 2, False), (2, 2, True)]
    assert (await vault.turns.choose(first.id)).active
    assert contents(await vault.turns.page(channel.id)) == ["question", "one"]
    assert contents(await vault.turns.page(channel.id, inactive=True)) == ["question", "one", "two"]
    assert await vault.turns.count(channel.id) == 2
    with pytest.raises(UserError, match="not one of several answers"):
        await vault.turns.choose(asked.id)
    assert await vault.verify() == []


async def test_what_the_familiar_said_is_counted_up_to_a_turn(vault: Vault, channel: Channel, said: Said) -> None:
    def own(text: str, **more: object) -> NewTurn:
        return said(text, role=Role.ASSISTANT, author=None, **more)

    await vault.turns.append(own("greeting"))
    first, _ = await vault.turns.append(said("question"))
    await vault.turns.append(own("one", answers=first.id))
    second, _ = await vault.turns.append(said("another"))
    await vault.turns.append(own("two", answers=second.id))
    # Made again later: it still answers the first question, and only one of the two is shown.
    await vault.turns.append(own("one again", answers=first.id))
    assert await vault.turns.count_said(channel.id) == 3
    assert await vault.turns.count_said(channel.id, until=second.id) == 2
    assert await vault.turns.count_said(channel.id, until=first.id) == 1


async def test_hiding_is_an_operator_turn_and_can_be_undone(vault: Vault, channel: Channel, said: Said) -> None:
    one, _ = await vault.turns.append(said("one"))
    two, _ = await vault.turns.append(said("two"))
    await vault.turns.hide([one.id])
    assert contents(await vault.turns.page(channel.id)) == ["two"]
    assert contents(await vault.turns.page(channel.id, hidden=True)) == ["one", "two"]
    operator = await vault.turns.get(TurnId(3))
    assert operator is not None
    assert (operator.role, operator.mode) == (Role.OPERATOR, "hide")
    await vault.turns.hide([one.id])
    assert await vault.turns.get(TurnId(4)) is None, "hiding what is hidden decides nothing"
    await vault.turns.unhide([one.id])
    assert contents(await vault.turns.page(channel.id)) == ["one", "two"]
    with pytest.raises(UserError, match="decided by hand"):
        await vault.turns.hide([two.id, operator.id])
    assert await vault.verify() == []


async def test_a_scrubbed_turn_is_a_tombstone(vault: Vault, channel: Channel, said: Said) -> None:
    turn, _ = await vault.turns.append(said("unwise words", attachments="unwise picture", message_id="m1"))
    await vault.turns.revise(turn.id, "wiser words")
    await vault.turns.scrub(turn.id)
    gone = await vault.turns.get(turn.id)
    assert gone is not None
    assert (gone.content, gone.attachments, gone.deleted, gone.message_id) == ("", None, True, "m1")
    assert [r.content for r in await vault.turns.revisions(turn.id)] == [""]
    assert await vault.turns.page(channel.id, hidden=True, inactive=True) == []
    with pytest.raises(UserError, match="deleted"):
        await vault.turns.revise(turn.id, "back again")
    _, added = await vault.turns.append(said("unwise words", message_id="m1"))
    assert not added, "a late second delivery does not bring it back"
    assert await vault.verify() == []


@pytest.mark.parametrize("needle", ["straße", "STRASSE", "Strasse"])
async def test_search_folds_case_as_unicode_does(vault: Vault, said: Said, needle: str) -> None:
    await vault.turns.append_many([said("in der Straße"), said("IN DER STRASSE"), said("im Haus"), said("ΣΊΣΥΦΟΣ")])
    assert contents(await vault.turns.search(needle)) == ["IN DER STRASSE", "in der Straße"]
    assert contents(await vault.turns.search("σίσυφος")) == ["ΣΊΣΥΦΟΣ"]


async def test_search_is_literal_newest_first_and_limited(vault: Vault, channel: Channel, said: Said) -> None:
    other = await vault.channels.ensure(ChannelKey("discord:10"))
    await vault.turns.append_many([said(f"100% sure_{n}") for n in range(1200)])
    await vault.turns.append(said("100% elsewhere", channel=other.id))
    await vault.turns.append(said("a\x1eb"))
    assert contents(await vault.turns.search("0%", limit=2)) == ["100% elsewhere", "100% sure_1199"]
    assert contents(await vault.turns.search("SURE_7", channel=channel.id, limit=500))[-1] == "100% sure_7"
    assert len(await vault.turns.search("sure_", channel=channel.id, limit=5000)) == 1200
    assert contents(await vault.turns.search("%", before=TurnId(2))) == ["100% sure_0"]
    assert contents(await vault.turns.search("A\x1eB")) == ["a\x1eb"]
    assert await vault.turns.search("") == []
    assert await vault.turns.search("re_0100%") == [], "a match never spans two turns"


async def test_days_follow_the_zone(vault: Vault, channel: Channel, said: Said) -> None:
    for at in ("2024-03-30T23:30:00", "2024-03-31T21:59:00", "2024-03-31T22:30:00", "2024-04-02T00:00:00"):
        await vault.turns.append(said(at, at=datetime.fromisoformat(at).replace(tzinfo=UTC)))
    utc = [(d.day, d.first_turn, d.turns) for d in await vault.turns.days(channel.id)]
    assert utc == [("2024-03-30", 1, 1), ("2024-03-31", 2, 2), ("2024-04-02", 4, 1)]
    berlin = [(d.day, d.first_turn, d.turns) for d in await vault.turns.days(channel.id, zone="Europe/Berlin")]
    assert berlin == [("2024-03-31", 1, 2), ("2024-04-01", 3, 1), ("2024-04-02", 4, 1)]
    with pytest.raises(BadInputError, match="time zone"):
        await vault.turns.days(channel.id, zone="Middle/Earth")
    with pytest.raises(BadInputError, match="time zone"):
        await vault.turns.days(channel.id, zone="../../etc/passwd")


async def test_the_ends_of_time_have_days(vault: Vault, channel: Channel, said: Said) -> None:
    await vault.turns.append(said("first", at=datetime(1, 1, 1, tzinfo=UTC)))
    await vault.turns.append(said("last", at=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)))
    for zone in ("UTC", "Pacific/Kiritimati", "America/Los_Angeles"):
        marks = await vault.turns.days(channel.id, zone=zone)
        assert sum(mark.turns for mark in marks) == 2
    assert await vault.turns.first_at(channel.id, NOON) == 2
    assert await vault.turns.first_at(channel.id, datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)) == 2


async def test_first_at_goes_by_time_and_not_by_arrival(vault: Vault, channel: Channel, said: Said) -> None:
    late, _ = await vault.turns.append(said("late", at=NOON + timedelta(hours=2)))
    early, _ = await vault.turns.append(said("early", at=NOON))
    assert await vault.turns.first_at(channel.id, NOON) == early.id
    assert await vault.turns.first_at(channel.id, NOON + timedelta(seconds=1)) == late.id
    assert await vault.turns.first_at(channel.id, NOON + timedelta(days=1)) is None


async def test_a_stream_has_every_shown_turn_once(vault: Vault, said: Said) -> None:
    await vault.turns.append_many([said(str(n)) for n in range(25)])
    await vault.turns.hide([TurnId(5)])
    chunks = [contents(turns) async for turns in vault.turns.stream(chunk=10)]
    assert [len(chunk) for chunk in chunks] == [10, 10, 4]
    assert [text for chunk in chunks for text in chunk] == [str(n) for n in range(25) if n != 4]


async def test_reactions_never_fall_below_zero(vault: Vault, channel: Channel) -> None:
    await vault.turns.react(channel.id, "m1", "🦊", -1)
    await vault.turns.react(channel.id, "m1", "🦊", 2)
    await vault.turns.react(channel.id, "m1", "👍", 3)
    await vault.turns.react(channel.id, "m1", "👎", 1)
    await vault.turns.react(channel.id, "m1", "👎", -5)
    found = await vault.turns.reactions(channel.id, ["m1", "m2"])
    assert found == {"m1": [Reaction("m1", "👍", 3), Reaction("m1", "🦊", 2)]}


async def test_pages_days_and_message_look_ups_use_an_index(vault: Vault, channel: Channel) -> None:
    from familiar_app.store.turn_row import SELECT

    queries = {
        "turns_channel": f"{SELECT} WHERE t.shown = 1 AND t.channel = 1 AND t.id < 50 ORDER BY t.id DESC LIMIT 9",
        "turns_day": "SELECT min(at) FROM turns WHERE channel = 1 AND shown = 1 AND at >= 5",
        "turns_message": "SELECT id FROM turns WHERE channel = 1 AND message_id = 'm'",
    }
    for index, query in queries.items():
        plan = await vault._opened.engine.read(
            lambda c, query=query: [row[3] for row in c.execute(f"EXPLAIN QUERY PLAN {query}")]
        )
        assert any(index in step for step in plan), plan
        assert not any("TEMP B-TREE" in step or step.startswith("SCAN t") for step in plan), plan


async def test_answers_of_two_familiars_stand_beside_each_other(
    vault: Vault, channel: Channel, said: Callable[..., NewTurn]
) -> None:
    asked, _ = await vault.turns.append(said("Who are you?"))
    answers: dict[str, list[TurnId]] = {"mira": [], "nix": []}
    for familiar, text in (("mira", "Mira."), ("nix", "Nix."), ("mira", "Mira, of course."), ("nix", "Nix!")):
        own = Author(PersonKey(f"ego:{familiar}"), familiar)
        more = {"role": Role.ASSISTANT, "familiar": FamiliarId(familiar), "answers": asked.id, "author": own}
        turn, _ = await vault.turns.append(said(text, **more))
        answers[familiar].append(turn.id)
    await vault.turns.choose(answers["mira"][0])
    expected = ["Who are you?", "Mira.", "Nix!"]
    assert [turn.content for turn in await vault.turns.page(channel.id)] == expected
    places = [(one.alternative, one.alternatives, one.active) for one in await vault.turns.answers(asked.id)]
    assert places == [(1, 2, True), (1, 2, False), (2, 2, False), (2, 2, True)]
    now = Then(known_at=asked.arrived_at)
    assert [turn.content for turn in await vault.turns.page_then(channel.id, now)] == expected
    assert await vault.verify() == []
