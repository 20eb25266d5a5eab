"""The buttons under an answer: have it given again, and take it away.

Their ids name the familiar and the turn that was answered, so that they go on working when the program was ended and
started again; nothing about them is remembered between.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Literal

import discord

from familiar_app.discord_link.fault import explaining
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId, TurnId, is_familiar_id

Action = Literal["again", "bin"]
_PREFIX = "familiar"
_LABELS: dict[Action, str] = {"again": "Answer again", "bin": "Remove"}
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Buttons:
    """What the buttons under an answer are about: who gave it, and the turn it answers."""

    familiar: FamiliarId
    asked: TurnId


def button_id(action: Action, buttons: Buttons) -> str:
    """Return the id of one button; Discord allows it a hundred characters, and a familiar's id has at most 64."""
    return f"{_PREFIX}:{action}:{buttons.familiar}:{buttons.asked}"


def read_button_id(text: str) -> tuple[Action, Buttons] | None:
    """Return what `button_id` wrote; None for the id of anything else."""
    prefix, _, rest = text.partition(":")
    action, _, rest = rest.partition(":")
    familiar, _, turn = rest.rpartition(":")
    if prefix != _PREFIX or action not in _LABELS or not is_familiar_id(familiar):
        return None
    if not (turn.isascii() and turn.isdigit() and len(turn) < 19):
        return None
    return action, Buttons(FamiliarId(familiar), TurnId(int(turn)))


def view_of(buttons: Buttons) -> discord.ui.View:
    """Return the row of buttons in the client library's form."""
    view = discord.ui.View(timeout=None)
    for action, label in _LABELS.items():
        button: discord.ui.Button[discord.ui.View] = discord.ui.Button(
            style=discord.ButtonStyle.secondary, label=label, custom_id=button_id(action, buttons)
        )
        view.add_item(button)
    # A view that has ended is not kept by the library: presses are read from their ids instead, also after a restart.
    view.stop()
    return view


class Whisper:
    """Answers whoever pressed a button, and nobody else."""

    def __init__(self, interaction: discord.Interaction) -> None:
        self._interaction = interaction
        self._one_at_a_time = asyncio.Lock()

    async def acknowledge(self) -> None:
        """Tell Discord that the press has arrived; it waits three seconds for that."""
        async with self._one_at_a_time:
            if not self._interaction.response.is_done():
                await self._interaction.response.defer()

    async def __call__(self, sentence: str) -> None:
        """Say a sentence."""
        try:
            with explaining(self._interaction.client.is_closed):
                await self.acknowledge()
                await self._interaction.followup.send(sentence, ephemeral=True)
        except FamiliarError:
            log.warning("whoever pressed a button could not be answered")
