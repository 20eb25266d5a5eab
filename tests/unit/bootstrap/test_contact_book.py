"""Who was spoken to is known again the next time the vault is opened; libraries are told to report nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from familiar_app.bootstrap import contact_book
from familiar_app.bootstrap.telemetry import silence_libraries
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.network import RefusedByLocalOnlyError
from familiar_app.store.keys import new_recovery_code
from tests.unit.bootstrap.test_application import gate, mira, script
from tests.unit.bootstrap.test_backing_up import PASSPHRASE, lasting

__all__ = ["script"]


async def test_contacts_outlive_the_vault_s_being_closed(tmp_path: Path, script: Path) -> None:
    application = gate(tmp_path / "profile")
    services = await application.create(PASSPHRASE, mira(script), recovery_code=new_recovery_code(), remember=False)
    services.network.local_only = False
    services.network.check("https://models.example/v1", "Model endpoint")
    services.network.local_only = True
    with pytest.raises(RefusedByLocalOnlyError):
        services.network.check("https://models.example/v1", "Model endpoint")
    await application.close()
    services = await application.unlock(passphrase=PASSPHRASE)
    assert services.network.contacts is not None
    [one] = services.network.contacts.newest_first()
    assert (one.host, one.purpose, one.count, one.refused) == ("models.example", "Model endpoint", 1, 1)
    await application.close()


async def test_what_stays_open_stores_them_now_and_then(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contact_book, "SAVE_EVERY_S", 0.01)
    tasks = TaskRegistry(lambda _name, _error: None)
    application = lasting(tmp_path / "profile", tasks)
    services = await application.create(PASSPHRASE, mira(script), recovery_code=new_recovery_code(), remember=False)
    services.network.local_only = False
    services.network.check("https://models.example/v1", "Model endpoint")
    saved: list[object] = []
    while not saved:
        await asyncio.sleep(0.01)
        saved = await services.vault.state.get(contact_book.STATE_KEY) or []
    assert len(saved) == 1
    await application.close()
    assert len(tasks) == 0


def test_libraries_are_silenced() -> None:
    environment = {"HF_HUB_DISABLE_TELEMETRY": "0"}
    silence_libraries(environment)
    assert environment["HF_HUB_DISABLE_TELEMETRY"] == environment["DO_NOT_TRACK"] == "1"
