"""Who was spoken to: counted, bounded, and the same after it was stored."""

from __future__ import annotations

import json
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.clock import FixedClock, parse_time
from familiar_app.domain.contact import Contacts

NOON = parse_time("2024-05-01T12:00:00Z")


def test_a_contact_is_counted_by_host_and_purpose() -> None:
    clock = FixedClock(NOON)
    contacts = Contacts(clock)
    contacts.note("a.example", "Replies")
    clock.instant = NOON + timedelta(hours=1)
    contacts.note("a.example", "Replies")
    contacts.note("a.example", "Replies", refused=True)
    contacts.note("a.example", "Fetching models")
    assert {each.purpose for each in contacts.newest_first()} == {"Fetching models", "Replies"}
    one = next(each for each in contacts.newest_first() if each.purpose == "Replies")
    assert (one.count, one.refused) == (2, 1)
    assert (one.first_at, one.last_at) == (NOON, NOON + timedelta(hours=1))


def test_whoever_was_silent_longest_is_forgotten_first() -> None:
    clock = FixedClock(NOON)
    contacts = Contacts(clock, most=3)
    for number in range(5):
        clock.instant = NOON + timedelta(minutes=number)
        contacts.note(f"host{number}", "Replies")
    assert [one.host for one in contacts.newest_first()] == ["host4", "host3", "host2"]


def test_what_was_stored_before_is_added() -> None:
    clock = FixedClock(NOON)
    before = Contacts(clock)
    before.note("a.example", "Replies")
    clock.instant = NOON + timedelta(days=1)
    after = Contacts(clock)
    after.note("a.example", "Replies")
    after.take(json.loads(json.dumps(before.to_json())))
    [one] = after.newest_first()
    assert (one.count, one.first_at, one.last_at) == (2, NOON, NOON + timedelta(days=1))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.booleans()), max_size=30))
def test_storing_loses_nothing(notes: list[tuple[str, str, bool]]) -> None:
    contacts, again = Contacts(FixedClock(NOON)), Contacts(FixedClock(NOON))
    for host, purpose, refused in notes:
        contacts.note(host, purpose, refused=refused)
    again.take(json.loads(json.dumps(contacts.to_json())))
    assert again.newest_first() == contacts.newest_first()


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["host", "purpose", "first_at", "last_at", "count", "refused"]), inner)
        ),
    )
)
def test_whatever_else_was_stored_is_left_out(stored: object) -> None:
    contacts = Contacts(FixedClock(NOON))
    contacts.take(stored)
    contacts.take([stored])
    assert len(contacts.newest_first()) <= 1


def test_changes_are_told() -> None:
    contacts, told = Contacts(FixedClock(NOON)), []
    contacts.changed = lambda: told.append(contacts.version)
    contacts.note("a", "b")
    contacts.clear()
    assert told == [1, 2]
    assert contacts.newest_first() == []
