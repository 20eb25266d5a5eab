"""How far an account has heard a channel, whatever others wrote down meanwhile and however often it was cut off."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.discord_link.catch_up import CatchUp
from familiar_app.discord_link.incoming import Heard, Removed, Spot
from familiar_app.discord_link.listener import Listener
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import ChannelId, ChannelKey, PersonKey
from familiar_app.domain.turn import Author, Channel

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HERE = Channel(ChannelId(1), ChannelKey("discord:10"), None, "general", guild="discord:100")


def heard(number: int) -> Heard:
    return Heard(Spot(10, "general", 100), number, Author(PersonKey("discord:7"), "Ann"), "hello", NOON)


@dataclass
class Household:
    """One channel; `kept` are the messages that the vault has of it, `taken` what it is told of later."""

    kept: list[int]
    taken: list[Any] = field(default_factory=list)
    members: tuple[Any, ...] = (
        SimpleNamespace(
            conversation=SimpleNamespace(config=SimpleNamespace(discord=SimpleNamespace(missed_messages=9)))
        ),
    )

    @property
    def vault(self) -> Any:
        return SimpleNamespace(messages=self)

    async def load(self) -> list[Channel]:
        return [HERE]

    async def take(self, event: Any) -> None:
        self.taken.append(event)

    async def newest(self, _channel: ChannelId) -> str | None:
        return str(max(self.kept)) if self.kept else None

    async def recent(self, _channel: ChannelId, _limit: int) -> list[str]:
        return [str(one) for one in sorted(self.kept, reverse=True)]


@dataclass
class There:
    """What stands in the channel on Discord."""

    numbers: list[int]
    broken: bool = False

    async def newest(self, _channel: int, limit: int) -> list[int]:
        if self.broken:
            raise OutsideError("Gone.")
        return sorted(self.numbers, reverse=True)[:limit]

    def threads(self) -> list[Spot]:
        return []

    async def missed(self, _channel: int, after: int, limit: int) -> list[Heard]:
        return [heard(one) for one in sorted(self.numbers) if one > after][:limit]


def numbers(house: Household) -> list[int]:
    return [one.number for one in house.taken]


async def test_the_vault_tells_how_far_a_channel_is_known_before_anything_was_heard() -> None:
    house = Household([20, 21])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22, 23]))
    assert numbers(house) == [22, 23]


async def test_what_others_wrote_down_does_not_count_as_heard() -> None:
    house = Household([20, 21])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    catch_up.note(heard(20))
    # Another account has heard 22, and 23 was sent while the line was dead already.
    house.kept += [22, 23]
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22, 23]))
    assert numbers(house) == [21, 22, 23]


@pytest.mark.parametrize("broken", [False, True], ids=["cut off again", "refused"])
async def test_what_is_missing_stays_missing_until_it_was_fetched(broken: bool) -> None:
    house = Household([20])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    catch_up.note(heard(20))
    await catch_up.look_up()
    if broken:
        await catch_up.run(There([20, 21, 22], broken=True))
    catch_up.note(heard(22))
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22]))
    assert numbers(house) == [21, 22]
    house.taken.clear()
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22, 23]))
    assert numbers(house) == [23]


async def test_what_a_resumed_connection_brought_is_not_fetched_again() -> None:
    house = Household([20])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    await catch_up.look_up()
    catch_up.note(heard(21))
    catch_up.resumed()
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22]))
    assert numbers(house) == [22]


async def test_an_answer_that_vanished_meanwhile_is_found_although_it_was_never_heard() -> None:
    house = Household([20, 21])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    catch_up.note(heard(20))
    await catch_up.look_up()
    await catch_up.run(There([20, 22]))
    assert [one.number for one in house.taken if isinstance(one, Heard)] == [22]
    assert [one for one in house.taken if isinstance(one, Removed)] == [Removed(10, (21,))]


async def test_a_resumed_connection_closes_no_gap_that_an_earlier_one_left() -> None:
    """A new session breaks before anything was fetched and is resumed: it brings nothing of what came before it."""
    house = Household([20])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    await catch_up.look_up()
    await catch_up.look_up()
    catch_up.resumed()
    assert catch_up.missing
    catch_up.note(heard(23))
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22, 23]))
    assert numbers(house) == [21, 22, 23]
    assert not catch_up.missing


async def test_a_resumed_connection_closes_the_gap_of_its_own_break() -> None:
    catch_up: Any = CatchUp(Household([20]))  # type: ignore[arg-type]
    await catch_up.look_up()
    catch_up.resumed()
    assert not catch_up.missing


@pytest.mark.parametrize("resumed", [False, True])
async def test_what_could_not_be_stored_is_fetched_again_although_more_was_heard_since(resumed: bool) -> None:
    house = Household([20])
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    for number in (20, 21, 22):
        catch_up.arrives(heard(number))
        if number != 21:
            # The disk was full as 21 came.
            catch_up.note(heard(number))
    house.kept.append(22)
    await catch_up.look_up()
    if resumed:
        catch_up.resumed()
    assert catch_up.missing
    await catch_up.run(There([20, 21, 22]))
    assert numbers(house) == [21, 22]
    house.taken.clear()
    catch_up.arrives(heard(23))
    catch_up.note(heard(23))
    await catch_up.look_up()
    await catch_up.run(There([20, 21, 22, 23, 24]))
    assert numbers(house) == [24]


async def test_a_channel_whose_messages_cannot_be_stored_keeps_no_other_from_being_caught_up_on() -> None:
    house = Household([20])
    there = Channel(ChannelId(2), ChannelKey("discord:11"), None, "off-topic", guild="discord:100")
    taken: list[tuple[int, int]] = []

    async def load() -> list[Channel]:
        return [HERE, there]

    async def take(event: Any) -> None:
        if not taken and (event.spot.number, event.number) == (10, 21):
            taken.append((0, 0))
            raise UserError("There is no such turn.")
        taken.append((event.spot.number, event.number))

    async def missed(channel: int, after: int, _limit: int) -> list[Heard]:
        return [replace(heard(one), spot=Spot(channel, "x", 100)) for one in (21, 22) if one > after]

    house.load, house.take = load, take  # type: ignore[method-assign]
    archive = There([20, 21, 22])
    archive.missed = missed  # type: ignore[method-assign]
    catch_up: Any = CatchUp(house)  # type: ignore[arg-type]
    await catch_up.look_up()
    await catch_up.run(archive)
    assert taken[1:] == [(11, 21), (11, 22)]
    assert catch_up.missing
    await catch_up.run(archive)
    assert taken[3:5] == [(10, 21), (10, 22)]


async def test_a_message_that_fails_after_many_others_fails_by_its_own_error() -> None:
    listener: Any = Listener.__new__(Listener)
    listener._handled = deque([20], maxlen=1)

    async def take_in(_heard: Heard) -> None:
        listener._handled.append(22)
        raise OutsideError("The disk is full.")

    listener._passes_over, listener._take_in = lambda _heard: False, take_in
    with pytest.raises(OutsideError, match="disk is full"):
        await listener._hear(heard(21))
    assert list(listener._handled) == [22]
