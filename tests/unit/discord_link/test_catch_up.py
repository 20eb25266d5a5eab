"""How far an account has heard a channel, whatever others wrote down meanwhile and however often it was cut off."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.discord_link.catch_up import CatchUp
from familiar_app.discord_link.incoming import Heard, Removed, Spot
from familiar_app.domain.errors import OutsideError
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
