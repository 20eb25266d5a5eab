"""The gate makes a familiar whole or not at all, whatever gets in between."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.familiar_host import FamiliarHost
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, FamiliarId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.services import Hosted, NewFamiliar
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from tests.doubles.waiting import PATIENCE_S, until

MIRA, NOON = FamiliarId("mira"), datetime(2026, 1, 1, 12, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"slot": "prose", "reply": "Hello."}\n')
    return path


def gate(root: Path) -> Application:
    return Application(Profile(root), clock=FixedClock(NOON), tasks=TaskRegistry(lambda _name, _error: None))


def mira(script: Path, **changes: object) -> NewFamiliar:
    values: dict[str, object] = {"card": CharacterCard(name="Mira"), "id": MIRA, "model": f"scripted:{script}"}
    return NewFamiliar(**{**values, "avatar_png": None, "api_key": None, **changes})  # type: ignore[arg-type]


def files(root: Path) -> list[str]:
    found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return sorted(name for name in found if name != "vault.lock")


@pytest.mark.parametrize("broken", [b"no picture", PNG], ids=["avatar", "model"])
async def test_a_familiar_that_cannot_be_loaded_leaves_nothing_behind(
    tmp_path: Path, script: Path, broken: bytes
) -> None:
    root = tmp_path / "profile"
    application = gate(root)
    code = new_recovery_code()
    if broken == PNG:
        script.write_text("{")
    with pytest.raises(FamiliarError, match=r"PNG|JSON"):
        await application.create("three herons", mira(script, avatar_png=broken), recovery_code=code, remember=False)
    assert files(root) == []
    assert application.state == "new"
    script.write_text('{"slot": "prose", "reply": "Hello."}\n')
    await application.create("three herons", mira(script), recovery_code=code, remember=False)
    before = files(root)
    with pytest.raises(FamiliarError, match="PNG"):
        await application.add_familiar(mira(script, id=FamiliarId("nia"), avatar_png=b"no picture", api_key="key"))
    assert files(root) == before
    assert await application.services.vault.secrets.names() == []
    assert application.profile.familiars() == [MIRA]
    await application.close()


async def test_a_creation_that_is_cancelled_while_the_familiar_is_written_leaves_nothing(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "profile"
    application = gate(root)
    loading = asyncio.Event()

    async def load(_self: FamiliarHost, _familiar: FamiliarId) -> Hosted:
        loading.set()
        await asyncio.sleep(60)
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(FamiliarHost, "host", load)
        creating = asyncio.create_task(
            application.create("three herons", mira(script), recovery_code=new_recovery_code(), remember=False)
        )
        await loading.wait()
        assert application.profile.familiars() == [MIRA]
        creating.cancel()
        with pytest.raises(asyncio.CancelledError):
            await creating
    assert files(root) == []
    await application.create("three herons", mira(script), recovery_code=new_recovery_code(), remember=False)
    assert application.profile.familiars() == [MIRA]
    await application.close()


async def test_a_close_that_is_cancelled_still_closes_the_vault(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "profile"
    application = gate(root)
    await application.create("three herons", mira(script), recovery_code=new_recovery_code(), remember=False)
    closing = asyncio.Event()

    async def wait(_registry: TaskRegistry, _owner: object) -> list[str]:
        closing.set()
        await asyncio.sleep(60)
        return []

    monkeypatch.setattr(TaskRegistry, "cancel", wait)
    task = asyncio.create_task(application.close())
    await closing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [name for name in files(root) if name.startswith("vault.")] == ["vault.db", "vault.keys"]


async def test_what_goes_with_a_familiar_is_looked_up_away_from_the_loop(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application, nia = gate(tmp_path / "profile"), FamiliarId("nia")
    await application.create("three herons", mira(script), recovery_code=new_recovery_code(), remember=False)
    await application.add_familiar(mira(script, id=nia))
    on_the_loop: list[bool] = []
    read = Profile.config

    def config(profile: Profile, familiar: FamiliarId) -> CharacterConfig:
        on_the_loop.append(threading.current_thread() is threading.main_thread())
        return read(profile, familiar)

    monkeypatch.setattr(Profile, "config", config)
    await application.plan_to_remove(nia)
    await application.remove_familiar(nia)
    assert set(on_the_loop) == {False}
    assert application.profile.familiars() == [MIRA]
    await application.close()


@pytest.mark.slow
async def test_vectors_are_filled_in_only_while_meaning_counts(tmp_path: Path, script: Path) -> None:
    errors: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: errors.append(error))
    application = Application(Profile(tmp_path / "p"), clock=FixedClock(NOON), tasks=tasks, lasting=True)
    code = new_recovery_code()
    services = await application.create("three herons", mira(script), recovery_code=code, remember=False)

    def filling() -> int:
        return sum(task.get_name() == "vectors" for task in asyncio.all_tasks())

    async def say(text: str) -> None:
        channel = await services.vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)
        await services.vault.turns.append(NewTurn(channel.id, Role.USER, text, NOON, Author(OWNER, "Ann")))

    on = {"providers.embedding.backend": "hash", "memory.retrieval.embedding_weight": 0.6}
    assert filling() == 0
    for _ in range(2):
        application.profile.save_config(MIRA, on)
        hosted = await application.reload_familiar(MIRA)
        assert hosted.embedder is not None
        name = hosted.embedder.name
        await say("The tide comes twice.")
        async with asyncio.timeout(PATIENCE_S):
            while await services.vault.vectors.count("turn", name) < await services.vault.turns.count():  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert filling() == 1
        application.profile.save_config(MIRA, dict.fromkeys(on))
        assert (await application.reload_familiar(MIRA)).embedder is None
        await until(lambda: filling() == 0)
    await application.close()
    assert errors == []
