"""Projectors run while the window has the vault open, and never beside a single command."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from familiar_app.bootstrap.application import Application
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.services import NewFamiliar, Services
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from tests.doubles.waiting import until_told

MIRA, NOON = FamiliarId("mira"), datetime(2026, 1, 1, 12, tzinfo=UTC)
NOTE = {"text": "Ann sings.", "source_turn_ids": [1], "subject_keys": [OWNER]}


@pytest.fixture
def mira(tmp_path: Path) -> NewFamiliar:
    script = tmp_path / "answers.jsonl"
    script.write_text(json.dumps({"slot": "background", "purpose": "rich_note", "reply": [NOTE]}) + "\n")
    return NewFamiliar(card=CharacterCard(name="Mira"), id=MIRA, model=f"scripted:{script}")


def gate(root: Path, *, lasting: bool) -> tuple[Application, TaskRegistry, list[BaseException]]:
    failures: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failures.append(error))
    return Application(Profile(root), clock=FixedClock(NOON), tasks=tasks, lasting=lasting), tasks, failures


async def say(services: Services, count: int) -> None:
    channel = await services.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
    author = Author(OWNER, "Ann")
    await services.vault.turns.append_many(
        [NewTurn(channel.id, Role.USER, f"remark {n}", NOON, author) for n in range(count)]
    )


async def test_an_open_window_notes_what_was_said(tmp_path: Path, mira: NewFamiliar) -> None:
    application, tasks, failures = gate(tmp_path / "profile", lasting=True)
    services = await application.create("three herons", mira, recovery_code=new_recovery_code(), remember=False)
    hosted = await application.reload_familiar(MIRA)
    names = [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("projector")]
    assert sorted(names) == sorted(f"projector {name} of mira" for name in hosted.projectors.names)
    await say(services, 10)
    hosted.projectors.wake("rich_note")
    await until_told(lambda: services.vault.facts.count(MIRA))
    assert [fact.text for fact in await services.vault.facts.page(MIRA)] == ["Ann sings."]
    await application.close()
    assert (len(tasks), failures) == (0, [])


async def test_a_command_starts_no_projector(tmp_path: Path, mira: NewFamiliar) -> None:
    application, tasks, _ = gate(tmp_path / "profile", lasting=False)
    services = await application.create("three herons", mira, recovery_code=new_recovery_code(), remember=False)
    await say(services, 10)
    await asyncio.sleep(0.05)
    assert len(tasks) == 0
    assert await services.vault.facts.count(MIRA) == 0
    await application.close()


async def test_an_unknown_projector_keeps_the_familiar_from_loading(tmp_path: Path, mira: NewFamiliar) -> None:
    application, _, _ = gate(tmp_path / "profile", lasting=True)
    services = await application.create("three herons", mira, recovery_code=new_recovery_code(), remember=False)
    application.profile.save_config(MIRA, {"providers.memory.projectors": ["rich_notes"]})
    with pytest.raises(BadInputError, match="rich_notes"):
        await application.reload_familiar(MIRA)
    names = {task.get_name() for task in asyncio.all_tasks()}
    assert "projector rich_note of mira" in names
    await application.close()
    application, _, _ = gate(tmp_path / "profile", lasting=True)
    services = await application.unlock(passphrase="three herons")
    assert "Known projectors: rich_note" in str(services.broken[MIRA])
    await application.close()


async def test_the_weak_model_that_comes_along_draws_no_memory_by_itself(tmp_path: Path) -> None:
    application, _, _ = gate(tmp_path / "profile", lasting=True)
    weak = NewFamiliar(card=CharacterCard(name="Mira"), id=MIRA, model="smollm2")
    services = await application.create("three herons", weak, recovery_code=new_recovery_code(), remember=False)
    assert services.familiars[MIRA].background.info.weak
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("projector")]
    await application.close()
