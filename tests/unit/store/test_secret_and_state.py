from __future__ import annotations

import pytest

from familiar_app.domain.errors import BadInputError, BugError
from familiar_app.store.vault import Vault


async def test_secrets_are_set_replaced_named_and_forgotten(vault: Vault) -> None:
    await vault.secrets.set("openai", "sk-1")
    await vault.secrets.set("discord", "token")
    await vault.secrets.set("openai", "sk-2")
    assert await vault.secrets.get("openai") == "sk-2"
    assert await vault.secrets.names() == ["discord", "openai"]
    await vault.secrets.delete("openai")
    await vault.secrets.delete("openai")
    assert await vault.secrets.get("openai") is None
    with pytest.raises(BadInputError):
        await vault.secrets.set("", "x")


@pytest.mark.parametrize("value", [{"a": [1, None, "ä"]}, "draft \ud83d", 0, False, [], 1.5])
async def test_state_keeps_json_values(vault: Vault, value: object) -> None:
    await vault.state.set("key", value)
    expected = "draft \ufffd" if isinstance(value, str) else value
    assert await vault.state.get("key") == expected
    await vault.state.set("key", None)
    assert await vault.state.get("key") is None


async def test_what_json_cannot_hold_is_a_defect(vault: Vault) -> None:
    with pytest.raises(BugError):
        await vault.state.set("key", object())
    assert await vault.state.get("key") is None
