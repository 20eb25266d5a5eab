"""The tools by which a familiar sets a reminder and takes one back. When it is due is dealt with elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from familiar_app.context.final_reminder import format_local
from familiar_app.conversation.tool import Caller, Occasion, ToolAnswer
from familiar_app.conversation.tool_part import ToolParts
from familiar_app.domain.alarm import MAX_TEXT_CHARS, Alarm, NewAlarm, parse_when
from familiar_app.domain.chat import ToolSpec
from familiar_app.domain.clock import local_time
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import TurnId, is_local
from familiar_app.domain.text import in_english
from familiar_app.domain.turn import Turn
from familiar_app.store.alarm_log import TOOL_CANCEL, TOOL_SET

_NO_PLACE = ToolAnswer(False, "Reminders cannot be used here.")


@dataclass(frozen=True)
class SetAlarmTool:
    """Sets a reminder in the channel in which it is asked for."""

    parts: ToolParts

    @property
    def spec(self) -> ToolSpec:
        when = "Local date and time (2024-05-01T14:30), a time of day (14:30, tomorrow 9:00), or a span (20 minutes)."
        return ToolSpec(
            TOOL_SET,
            "Set a reminder, when somebody asks to be reminded. When it is due, you speak here by yourself.",
            {
                "type": "object",
                "properties": {
                    "when": {"type": "string", "description": when},
                    "text": {"type": "string", "description": "What to remind of, in one short sentence."},
                },
                "required": ["when", "text"],
            },
        )

    def fits(self, _: Occasion) -> bool:
        return True

    async def call(self, arguments: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        when, text = arguments.get("when"), arguments.get("text")
        if not isinstance(when, str) or not isinstance(text, str) or not text.strip():
            return ToolAnswer(False, "A reminder needs when and text, both as text.")
        if len(text) > MAX_TEXT_CHARS:
            return ToolAnswer(False, f"The text is too long; at most {MAX_TEXT_CHARS} characters.")
        if caller.channel is None:
            return _NO_PLACE
        try:
            due = parse_when(when, self.parts.clock.now(), self.parts.config.display.zone())
            turn = await self._set(due, " ".join(text.split()), arguments, caller)
        except UserError as error:
            return ToolAnswer(False, error.english)
        return ToolAnswer(True, turn.content, logged=True, turn=turn.id)

    async def _set(self, due: datetime, text: str, arguments: Mapping[str, Any], caller: Caller) -> Turn:
        parts, context = self.parts, caller.context
        if caller.channel is None:
            raise UserError(_NO_PLACE.text)
        person = None if context.speaker is None else context.speaker.key
        new = NewAlarm(parts.familiar, caller.channel.id, due, text, person, context.source_turn)
        local = format_local(local_time(due, parts.config.display.zone()))
        return await parts.vault.alarms.set(
            new,
            lambda number: f"Reminder {number} is set for {local}: {text}",
            arguments=arguments,
            call_id=caller.call_id,
        )


@dataclass(frozen=True)
class CancelAlarmTool:
    """Takes a reminder back: one of this channel, for whoever asked for it; in the window, for its owner."""

    parts: ToolParts

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            TOOL_CANCEL,
            "Take back a reminder that was set here.",
            {
                "type": "object",
                "properties": {"alarm_id": {"type": "integer", "description": "The number of the reminder."}},
                "required": ["alarm_id"],
            },
        )

    def fits(self, occasion: Occasion) -> bool:
        return occasion.around.reminders > 0

    async def call(self, arguments: Mapping[str, Any], caller: Caller) -> ToolAnswer:
        number = arguments.get("alarm_id")
        if not isinstance(number, int) or isinstance(number, bool):
            return ToolAnswer(False, "A reminder is named by its number, alarm_id.")
        alarm = await self._own(TurnId(number), caller)
        if alarm is None:
            return ToolAnswer(False, f"There is no reminder {number} here that may be taken back.")
        words = f"Reminder {number} is taken back: {alarm.text}"
        try:
            turn = await self.parts.vault.alarms.cancel(
                self.parts.familiar, alarm.id, words=words, arguments=arguments, call_id=caller.call_id
            )
        except UserError as error:
            return ToolAnswer(False, in_english(error.message))
        return ToolAnswer(True, words, logged=True, turn=turn.id)

    async def _own(self, number: TurnId, caller: Caller) -> Alarm | None:
        """Return the reminder if whoever speaks may take it back."""
        channel, speaker = caller.channel, caller.context.speaker
        if channel is None:
            return None
        waiting = await self.parts.vault.alarms.waiting(self.parts.familiar, channel=channel.id)
        found = next((one for one in waiting if one.id == number), None)
        if found is None or is_local(channel.key):
            return found
        return found if speaker is not None and speaker.key == found.person else None
