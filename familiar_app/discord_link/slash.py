"""The slash commands for those who manage a server. Answers are seen by whoever asks, and by nobody else."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import discord
from discord import app_commands

from familiar_app.discord_link.convert import spot_of
from familiar_app.discord_link.fault import EXPECTED
from familiar_app.discord_link.incoming import Spot
from familiar_app.domain.errors import FamiliarError
from familiar_app.store.vault import Vault

_STATE = "discord.commands"
log = logging.getLogger(__name__)


class Desk(Protocol):
    """What does the work behind the commands. Each answers with a sentence."""

    async def subscribe(self, spot: Spot) -> str: ...

    async def unsubscribe(self, spot: Spot, threads: Sequence[int]) -> str: ...

    async def diagnostics(self, spot: Spot) -> str: ...


def add_commands(client: discord.Client, desk: Desk) -> app_commands.CommandTree:
    """Give a client the commands."""
    tree = app_commands.CommandTree(client)

    async def subscribe(interaction: discord.Interaction) -> None:
        await _answer(interaction, lambda spot, _: desk.subscribe(spot))

    async def unsubscribe(interaction: discord.Interaction) -> None:
        await _answer(interaction, desk.unsubscribe)

    async def diagnostics(interaction: discord.Interaction) -> None:
        await _answer(interaction, lambda spot, _: desk.diagnostics(spot))

    for name, description, callback in (
        ("subscribe", "Listen and speak in this channel from now on.", subscribe),
        ("unsubscribe", "Listen in this channel no longer.", unsubscribe),
        ("diagnostics", "Tell how things stand in this channel.", diagnostics),
    ):
        command: app_commands.Command[app_commands.Group, [], None] = app_commands.Command(
            name=name, description=description, callback=callback
        )
        command.guild_only = True
        command.default_permissions = discord.Permissions(manage_guild=True)
        tree.add_command(command)
    return tree


async def synchronise(tree: app_commands.CommandTree, vault: Vault, me: int) -> None:
    """Tell Discord about the commands, only if they are others than last time."""
    shape = json.dumps([one.to_dict(tree) for one in tree.get_commands()], sort_keys=True, default=str)
    mark = hashlib.sha256(f"{me} {shape}".encode()).hexdigest()
    key = f"{_STATE}.{me}"
    if await vault.state.get(key) == mark:
        return
    try:
        await tree.sync()
    except EXPECTED:
        log.warning("Discord did not take the slash commands")
        return
    await vault.state.set(key, mark)


async def _answer(interaction: discord.Interaction, work: Callable[[Spot, Sequence[int]], Awaitable[str]]) -> None:
    try:
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send(await _outcome(interaction, work), ephemeral=True)
    except EXPECTED:
        log.warning("a slash command could not be answered")


async def _outcome(interaction: discord.Interaction, work: Callable[[Spot, Sequence[int]], Awaitable[str]]) -> str:
    channel, guild = interaction.channel, interaction.guild
    # Discord shows the commands to managers alone, unless the server says otherwise; here the right itself counts.
    if guild is None or not interaction.permissions.manage_guild:
        return "Only those who manage this server can do that."
    if not isinstance(channel, discord.TextChannel | discord.Thread | discord.VoiceChannel):
        return "This is no channel to talk in."
    threads = [] if isinstance(channel, discord.Thread | discord.VoiceChannel) else [one.id for one in channel.threads]
    try:
        return await work(spot_of(channel, guild), threads)
    except FamiliarError as error:
        log.warning("a slash command failed", exc_info=error)
        return "That did not work. The owner of the familiar finds the reason in the log."
