"""What happens while nobody looks: fresh words of familiars in local channels and failures, each told once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.discord_link.standing import Standing
from familiar_app.discord_link.status import LOCAL_ONLY, REFUSED, LinkStatus
from familiar_app.domain.alarm import ALARM_DUE
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId, TraceId, TurnId
from familiar_app.domain.turn import Role, Turn
from familiar_app.store.backup_keeper import BackupState
from familiar_app.ui.shell.happening import Happening, Happenings
from tests.doubles.waiting import until

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MIRA = FamiliarId("mira")
SAID = Turn(
    TurnId(7), ChannelId(1), ChannelKey("local:main"), Role.ASSISTANT, "The kettle is on.", NOON, NOON,
    familiar=MIRA, answers=TurnId(6), trace=TraceId(3),
)  # fmt: skip


class Log:
    """Turns by channel, and whoever watches them."""

    def __init__(self) -> None:
        self.turns: dict[int, list[Turn]] = {1: [], 2: []}
        self.watchers: list[Callable[[Sequence[TurnId]], None]] = []

    def watch(self, watcher: Callable[[Sequence[TurnId]], None]) -> None:
        self.watchers.append(watcher)

    def unwatch(self, watcher: Callable[[Sequence[TurnId]], None]) -> None:
        self.watchers.remove(watcher)

    async def page(self, channel: int, *, limit: int) -> list[Turn]:
        return self.turns[channel][-limit:]

    async def get(self, number: int) -> Turn | None:
        return next((one for page in self.turns.values() for one in page if one.id == number), None)

    def write(self, *turns: Turn) -> None:
        for one in turns:
            self.turns[one.channel].append(one)
        for watcher in self.watchers:
            watcher(())


class Hub:
    """How one familiar stands with Discord."""

    def __init__(self) -> None:
        self.standing = Standing(on=True, token=True)
        self.listeners: list[Callable[[FamiliarId], object]] = []

    def of(self, _familiar: FamiliarId) -> Standing:
        return self.standing

    def listen(self, listener: Callable[[FamiliarId], object]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def become(self, status: LinkStatus) -> None:
        self.standing = replace(self.standing, status=status)
        for listener in self.listeners:
            listener(MIRA)


class Stage:
    """An open vault as far as it is watched; `told` has what was told."""

    def __init__(self) -> None:
        self.log, self.hub, self.told = Log(), Hub(), list[Happening]()
        self.backups: list[Callable[[BackupState], object]] = []
        keys = {1: "local:main", 2: "discord:5"}
        channels = [SimpleNamespace(channel=SimpleNamespace(id=n, key=ChannelKey(key))) for n, key in keys.items()]

        async def listed(_familiar: FamiliarId) -> list[Any]:
            return channels

        def listen(listener: Callable[[BackupState], object]) -> Callable[[], None]:
            self.backups.append(listener)
            return lambda: self.backups.remove(listener)

        services: Any = SimpleNamespace(
            clock=FixedClock(NOON),
            familiars={MIRA: SimpleNamespace(name="Mira")},
            vault=SimpleNamespace(turns=self.log, channels=SimpleNamespace(list=listed)),
            backups=SimpleNamespace(listen=listen),
            discord=self.hub,
        )
        self.happenings = Happenings(services, self.told.append)

    async def kinds(self) -> list[str]:
        await self.happenings.look()
        return [one.kind for one in self.told]


async def test_a_reply_in_a_local_channel_is_told_once_and_leads_there() -> None:
    stage = Stage()
    stage.log.write(SAID)
    assert await stage.kinds() == ["reply"]
    assert await stage.kinds() == ["reply"]
    told = stage.told[0]
    assert (told.panel, told.key, told.familiar) == ("chat", "1", MIRA)


async def test_an_answer_to_a_reminder_that_is_due_is_a_reminder() -> None:
    stage = Stage()
    due = replace(SAID, id=TurnId(6), role=Role.SYSTEM, mode=ALARM_DUE, familiar=None, answers=None, trace=None)
    stage.log.write(due, replace(SAID, trace=None))
    assert await stage.kinds() == ["reminder"]


@pytest.mark.parametrize(
    "turn",
    [
        replace(SAID, role=Role.USER, familiar=None),
        replace(SAID, channel=ChannelId(2), channel_key=ChannelKey("discord:5")),
        replace(SAID, arrived_at=NOON - timedelta(seconds=1)),
        replace(SAID, at=NOON - timedelta(days=1)),
        replace(SAID, answers=None, trace=None),
        replace(SAID, familiar=FamiliarId("gone")),
    ],
    ids=["own words", "Discord", "before", "imported", "no answer", "nobody"],
)
async def test_what_needs_no_notification(turn: Turn) -> None:
    stage = Stage()
    stage.log.write(turn)
    assert await stage.kinds() == []


async def test_a_failure_of_discord_is_told_once_until_it_is_mended() -> None:
    stage = Stage()
    running = asyncio.create_task(stage.happenings.run())
    await until(lambda: stage.hub.listeners and stage.log.watchers)
    for _ in range(2):
        stage.hub.become(LinkStatus("failed", REFUSED))
        stage.hub.become(LinkStatus("failed", REFUSED))
    assert [one.kind for one in stage.told] == ["discord"]
    stage.hub.become(LinkStatus("waiting", "Lost."))
    stage.hub.become(LinkStatus("failed", LOCAL_ONLY))
    assert len(stage.told) == 1, "that local-only refuses is the owner's own wish"
    stage.hub.become(LinkStatus("failed", REFUSED))
    assert [one.panel for one in stage.told] == ["discord", "discord"]
    running.cancel()
    await asyncio.wait([running])
    assert stage.hub.listeners == stage.log.watchers == stage.backups == []


async def test_a_backup_that_fails_is_told_once_and_a_burst_of_turns_is_looked_at() -> None:
    stage = Stage()
    running = asyncio.create_task(stage.happenings.run())
    await until(lambda: stage.backups and stage.log.watchers)
    failure = OutsideError("The disk is full.", "Free some room.")
    for state in (BackupState(), BackupState(failure=failure), BackupState(part=0.5, failure=failure)):
        stage.backups[0](state)
    assert [one.kind for one in stage.told] == ["backup"]
    stage.log.write(SAID, replace(SAID, id=TurnId(8)))
    await until(lambda: len(stage.told) == 3)
    running.cancel()
    await asyncio.wait([running])


def test_nothing_private_is_told_by_default() -> None:
    secret = Happening("reply", "chat", "1", MIRA, "Mira", "The kettle is on.")
    assert secret.told(words=False) == ("Familiar", "There is a reply.")
    assert secret.told(words=True) == ("Mira", "The kettle is on.")
    for kind in ("reply", "reminder", "discord", "backup", "locked"):
        plain = " ".join(replace(secret, kind=kind).told(words=False))  # type: ignore[arg-type]
        assert "Mira" not in plain
        assert "kettle" not in plain


def test_long_words_are_cut_to_one_line() -> None:
    told = Happening("reply", name="Mira", text="word\n\n" * 100).told(words=True)[1]
    assert len(told) == 160
    assert "\n" not in told
    assert told.endswith("…")
