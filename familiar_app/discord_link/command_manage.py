"""The commands for those who manage a server: where the familiar listens, and how things stand."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

import discord
from discord import app_commands

from familiar_app.discord_link.command_desk import Desk
from familiar_app.discord_link.convert import spot_of
from familiar_app.discord_link.fault import EXPECTED
from familiar_app.discord_link.incoming import Spot
from familiar_app.domain.errors import FamiliarError

Work = Callable[[Spot, Sequence[int]], Awaitable[str]]
Callback = Callable[[discord.Interaction], Awaitable[None]]
OPTION = "familiar"
log = logging.getLogger(__name__)


def add_manage(tree: app_commands.CommandTree[Any], desk: Desk) -> None:
    """Give a client the commands."""

    async def subscribe(interaction: discord.Interaction, familiar: str | None = None) -> None:
        await answer_manager(interaction, lambda spot, _: desk.subscribe(spot, familiar))

    async def unsubscribe(interaction: discord.Interaction, familiar: str | None = None) -> None:
        await answer_manager(interaction, lambda spot, threads: desk.unsubscribe(spot, threads, familiar))

    async def diagnostics(interaction: discord.Interaction) -> None:
        await answer_manager(interaction, lambda spot, _: desk.diagnostics(spot))

    async def focus(interaction: discord.Interaction, state: Literal["on", "off"] = "on") -> None:
        await answer_manager(interaction, lambda spot, _: desk.focus(spot, state == "on"))

    for name, description, callback in (
        ("subscribe", "Listen and speak in this channel from now on.", subscribe),
        ("unsubscribe", "Listen in this channel no longer.", unsubscribe),
        ("diagnostics", "Tell how things stand in this channel.", diagnostics),
        ("focus", "Let attention stay with this channel, or no longer.", focus),
    ):
        tree.add_command(for_managers(made(name, description, callback, desk)))


def made(name: str, description: str, callback: Callable[..., Any], desk: Desk) -> app_commands.Command[Any, ..., None]:
    """Return a command. Which familiar is meant is asked only where several listen under one account."""
    if OPTION in inspect.signature(callback).parameters:
        hosts = desk.hosts
        if len(hosts) > 1:
            choices = [app_commands.Choice(name=one.name, value=one.familiar) for one in hosts[:25]]
            app_commands.choices(familiar=choices)(callback)
            app_commands.describe(familiar="Which of the familiars here")(callback)
        else:
            shape = inspect.signature(callback)
            left = [one for one in shape.parameters.values() if one.name != OPTION]
            callback.__signature__ = shape.replace(parameters=left)  # type: ignore[attr-defined]
    return app_commands.Command(name=name, description=description, callback=callback)


def for_managers(command: app_commands.Command[Any, ..., None]) -> app_commands.Command[Any, ..., None]:
    """Let a command be for those who manage a server, as far as Discord sees to it."""
    command.guild_only = True
    command.default_permissions = discord.Permissions(manage_guild=True)
    return command


async def answer_manager(interaction: discord.Interaction, work: Work) -> None:
    """Do what a manager asks for in a channel, and tell them alone what came of it."""
    try:
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send(await _outcome(interaction, work), ephemeral=True)
    except EXPECTED:
        log.warning("a slash command could not be answered")


async def _outcome(interaction: discord.Interaction, work: Work) -> str:
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
