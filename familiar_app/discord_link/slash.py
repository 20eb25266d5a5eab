"""The slash commands of one account. Answers are seen by whoever asks, and by nobody else."""

from __future__ import annotations

import hashlib
import json
import logging

import discord
from discord import app_commands

from familiar_app.discord_link.command_desk import Desk
from familiar_app.discord_link.command_manage import add_manage
from familiar_app.discord_link.command_self import add_self
from familiar_app.discord_link.fault import explaining
from familiar_app.domain.errors import FamiliarError
from familiar_app.store.vault import Vault

_STATE = "discord.commands"
log = logging.getLogger(__name__)


def add_commands(client: discord.Client, desk: Desk) -> app_commands.CommandTree:
    """Give a client the commands."""
    tree = app_commands.CommandTree(client)
    add_manage(tree, desk)
    add_self(client, tree, desk)
    return tree


async def synchronise(tree: app_commands.CommandTree, vault: Vault, me: int) -> None:
    """Tell Discord about the commands, only if they are others than last time."""
    shape = json.dumps([one.to_dict(tree) for one in tree.get_commands()], sort_keys=True, default=str)
    mark = hashlib.sha256(f"{me} {shape}".encode()).hexdigest()
    key = f"{_STATE}.{me}"
    if await vault.state.get(key) == mark:
        return
    try:
        with explaining(tree.client.is_closed):
            await tree.sync()
    except FamiliarError:
        log.warning("Discord did not take the slash commands")
        return
    await vault.state.set(key, mark)
