"""The tools by which a familiar looks into another channel, and turns its attention to one.

Only places whose matter may be heard in the channel of the call are there for them. What was read is for this one
answer: the log keeps that it was read, not the words, so they stay where they were said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from familiar_app.context.history_line import LineStyle, body_text, format_moment, is_own, short_name, speaker_name
from familiar_app.conversation.surroundings import place_named, surroundings_of
from familiar_app.conversation.tool import Caller, Occasion, ToolAnswer
from familiar_app.conversation.tool_part import ToolParts
from familiar_app.domain.chat import ToolSpec
from familiar_app.domain.clock import local_time
from familiar_app.domain.ids import is_of_discord
from familiar_app.domain.speech import clean_quote
from familiar_app.domain.turn import Channel, Role, Turn

READ_CHANNEL = "read_channel"
SHIFT_FOCUS = "shift_focus"
MOST_MESSAGES = 30
_USUAL_MESSAGES = 15
_MOST_CHARS = 4000
_LINE_CHARS = 400
_EVERYWHERE = "all"
_SPOKEN = (Role.USER, Role.ASSISTANT)


@dataclass(frozen=True)
class ReadChannelTool:
    """Reads the newest messages of another channel."""

    parts: ToolParts

    @property
    def spec(self) -> ToolSpec:
        count = f"How many of the newest messages, at most {MOST_MESSAGES}."
        return ToolSpec(
            READ_CHANNEL,
            "Read what was said last in another channel that you listen in.",
            {
                "type": "object",
                "properties": {
                    "channel": {"type": "string", "description": "The channel's name."},
                    "messages": {"type": "integer", "description": count},
                },
                "required": ["channel"],
            },
        )

    def fits(self, occasion: Occasion) -> bool:
        return bool(occasion.around.places)

    async def call(self, arguments: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        count = arguments.get("messages", _USUAL_MESSAGES)
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            return ToolAnswer(False, "messages must be a number above 0.")
        place = await _place(self.parts, arguments, caller)
        if place is None:
            return ToolAnswer(False, "There is no such channel that can be read from here.")
        page = await self.parts.vault.turns.page(place.id, limit=min(count, MOST_MESSAGES))
        turns = [turn for turn in page if turn.role in _SPOKEN]
        if page and is_of_discord(place.key):
            await self.parts.vault.attention.seen(self.parts.familiar, place.id, page[-1].id)
        lines = _newest(await self._lines(place, turns))
        told = f"Read the last {len(lines)} messages of #{_title(place)}."
        text = "\n".join([f"The last {len(lines)} messages of #{_title(place)}:", *lines]) if lines else told
        return ToolAnswer(True, text, told=told, shows=tuple(turn.id for turn in turns))

    async def _lines(self, place: Channel, turns: Sequence[Turn]) -> list[str]:
        familiar = self.parts.familiar
        keys = {turn.author.key for turn in turns if turn.author is not None and not is_own(turn, familiar)}
        found = await self.parts.vault.people.labels(list(keys), guild=place.guild) if keys else {}
        labels = {key: short_name(label) for key, label in found.items()}
        zone = self.parts.config.display.zone()
        style = LineStyle(familiar, short_name(self.parts.char), place, "", zone, 0, labels)
        return [
            f"[{format_moment(local_time(turn.at, zone), with_date=True)} {speaker_name(turn, style)}] "
            f"{clean_quote(body_text(turn), _LINE_CHARS)}"
            for turn in turns
        ]


@dataclass(frozen=True)
class ShiftFocusTool:
    """Turns the familiar's attention to one channel, or to all again. What the owner has pinned stays."""

    parts: ToolParts

    @property
    def spec(self) -> ToolSpec:
        name = f"The channel's name; {_EVERYWHERE} to attend to every channel again."
        return ToolSpec(
            SHIFT_FOCUS,
            "Attend to one channel: elsewhere you only hear who speaks to you, and are told how much is unread.",
            {
                "type": "object",
                "properties": {"channel": {"type": "string", "description": name}},
                "required": ["channel"],
            },
        )

    def fits(self, occasion: Occasion) -> bool:
        around = occasion.around
        known = [*around.places, *([around.here] if around.here is not None else [])]
        return around.focused or sum(is_of_discord(one.key) and one.guild is not None for one in known) > 1

    async def call(self, arguments: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        vault, familiar = self.parts.vault, self.parts.familiar
        if str(arguments.get("channel", "")).strip().casefold() == _EVERYWHERE:
            await vault.attention.shift(familiar, None)
            pinned = await vault.attention.focus(familiar)
            rest = "the channels that the owner has chosen" if pinned else "every channel"
            return ToolAnswer(True, f"You attend to {rest}.")
        place = await _place(self.parts, arguments, caller, with_here=True)
        if place is None or place.guild is None or not is_of_discord(place.key):
            return ToolAnswer(False, "There is no such channel that you could attend to.")
        await vault.attention.shift(familiar, place.id)
        return ToolAnswer(True, f"You attend to #{_title(place)} now.")


async def _place(
    parts: ToolParts, arguments: Mapping[str, Any], caller: Caller, *, with_here: bool = False
) -> Channel | None:
    """Return the place that a call names; places that may not be spoken of here are none."""
    name = arguments.get("channel")
    if not isinstance(name, str) or caller.channel is None:
        return None
    around = await surroundings_of(parts.vault, parts.familiar, parts.config, caller.channel)
    return place_named(name, (*around.places, *([caller.channel] if with_here else [])))


def _newest(lines: Sequence[str]) -> list[str]:
    """Return as many of the last lines as there is room for."""
    kept: list[str] = []
    room = _MOST_CHARS
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]


def _title(place: Channel) -> str:
    return short_name(place.title.strip().lstrip("#"))
