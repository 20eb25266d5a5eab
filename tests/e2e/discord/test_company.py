"""The links of one vault, and what keeps them from connecting."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.company import Company
from familiar_app.discord_link.status import LinkStatus
from familiar_app.discord_link.token import token_name
from familiar_app.domain.errors import UserError
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.token_lock import lock_token
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import QUICK, Script, Stage, conversation_of, stage


def company(on: Stage, folder: Path, statuses: dict[str, LinkStatus], *, address: str | None = None) -> Company:
    return Company(
        vault=on.vault,
        network=NetworkPolicy(local_only=True),
        clock=on.link.clock,
        tasks=on.tasks,
        locks=folder / "locks",
        addresses=Addresses(address or on.discord.address, on.discord.gateway.url),
        patience=QUICK,
        report=lambda familiar, status: statuses.update({familiar: status}),
    )


async def test_a_token_in_use_and_local_only_mode_are_said(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        await on.vault.secrets.set(token_name(MIRA), on.discord.gateway.token)
        statuses: dict[str, LinkStatus] = {}
        one = [conversation_of(on.vault, MIRA, "Mira", Script())]
        taken = lock_token(on.discord.gateway.token, tmp_path / "locks")
        try:
            with pytest.raises(UserError, match="another running Familiar"):
                await company(on, tmp_path, statuses).run(one)
        finally:
            taken.release()
        assert statuses[MIRA].state == "failed"
        with pytest.raises(UserError, match="Local-only mode is on"):
            await company(on, tmp_path, statuses, address="https://discord.com").run(one)
        assert on.discord.gateway.identified == 0
