"""Who may hear what: the three modes, place by place, and what holds in every one of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.audience import (
    Audience,
    AudienceMode,
    Held,
    Place,
    PlaceKind,
    Reader,
    Readers,
    audience_of,
    audience_of_reader,
    held,
    held_from,
)
from familiar_app.domain.ids import ChannelId, PersonKey

STRICT, SERVER, OPEN = AudienceMode.STRICT, AudienceMode.SERVER, AudienceMode.OPEN
ANN, BEN, CLEO = PersonKey("discord:1"), PersonKey("discord:2"), PersonKey("discord:3")
EVERYONE = Readers(everyone=True)
MODS = Readers(tokens=frozenset({"role:mods"}))
STAFF = Readers(tokens=frozenset({"role:mods", "role:staff"}))
NOT_BEN = Readers(everyone=True, barred=frozenset({BEN}))
MODS_NOT_BEN = Readers(tokens=frozenset({"role:mods"}), barred=frozenset({BEN}))


def window(number: int = 1) -> Place:
    return Place(ChannelId(number), PlaceKind.LOCAL)


def direct(number: int, *people: PersonKey) -> Place:
    return Place(ChannelId(number), PlaceKind.DIRECT, readers=Readers(people=frozenset(people)) if people else None)


def room(number: int, readers: Readers | None = None, guild: str = "g1") -> Place:
    return Place(ChannelId(number), PlaceKind.SERVER, guild, readers)


@pytest.mark.parametrize(
    ("here", "there", "strict", "server", "opened"),
    [
        # Within one channel everything may be heard.
        (room(1), room(1), None, None, None),
        (direct(1), direct(1), None, None, None),
        # Channels of one server.
        (room(1), room(2), Held.UNKNOWN, None, None),
        (room(1, EVERYONE), room(2, EVERYONE), None, None, None),
        (room(1, MODS), room(2, EVERYONE), None, None, None),
        (room(1, MODS), room(2, STAFF), None, None, None),
        (room(1, STAFF), room(2, MODS), Held.READERS, None, None),
        (room(1, EVERYONE), room(2, STAFF), Held.READERS, None, None),
        (room(1), room(2, EVERYONE), None, None, None),
        (room(1, Readers(tokens=frozenset())), room(2, MODS), Held.READERS, None, None),
        # Somebody is kept out of a channel that is open otherwise, as for a surprise.
        (room(1, EVERYONE), room(2, NOT_BEN), Held.READERS, None, None),
        (room(1), room(2, NOT_BEN), Held.UNKNOWN, None, None),
        (room(1, MODS), room(2, NOT_BEN), Held.READERS, None, None),
        (room(1, NOT_BEN), room(2, EVERYONE), None, None, None),
        (room(1, NOT_BEN), room(2, NOT_BEN), None, None, None),
        (room(1, MODS), room(2, MODS_NOT_BEN), Held.READERS, None, None),
        (room(1, MODS_NOT_BEN), room(2, STAFF), None, None, None),
        (direct(1, BEN), room(2, NOT_BEN), Held.READERS, Held.READERS, None),
        # Another server.
        (room(1, EVERYONE), room(2, EVERYONE, "g2"), Held.SERVER, Held.SERVER, None),
        (room(1), room(2, None, "g2"), Held.SERVER, Held.SERVER, None),
        (
            room(1, Readers(tokens=frozenset({ANN}))),
            room(2, Readers(tokens=frozenset({ANN, BEN})), "g2"),
            None,
            None,
            None,
        ),
        # Direct messages stay with their people, whatever is opened.
        (room(1, EVERYONE), direct(2, ANN), Held.DIRECT, Held.DIRECT, Held.DIRECT),
        (direct(1, BEN), direct(2, ANN), Held.DIRECT, Held.DIRECT, Held.DIRECT),
        (direct(1), direct(2), Held.DIRECT, Held.DIRECT, Held.DIRECT),
        (direct(1, ANN), direct(2, ANN), None, None, None),
        (direct(1, ANN), direct(2, ANN, BEN), None, None, None),
        (direct(1, ANN, BEN), direct(2, ANN), Held.DIRECT, Held.DIRECT, Held.DIRECT),
        # What was said in a channel, in a direct message.
        (direct(1, ANN), room(2), Held.UNKNOWN, Held.UNKNOWN, None),
        (direct(1, ANN), room(2, Readers(tokens=frozenset({ANN, BEN}))), None, None, None),
        (direct(1, CLEO), room(2, Readers(tokens=frozenset({ANN, BEN}))), Held.READERS, Held.READERS, None),
        (direct(1, ANN), room(2, STAFF), Held.READERS, Held.READERS, None),
        # The window is private to the owner, and hears what it is opened to.
        (room(1, EVERYONE), window(2), Held.WINDOW, Held.WINDOW, None),
        (direct(1, ANN), window(2), Held.WINDOW, Held.WINDOW, None),
        (window(1), window(2), None, None, None),
        (window(1), direct(2, ANN), Held.DIRECT, Held.DIRECT, None),
        (window(1), room(2, EVERYONE), Held.UNKNOWN, Held.UNKNOWN, None),
    ],
)
def test_each_pair_of_places(
    here: Place, there: Place, strict: Held | None, server: Held | None, opened: Held | None
) -> None:
    assert [held(here, there, mode) for mode in (STRICT, SERVER, OPEN)] == [strict, server, opened]


PEOPLE = st.frozensets(st.sampled_from([ANN, BEN, CLEO]), max_size=3)
READERS = st.none() | st.builds(
    Readers,
    people=PEOPLE,
    tokens=st.none() | st.frozensets(st.sampled_from([ANN, BEN, CLEO, "role:mods", "role:staff"]), max_size=4),
    everyone=st.booleans(),
    barred=st.frozensets(st.sampled_from([ANN, BEN, CLEO]), max_size=2),
)
PLACES = st.builds(
    Place,
    channel=st.integers(1, 4).map(ChannelId),
    kind=st.sampled_from(PlaceKind),
    guild=st.sampled_from(["g1", "g2"]),
    readers=READERS,
)


@given(PLACES, PLACES)
def test_a_freer_mode_never_holds_back_more(here: Place, there: Place) -> None:
    told = [held(here, there, mode) is None for mode in (STRICT, SERVER, OPEN)]
    assert told == sorted(told)


@given(PLACES, PLACES, st.sampled_from(AudienceMode))
def test_words_of_a_direct_message_reach_nobody_else(here: Place, there: Place, mode: AudienceMode) -> None:
    if there.kind is not PlaceKind.DIRECT or here.channel == there.channel or held(here, there, mode) is not None:
        return
    if here.kind is PlaceKind.LOCAL:
        assert mode is OPEN
        return
    assert here.kind is PlaceKind.DIRECT
    assert here.readers is not None
    assert there.readers is not None
    assert here.readers.people
    assert here.readers.people <= there.readers.people


@given(PLACES, PLACES)
def test_unknown_readers_are_taken_for_nobody(here: Place, there: Place) -> None:
    if there.kind is PlaceKind.SERVER and there.readers is None and here.channel != there.channel:
        assert held(here, there, STRICT) is not None


@given(PLACES, PLACES, st.sampled_from([ANN, BEN, CLEO]), st.sampled_from(["role:mods", "role:staff", ""]))
def test_whoever_hears_something_could_have_read_it(here: Place, there: Place, person: PersonKey, role: str) -> None:
    if {here.kind, there.kind} != {PlaceKind.SERVER} or here.guild != there.guild or held(here, there, STRICT):
        return
    if here.readers is None or there.readers is None or here.channel == there.channel:
        return

    def reads(readers: Readers) -> bool:
        able = readers.everyone or bool({person, role} & (readers.tokens or frozenset()))
        return able and person not in readers.barred

    assert reads(there.readers) or not reads(here.readers)


def test_an_audience_names_what_it_may_not_hear_and_why() -> None:
    here, secret, gone = room(1, EVERYONE), direct(2, ANN), ChannelId(9)
    audience = audience_of(here, [here, room(3, EVERYONE), secret, window(4)], STRICT)
    assert audience.open_to == {1, 3}
    assert audience.closed == {2: Held.DIRECT, 4: Held.WINDOW}
    assert audience.why_held((ChannelId(1), ChannelId(3))) is None
    assert audience.why_held((ChannelId(1), ChannelId(2))) is Held.DIRECT
    assert audience.why_held((gone,)) is Held.GONE
    assert audience.why_held((None,)) is Held.OWNER
    assert not audience.everything
    assert audience_of(window(4), [here, secret, window(4)], OPEN).everything
    assert not Audience(ChannelId(1), STRICT).everything


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        (direct(1, ANN), None),
        (direct(1, ANN, BEN), None),
        (direct(1, BEN), Held.DIRECT),
        (direct(1), Held.UNKNOWN),
        (window(), Held.WINDOW),
        (room(1, EVERYONE), None),
        (room(1, MODS), None),
        (room(1, Readers(tokens=frozenset({"role:staff"}))), Held.READERS),
        (room(1), Held.UNKNOWN),
        (room(1, EVERYONE, "g2"), Held.SERVER),
        (room(1, MODS, "g2"), Held.SERVER),
        (room(1, Readers(tokens=frozenset({ANN})), "g2"), None),
        (room(1, Readers(everyone=True, barred=frozenset({ANN}))), Held.READERS),
        (room(1, Readers(tokens=frozenset({"role:mods"}), barred=frozenset({ANN}))), Held.READERS),
        (room(1, Readers(everyone=True, barred=frozenset({"role:mods"}))), Held.READERS),
        (room(1, Readers(tokens=frozenset({ANN}), barred=frozenset({"role:mods"}))), None),
        (room(1, NOT_BEN), None),
    ],
)
def test_one_person_alone_is_told_what_they_can_read(there: Place, reason: Held | None) -> None:
    reader = Reader(frozenset({ANN}), frozenset({ANN, "role:mods"}), "g1")
    assert held_from(there, reader) is reason


def test_the_channel_somebody_asks_from_is_open_to_them() -> None:
    audience = audience_of_reader(Reader(frozenset({ANN})), [room(1), room(2)], ChannelId(1))
    assert audience.open_to == {ChannelId(1)}
    assert audience.why_held([ChannelId(2)]) is Held.UNKNOWN
    assert audience.why_held([None]) is Held.OWNER
