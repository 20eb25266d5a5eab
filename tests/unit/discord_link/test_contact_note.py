"""Discord and PluralKit are noted among those the program speaks to, and refused ones too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from familiar_app.discord_link.company import Company
from familiar_app.discord_link.proxy_lookup import PluralKit
from familiar_app.domain.contact import DISCORD, PROXY_LOOKUP, Contacts
from familiar_app.domain.errors import UserError
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.vault import Vault


def company(network: NetworkPolicy, clock: Any, vault: Vault | None = None) -> Company:
    return Company(vault, network, clock, TaskRegistry(lambda *_: None), Path("locks"))  # type: ignore[arg-type]


def test_each_connection_to_discord_is_noted(clock: Any) -> None:
    network = NetworkPolicy(local_only=False, contacts=Contacts(clock))
    made = company(network, clock)
    made._check("https://discord.com/api/v10/gateway")
    made._check("wss://gateway.discord.gg/?v=10")
    network.local_only = True
    with pytest.raises(UserError):
        made._check("wss://gateway.discord.gg/?v=10")
    assert network.contacts is not None
    noted = {(one.host, one.purpose): (one.count, one.refused) for one in network.contacts.newest_first()}
    assert noted == {("discord.com", DISCORD): (1, 0), ("gateway.discord.gg", DISCORD): (1, 1)}


async def test_pluralkit_is_noted_without_the_message(clock: Any) -> None:
    network = NetworkPolicy(local_only=True, contacts=Contacts(clock))
    assert await PluralKit(network)(123456) is None
    assert network.contacts is not None
    [one] = network.contacts.newest_first()
    assert (one.host, one.purpose, one.count, one.refused) == ("api.pluralkit.me", PROXY_LOOKUP, 0, 1)
    assert "123456" not in str(network.contacts.to_json())
