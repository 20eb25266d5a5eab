"""Shows pages and forms through the client library, and brings presses of their buttons to whoever handles them.

Every answer is for whoever asked, and seen by nobody else.
"""

from __future__ import annotations

import io
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Self

import discord

from familiar_app.discord_link.asker import asker_of
from familiar_app.discord_link.command_desk import Desk, Host, host_of
from familiar_app.discord_link.fault import EXPECTED
from familiar_app.discord_link.page import (
    ID_PATTERN,
    Ask,
    DeclinedError,
    Form,
    Opens,
    Page,
    Press,
    Routes,
    fitting,
    id_of,
    parts_of,
)
from familiar_app.domain.errors import FamiliarError

_FAILED = "That did not work. The owner of the familiar finds the reason in the log."
_GONE = "This familiar is not here any more."
# Nobody tells when a form is closed without being sent, so the oldest are forgotten.
_MOST_BOXES = 200
_STYLES = {
    "plain": discord.ButtonStyle.secondary,
    "danger": discord.ButtonStyle.danger,
    "good": discord.ButtonStyle.success,
}
log = logging.getLogger(__name__)
Work = Callable[[], Awaitable[Page]]
Interaction = discord.Interaction[Any]


class Panels:
    """The panels of one connection."""

    def __init__(self, desk: Desk, routes: Routes) -> None:
        self._desk = desk
        self._routes = routes
        self._button = _button_class(self._pressed)
        self._open_boxes: deque[_Box] = deque()

    def listen(self, client: discord.Client) -> None:
        """Take the presses of buttons, also of those that were shown before this connection."""
        client.add_dynamic_items(self._button)

    async def answer(
        self, interaction: Interaction, familiar: str | None, work: Callable[[Ask], Awaitable[Page]]
    ) -> None:
        """Answer a command: at once that it is being worked on, then with the page."""
        host = host_of(self._desk, familiar)
        try:
            # Without `thinking` the press of a button would be answered where everybody reads it.
            await interaction.response.defer(ephemeral=True, thinking=True)
            page = Page(_GONE) if host is None else await _done(lambda: work(Ask(host, asker_of(interaction))))
            await interaction.followup.send(fitting(page.text), ephemeral=True, **self._shown(page, host))
        except EXPECTED:
            log.warning("a slash command could not be answered")

    async def _pressed(self, interaction: Interaction, custom_id: str) -> None:
        action, familiar, args = parts_of(custom_id)
        host = host_of(self._desk, familiar)
        try:
            if host is None:
                await self._edit(interaction, Page(_GONE), None)
            elif (aside := self._routes.aside.get(action)) is not None:
                await self.answer(interaction, familiar, lambda ask: aside(replace(ask, args=args)))
            elif (opens := self._routes.opens.get(action)) is not None:
                await self._open(interaction, host, await _opened(opens, Ask(host, asker_of(interaction), args)))
            elif (does := self._routes.does.get(action)) is not None:
                await self._do(interaction, host, lambda: does(Ask(host, asker_of(interaction), args)))
        except EXPECTED:
            log.warning("the press of a button could not be answered")

    async def _open(self, interaction: Interaction, host: Host, opened: Form | Page) -> None:
        if isinstance(opened, Page):
            await self._edit(interaction, opened, host)
            return
        form = opened

        async def submitted(again: Interaction, text: str) -> None:
            ask = Ask(host, asker_of(again), form.args, text)
            await self._do(again, host, lambda: self._routes.does[form.action](ask))

        # By the number of the press, so that two people who fill in the same form do not end each other's.
        custom_id = f"{id_of(form.action, host.familiar)}:{interaction.id}"
        box = _Box(form, custom_id, submitted)
        self._open_boxes.append(box)
        if len(self._open_boxes) > _MOST_BOXES:
            self._open_boxes.popleft().stop()
        await interaction.response.send_modal(box)

    async def _do(self, interaction: Interaction, host: Host, work: Work) -> None:
        try:
            await interaction.response.defer()
            page = await _done(work)
            shown = self._shown(page, host)
            if (file := shown.pop("file", None)) is not None:
                shown["attachments"] = [file]
            shown.setdefault("view", None)
            await interaction.edit_original_response(content=fitting(page.text), **shown)
        except EXPECTED:
            log.warning("the press of a button could not be answered")

    async def _edit(self, interaction: Interaction, page: Page, host: Host | None) -> None:
        shown = self._shown(page, host)
        await interaction.response.edit_message(content=fitting(page.text), view=shown.get("view"), attachments=[])

    def _shown(self, page: Page, host: Host | None) -> dict[str, Any]:
        """Return what goes with the text of a page."""
        shown: dict[str, Any] = {}
        if page.rows and host is not None:
            shown["view"] = self._view(page.rows, host)
        if page.file is not None:
            name, text = page.file
            shown["file"] = discord.File(io.BytesIO(text.encode()), filename=name)
        return shown

    def _view(self, rows: tuple[tuple[Press, ...], ...], host: Host) -> discord.ui.View:
        view = discord.ui.View(timeout=None)
        for number, row in enumerate(rows):
            for press in row:
                button: discord.ui.Button[Any] = discord.ui.Button(
                    label=press.label,
                    custom_id=id_of(press.action, host.familiar, press.args),
                    style=_STYLES[press.style],
                    disabled=press.disabled,
                    row=number,
                )
                view.add_item(button)
        # The library need not wait for presses of this very view: they are found by their ids.
        view.stop()
        return view


async def _done(work: Work) -> Page:
    """Do what was asked for; what cannot be done is a sentence."""
    try:
        return await work()
    except DeclinedError as declined:
        return Page(declined.message)
    except FamiliarError as error:
        log.warning("a slash command failed: %s", type(error).__name__)
        return Page(_FAILED)


async def _opened(opens: Opens, ask: Ask) -> Form | Page:
    """Return the form that a press opens, or why there is none."""
    try:
        return await opens(ask)
    except DeclinedError as declined:
        return Page(declined.message)
    except FamiliarError as error:
        log.warning("a form could not be opened: %s", type(error).__name__)
        return Page(_FAILED)


def _button_class(pressed: Callable[[Interaction, str], Awaitable[None]]) -> type[discord.ui.DynamicItem[Any]]:
    """Return the kind of button whose presses are brought to `pressed`, whenever and wherever they were shown."""

    class Pressed(discord.ui.DynamicItem[discord.ui.Button[Any]], template=ID_PATTERN):
        @classmethod
        async def from_custom_id(cls, _interaction: Interaction, item: discord.ui.Item[Any], _match: Any, /) -> Self:
            return cls(item)  # type: ignore[arg-type]

        async def callback(self, interaction: Interaction) -> None:
            await pressed(interaction, self.custom_id)

    return Pressed


class _Box(discord.ui.Modal):
    """A form as the client library shows it."""

    def __init__(self, form: Form, custom_id: str, submitted: Callable[[Interaction, str], Awaitable[None]]) -> None:
        super().__init__(title=form.title, custom_id=custom_id, timeout=None)
        self._submitted = submitted
        self._box: discord.ui.TextInput[Any] = discord.ui.TextInput(
            label=form.label,
            default=form.value or None,
            placeholder=form.placeholder or None,
            max_length=min(form.max_chars, 4000),
            style=discord.TextStyle.paragraph if form.long else discord.TextStyle.short,
        )
        self.add_item(self._box)

    async def on_submit(self, interaction: Interaction, /) -> None:
        await self._submitted(interaction, self._box.value)
