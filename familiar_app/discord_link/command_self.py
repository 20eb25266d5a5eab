"""The commands with which everybody sees and decides what is kept about themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import discord
from discord import app_commands

from familiar_app.discord_link import command_forget, command_know, command_memory, command_notice, command_privacy
from familiar_app.discord_link.command_desk import Desk
from familiar_app.discord_link.command_manage import for_managers, made
from familiar_app.discord_link.page import Ask, Page, Routes
from familiar_app.discord_link.panel import Panels

FORGET_MESSAGE = "Forget this message"
_MAX_SENTENCE_CHARS = 1000
_MAX_TAG_CHARS = 300
Interaction = discord.Interaction
Works = Callable[[Ask], Awaitable[Page]]


def add_self(client: discord.Client, tree: app_commands.CommandTree[Any], desk: Desk) -> None:
    """Give a client the commands, and let it listen to their buttons."""
    routes = Routes()
    for module in (command_know, command_memory, command_forget, command_privacy, command_notice):
        module.add_routes(routes)
    panels = Panels(desk, routes)
    panels.listen(client)
    _add_know(tree, desk, panels)
    _add_memories(tree, desk, panels)
    _add_privacy(tree, desk, panels)
    _add_forget(tree, desk, panels)


def _add_know(tree: app_commands.CommandTree[Any], desk: Desk, panels: Panels) -> None:
    async def know(interaction: Interaction, familiar: str | None = None) -> None:
        await panels.answer(interaction, familiar, command_know.show)

    tree.add_command(made("what-do-you-know", "See what is kept about you, and have it forgotten.", know, desk))


def _add_memories(tree: app_commands.CommandTree[Any], desk: Desk, panels: Panels) -> None:
    @app_commands.describe(
        text="What to remember; {user} stands for you",
        about="You, or this server (managers)",
        tags="Only in these channels (#general), or where these words occur; commas between them",
    )
    async def remember(
        interaction: Interaction,
        text: app_commands.Range[str, 1, _MAX_SENTENCE_CHARS],
        about: Literal["me", "server"] = "me",
        tags: app_commands.Range[str, 0, _MAX_TAG_CHARS] = "",
        familiar: str | None = None,
    ) -> None:
        await panels.answer(interaction, familiar, _with(command_memory.remember, about, tags, text=text))

    @app_commands.describe(about="You, or this server (managers)")
    async def memories(
        interaction: Interaction, about: Literal["me", "server"] = "me", familiar: str | None = None
    ) -> None:
        await panels.answer(interaction, familiar, _with(command_memory.show, about))

    tree.add_command(made("remember", "Have something remembered about you.", remember, desk))
    tree.add_command(made("memories", "See, change and remove what was saved about you.", memories, desk))


def _add_privacy(tree: app_commands.CommandTree[Any], desk: Desk, panels: Panels) -> None:
    async def privacy(interaction: Interaction, familiar: str | None = None) -> None:
        await panels.answer(interaction, familiar, command_privacy.show)

    @app_commands.describe(switch="Whether people have to agree before anything about them is kept")
    async def ask_first(interaction: Interaction, switch: Literal["on", "off"]) -> None:
        await panels.answer(interaction, None, _with(command_privacy.ask_first, switch))

    tree.add_command(
        made("privacy", "Choose what may be kept about you, and read how memory is handled.", privacy, desk)
    )
    asking = made("ask-first", "Let people on this server agree before anything about them is kept.", ask_first, desk)
    tree.add_command(for_managers(asking))


def _add_forget(tree: app_commands.CommandTree[Any], desk: Desk, panels: Panels) -> None:
    group = app_commands.Group(name="forget", description="Have something about you erased for good.")

    @app_commands.describe(link="The link of the message (Copy Message Link)")
    async def message(
        interaction: Interaction, link: app_commands.Range[str, 1, 200], familiar: str | None = None
    ) -> None:
        await panels.answer(interaction, familiar, _with(command_forget.ask_about_message, text=link))

    @app_commands.describe(number="Its number in /memories")
    async def memory(
        interaction: Interaction, number: app_commands.Range[int, 1, 10_000], familiar: str | None = None
    ) -> None:
        await panels.answer(interaction, familiar, _with(command_forget.ask_about_numbered_memory, str(number)))

    async def everything(interaction: Interaction) -> None:
        await panels.answer(interaction, None, command_forget.ask_about_everything)

    async def pointed_at(interaction: Interaction, message: discord.Message) -> None:
        await panels.answer(interaction, None, _with(command_forget.ask_about_message, text=str(message.id)))

    group.add_command(made("message", "One message of yours, or an answer to you.", message, desk))
    group.add_command(made("memory", "One memory about you.", memory, desk))
    group.add_command(made("everything", "Everything about you, of all familiars here.", everything, desk))
    tree.add_command(group)
    tree.add_command(app_commands.ContextMenu(name=FORGET_MESSAGE, callback=pointed_at))


def _with(works: Works, *args: str, text: str = "") -> Works:
    """Return `works` with what the options of the command say."""

    async def work(ask: Ask) -> Page:
        return await works(Ask(ask.host, ask.asker, args, text))

    return work
