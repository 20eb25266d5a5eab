from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from familiar_app.domain.ids import ChannelKey, PersonKey
from familiar_app.domain.turn import Author, NewTurn
from familiar_app.store.vault import Vault

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
BEN = PersonKey("discord:7")
Said = Callable[..., NewTurn]


def at(hours: int) -> datetime:
    return NOON + timedelta(hours=hours)


async def says(vault: Vault, said: Said, hours: int, guild: str | None = None, **names: object) -> None:
    author = Author(BEN, **{"name": "Ben", **names})  # type: ignore[arg-type]
    await vault.turns.append(said("x", at=at(hours), author=author, guild=guild))


async def spans(vault: Vault, kind: str = "name") -> list[tuple[str, datetime, datetime | None]]:
    person = await vault.people.get(BEN)
    assert person is not None
    return [(s.name, s.since, s.until) for s in person.names if s.kind == kind]


async def test_a_key_is_spelt_as_it_was_first(vault: Vault, said: Said) -> None:
    for key in ("local:Ann", "local:ANN", "import:ann"):
        await vault.turns.append(said("x", author=Author(PersonKey(key), "Ann")))
    wanted = ("local:ann", "local:ANN", "import:Ann", "local:annie", "discord:ann")
    found = [await vault.people.spelt(PersonKey(key)) for key in wanted]
    assert found == ["local:Ann", "local:ANN", "import:ann", "local:annie", "discord:ann"]


async def test_the_label_is_the_first_name_there_is(vault: Vault, said: Said) -> None:
    everything = {"username": "ben7", "global_name": "Benjamin", "nickname": "Benny"}
    await says(vault, said, 0, guild="discord:g", **everything)
    assert await vault.people.label(BEN, guild="discord:g") == "Benny"
    assert await vault.people.label(BEN, guild="discord:other") == "Benjamin"
    assert await vault.people.label(BEN) == "Benjamin"


async def test_without_a_global_name_the_newest_display_name_counts(vault: Vault, said: Said) -> None:
    await says(vault, said, 0, name="Ben", username="ben7")
    await says(vault, said, 1, name="Big Ben", username="ben7")
    assert await vault.people.label(BEN) == "Big Ben"
    await says(vault, said, -1, name="Old Ben", username="ben7")
    assert await vault.people.label(BEN) == "Big Ben", "an older turn that arrives late changes nothing today"


async def test_a_username_or_the_bare_id_is_the_last_resort(vault: Vault, said: Said) -> None:
    await says(vault, said, 0, name="", username="ben7")
    assert await vault.people.label(BEN) == "ben7"
    await vault.turns.append(said("hey", mentions=(PersonKey("discord:42"),)))
    assert await vault.people.label(PersonKey("discord:42")) == "42"
    assert await vault.people.label(PersonKey("discord:never-seen")) == "never-seen"


async def test_names_are_spans_that_meet(vault: Vault, said: Said) -> None:
    for hours, name in ((0, "Ben"), (1, "Ben"), (2, "Big Ben"), (3, "Ben")):
        await says(vault, said, hours, name=name)
    assert await spans(vault) == [("Ben", at(0), at(2)), ("Big Ben", at(2), at(3)), ("Ben", at(3), None)]


async def test_nicknames_are_kept_for_each_guild(vault: Vault, said: Said) -> None:
    await says(vault, said, 0, guild="g1", nickname="One")
    await says(vault, said, 1, guild="g2", nickname="Two")
    await says(vault, said, 2, guild="g1", nickname="One")
    assert await vault.people.label(BEN, guild="g1") == "One"
    assert await vault.people.label(BEN, guild="g2") == "Two"
    assert await spans(vault, "nickname") == [("One", at(0), None), ("Two", at(1), None)]


@pytest.mark.parametrize("seed", range(12))
async def test_the_order_of_arrival_does_not_change_todays_name_nor_the_history(
    vault: Vault, said: Said, seed: int
) -> None:
    history = [(0, "A"), (1, "A"), (2, "B"), (3, "B"), (4, "A"), (5, "C")]
    random.Random(seed).shuffle(history)
    for hours, name in history:
        await says(vault, said, hours, name=name)
    assert await vault.people.label(BEN) == "C"
    found = await spans(vault)
    assert [span[2] for span in found[:-1]] == [span[1] for span in found[1:]], "spans meet"
    for hours, name in history:
        holding = [n for n, since, until in found if since <= at(hours) and (until is None or at(hours) < until)]
        assert holding == [name], f"hour {hours}"


@pytest.mark.parametrize("seed", range(6))
async def test_one_import_in_any_order_gives_the_same_names_as_single_appends(
    vault: Vault, said: Said, seed: int
) -> None:
    history = [(0, "A"), (1, "A"), (2, "B"), (3, "B"), (4, "A"), (5, "C")]
    random.Random(seed).shuffle(history)
    await vault.turns.append_many([said("x", at=at(h), author=Author(BEN, name)) for h, name in history])
    found = await spans(vault)
    for hours, name in history:
        holding = [n for n, since, until in found if since <= at(hours) and (until is None or at(hours) < until)]
        assert holding == [name], f"hour {hours}"


async def test_people_are_listed_by_who_spoke_last_and_found_by_any_name(vault: Vault, said: Said) -> None:
    await vault.turns.append(said("x", at=at(5)))
    await says(vault, said, 0, name="Ben", username="otter")
    await says(vault, said, 1, name="Benno", username="otter")
    listed = await vault.people.list()
    assert [(p.key, p.label, p.turns) for p in listed] == [("discord:1", "Ann", 1), (BEN, "Benno", 2)]
    assert (listed[1].first_seen_at, listed[1].last_seen_at) == (at(0), at(1))
    assert [p.key for p in await vault.people.list(search="OTTER")] == [BEN]
    assert [p.key for p in await vault.people.list(search="ben")] == [BEN]
    assert await vault.people.get(PersonKey("discord:99")) is None


async def test_a_person_is_one_across_channels(vault: Vault, said: Said) -> None:
    other = await vault.channels.ensure(ChannelKey("discord:10"))
    await says(vault, said, 0)
    await vault.turns.append(said("y", at=at(1), author=Author(BEN, "Ben", bot=True), channel=other.id))
    person = await vault.people.get(BEN)
    assert person is not None
    assert (person.turns, person.bot, len(person.names)) == (2, True, 1)


async def test_everybody_is_called_by_todays_name_those_of_no_turn_of_their_own_too(vault: Vault, said: Said) -> None:
    await says(vault, said, 0)
    await says(vault, said, 1, name="Benedict")
    quiet = Author(PersonKey("discord:9"), "Cleo")
    await vault.turns.append(said("x", at=at(2), author=Author(PersonKey("local:ann"), "Ann"), mentions=(quiet.key,)))
    found = await vault.people.called()
    assert (found[BEN], found[PersonKey("local:ann")], found[PersonKey("discord:9")]) == ("Benedict", "Ann", "9")
