"""What arrives in a chat by other ways than its composer: a reminder in the open channel, a message in another one."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from familiar_app.domain.alarm import NewAlarm
from familiar_app.domain.ids import OWNER, ChannelKey
from familiar_app.domain.turn import NewTurn, Role
from familiar_app.store.vault import Vault
from tests.ui.test_chat import Scene, play, some  # noqa: F401
from tests.unit.ui.chat.stage import MIRA, MIRA_AUTHOR, START

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


async def go_off(vault: Vault, channel: int, text: str) -> None:
    """Let a reminder be due and answered, as the program does it by itself."""
    wanted = NewAlarm(MIRA, channel, START + timedelta(minutes=5), text, OWNER)  # type: ignore[arg-type]
    turn = await vault.alarms.set(wanted, lambda number: f"Reminder {number} is set: {text}")
    due = await vault.alarms.fire(MIRA, turn.id, lambda alarm: f"Reminder {alarm.id} is due: {alarm.text}")
    assert due is not None
    answer = f"Do not forget: {text}"
    await vault.turns.append(
        NewTurn(due.channel, Role.ASSISTANT, answer, START, MIRA_AUTHOR, familiar=MIRA, answers=due.id)
    )


def test_a_reminder_shows_up_in_the_open_channel_with_its_answer(play) -> None:  # noqa: F811
    async def act(scene: Scene) -> None:
        vault, channel = scene.stage.vault, scene.model.open.channel.id
        await go_off(vault, channel, "feed the cat")
        await scene.until(lambda: scene.shown[-1] == "Do not forget: feed the cat")
        assert scene.shown[-2] == "Reminder 41 is due: feed the cat"
        row = next(row for row in scene.view.transcript.rows if row.text.endswith("is due: feed the cat"))
        assert row.name == "Reminder"

    play(act, some)


def test_in_another_channel_it_leaves_a_badge_and_moves_nothing(play) -> None:  # noqa: F811
    async def act(scene: Scene) -> None:
        vault = scene.stage.vault
        other = await vault.channels.ensure(ChannelKey("local:work"), familiar=MIRA, title="Work")
        before = scene.shown
        await go_off(vault, other.id, "call Ben")
        await scene.until(lambda: scene.model.channels.unread > 0)
        assert scene.model.channels.find(other.id).unread == 3
        assert scene.shown == before

    play(act, some)


def test_while_a_reply_is_written_nothing_is_taken_in_twice(play) -> None:  # noqa: F811
    async def act(scene: Scene) -> None:
        talk = scene.stage.talk
        talk.gate.clear()
        scene.view.composer.setPlainText("Hello")
        scene.view.deeds.do("send_or_stop")
        await scene.until(lambda: scene.model.replying and "Hello" in scene.shown)
        await go_off(scene.stage.vault, scene.model.open.channel.id, "feed the cat")
        await asyncio.sleep(0.6)
        assert "Do not forget: feed the cat" not in scene.shown
        talk.gate.set()
        await scene.until(lambda: "Do not forget: feed the cat" in scene.shown)
        assert scene.shown.count("Hello there.") == 1
        assert len(scene.shown) == len(set(scene.shown))

    play(act)
