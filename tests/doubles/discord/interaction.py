"""Commands, buttons and forms as people use them: what they send, and what only they see of the answer."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.discord.scene import EPHEMERAL, Scene
from tests.doubles.discord.world import DM, EVERYTHING, VIEW, Payload

COMMAND, COMPONENT, FORM = 2, 3, 5
SHOWN, DEFERRED, DEFERRED_EDIT, EDITED, ASKED_BACK = 4, 5, 6, 7, 9
_MESSAGE_COMMAND = 3
_SUB, _TEXT, _NUMBER = 1, 3, 4


@dataclass
class Answer:
    """What somebody is shown: a text with buttons and files, or a form. `alone` tells whether nobody else sees it."""

    text: str
    components: list[Payload] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    alone: bool = True
    form: Payload | None = None
    message: Payload | None = None

    @property
    def buttons(self) -> dict[str, Payload]:
        """The buttons by what they say."""
        rows = [one.get("components", []) for one in self.components]
        return {str(one.get("label")): one for row in rows for one in row}


@dataclass
class Interactions:
    """Uses what the bot offers."""

    scene: Scene
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def use(
        self, who: str, name: str, *, channel: str = "general", manager: bool = False, **options: str | int
    ) -> Answer:
        """Use a slash command; `name` may be `forget message`."""
        first, _, rest = name.partition(" ")
        given: list[Payload] = [
            {"name": one, "type": _NUMBER if isinstance(value, int) else _TEXT, "value": value}
            for one, value in options.items()
        ]
        if rest:
            given = [{"name": rest, "type": _SUB, "options": given}]
        await self._known(first)
        return await self._ask(who, COMMAND, {"name": first, "type": 1, "options": given}, channel, manager)

    async def point_at(self, who: str, name: str, message: int, *, channel: str = "general") -> Answer:
        """Use a command out of the menu of a message."""
        await self._known(name)
        shown = self.scene.discord.world.messages[message]
        data = {
            "name": name,
            "type": _MESSAGE_COMMAND,
            "target_id": str(message),
            "resolved": {"messages": {str(message): shown}},
        }
        return await self._ask(who, COMMAND, data, channel, manager=False)

    async def press(
        self, who: str, answer: Answer, label: str, *, channel: str = "general", manager: bool = False
    ) -> Answer:
        """Press a button under an answer."""
        button = answer.buttons[label]
        assert not button.get("disabled"), f"'{label}' cannot be pressed"
        data = {"custom_id": button["custom_id"], "component_type": 2}
        return await self._ask(who, COMPONENT, data, channel, manager, message=self._message(answer, channel))

    async def fill_in(
        self, who: str, form: Answer, text: str, *, channel: str = "general", manager: bool = False
    ) -> Answer:
        """Write into a form and send it."""
        assert form.form is not None, f"this is no form: {form.text}"
        filled = [_filled(row, text) for row in form.form["components"]]
        data = {"custom_id": form.form["custom_id"], "components": filled, "resolved": {}}
        return await self._ask(who, FORM, data, channel, manager, message=form.message)

    async def _known(self, name: str) -> None:
        commands = self.scene.discord.rest
        await self.scene.until(lambda: any(one["name"] == name for one in commands.commands), f"for /{name}")

    async def _ask(
        self,
        who: str,
        kind: int,
        data: Payload,
        channel: str,
        manager: bool,
        *,
        message: Payload | None = None,
    ) -> Answer:
        discord, token = self.scene.discord, f"interaction-{next(self._numbers)}"
        known = next((one["id"] for one in discord.rest.commands if one["name"] == data.get("name")), "0")
        place = discord.world.channels[self.scene.channels[channel]]
        event: Payload = {
            "id": str(discord.world.snowflake()),
            "application_id": str(discord.world.me.id),
            "type": kind,
            "token": token,
            "version": 1,
            "channel_id": place["id"],
            "channel": place,
            "data": {"id": known, **data},
            "locale": "en-US",
            "app_permissions": str(EVERYTHING),
            "entitlements": [],
            "authorizing_integration_owners": {},
            "context": 1 if place["type"] == DM else 0,
            "attachment_size_limit": 1 << 20,
            **self._person(who, place, manager=manager),
        }
        if message is not None:
            event["message"] = message
        await discord.gateway.tell("INTERACTION_CREATE", event)
        return await self._answer(token, message)

    def _person(self, who: str, place: Payload, *, manager: bool) -> Payload:
        person = self.scene.people[who]
        if place["type"] == DM:
            return {"user": person.user()}
        rights = str(EVERYTHING if manager else VIEW)
        return {
            "guild_id": str(self.scene.discord.world.guild),
            "member": {"user": person.user(), **person.member(), "permissions": rights},
        }

    async def _answer(self, token: str, message: Payload | None) -> Answer:
        """Wait for what is shown in the end."""
        rest = self.scene.discord.rest

        def received() -> list[Payload]:
            return [one for one in rest.callbacks if one.get("token") == token]

        def is_complete() -> bool:
            got = received()
            return bool(got) and (len(got) > 1 or got[0]["type"] not in (DEFERRED, DEFERRED_EDIT))

        await self.scene.until(is_complete, "for the answer to somebody")
        first, last = received()[0], received()[-1]
        shown: Payload = last if last.get("follow_up") else last["data"]
        if first["type"] == ASKED_BACK:
            return Answer("", form=shown, message=message)
        own = message is not None and bool(message["flags"] & EPHEMERAL)
        flags = (first.get("data") or {}).get("flags") or 0
        alone = own if first["type"] in (DEFERRED_EDIT, EDITED) else bool(flags & EPHEMERAL)
        return Answer(str(shown.get("content") or ""), shown.get("components") or [], last["files"], alone)

    def _message(self, answer: Answer, channel: str) -> Payload:
        """Return the message an answer is shown as."""
        world = self.scene.discord.world
        message = world.add_message(self.scene.channels[channel], world.me, answer.text)
        world.messages.pop(int(message["id"]))
        return {**message, "components": answer.components, "flags": EPHEMERAL if answer.alone else 0}


def _filled(row: Payload, text: str) -> Payload:
    """Return a row of a form with what was written in it."""
    if "component" in row:
        inside: dict[str, Any] = row["component"]
        return {"type": row["type"], "component": {**_written(inside, text)}}
    return {"type": row["type"], "components": [_written(one, text) for one in row["components"]]}


def _written(box: Payload, text: str) -> Payload:
    return {"type": box["type"], "custom_id": box["custom_id"], "value": text}
