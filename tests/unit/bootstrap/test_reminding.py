"""Reminders go off while the window or the service has the vault open, also after a reload, and never in a command."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest

from familiar_app.domain.alarm import NewAlarm
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER
from familiar_app.domain.turn import Turn
from familiar_app.services import NewFamiliar, Services
from familiar_app.store.keys import new_recovery_code
from tests.doubles.waiting import until_told
from tests.unit.bootstrap.test_projecting import MIRA, NOON, gate


@pytest.fixture
def mira(tmp_path: Path) -> NewFamiliar:
    script = tmp_path / "answers.jsonl"
    lines = [{"slot": "prose", "purpose": "reply", "reply": f"The cat, {n}!"} for n in (1, 2)]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return NewFamiliar(card=CharacterCard(name="Mira"), id=MIRA, model=f"scripted:{script}")


async def set_one(services: Services, minutes: float) -> None:
    channel = await services.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    wanted = NewAlarm(MIRA, channel.id, NOON + timedelta(minutes=minutes), "feed the cat", OWNER)
    await services.vault.alarms.set(wanted, lambda number: f"Reminder {number}")


async def log_of(services: Services) -> list[Turn]:
    channel = await services.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    return await services.vault.turns.page(channel.id)


async def said(services: Services, text: str) -> bool:
    return (await log_of(services))[-1].content == text


async def test_an_open_window_reminds_also_after_a_reload(tmp_path: Path, mira: NewFamiliar) -> None:
    application, tasks, failures = gate(tmp_path / "profile", lasting=True)
    services = await application.create("three herons", mira, recovery_code=new_recovery_code(), remember=False)
    await set_one(services, minutes=-1)
    await until_told(lambda: said(services, "The cat, 1!"))
    await application.reload_familiar(MIRA)
    running = [task for task in asyncio.all_tasks() if task.get_name().startswith("reminders of")]
    assert len(running) == 1
    await set_one(services, minutes=-1)
    await until_told(lambda: said(services, "The cat, 2!"))
    await application.close()
    assert (len(tasks), failures) == (0, [])


async def test_a_command_reminds_of_nothing(tmp_path: Path, mira: NewFamiliar) -> None:
    application, tasks, _ = gate(tmp_path / "profile", lasting=False)
    services = await application.create("three herons", mira, recovery_code=new_recovery_code(), remember=False)
    await set_one(services, minutes=-1)
    await asyncio.sleep(0.3)
    assert len(tasks) == 0
    assert await said(services, "Reminder 1")
    await application.close()
