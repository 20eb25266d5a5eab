"""What the owner changes about Discord: connecting, listening, settings of channels; each with the way back. No Qt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import OWNER, ChannelKey
from familiar_app.domain.settings import DiscordMode
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.place import Row
from familiar_app.ui.discord.word import MODES
from familiar_app.ui.kit.config_change import change_config
from familiar_app.ui.kit.prompt_word import words

if TYPE_CHECKING:
    from familiar_app.services import Gate
    from familiar_app.store.profile import Profile

Step = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done, what takes it back, and what does it again."""

    text: str
    back: Step
    again: Step


class DiscordActs:
    """The acts of one familiar. `saved` is called after its settings were changed and it was loaded again."""

    def __init__(
        self, model: DiscordModel, gate: Gate, profile: Profile, saved: Callable[[], object] = lambda: None
    ) -> None:
        self.model, self._gate, self._profile, self._saved = model, gate, profile, saved

    async def give_token(self, text: str) -> None:
        """Keep a token in the vault and connect with it. Raises BadInputError where it cannot be one."""
        await self.model.hub.set_token(self.model.familiar, text)
        await self.model.hub.switch(self.model.familiar, True)

    async def take_token(self) -> Outcome:
        """Take the token out of the vault."""
        hub, familiar = self.model.hub, self.model.familiar
        on = hub.of(familiar).on
        token = await hub.set_token(familiar, None)
        await hub.switch(familiar, False)

        async def back() -> None:
            await hub.set_token(familiar, token)
            await hub.switch(familiar, on)

        async def again() -> None:
            await self.take_token()

        return Outcome("The token is no longer in the vault.", back, again)

    async def switch(self, on: bool) -> Outcome:
        """Connect from now on, or no longer."""
        turn = partial(self.model.hub.switch, self.model.familiar)
        await turn(on)
        text = f"{self.model.name} {'is connected to' if on else 'is off'} Discord."
        return Outcome(text, partial(turn, not on), partial(turn, on))

    async def listen(self, row: Row, on: bool) -> Outcome | None:
        """Listen in a channel from now on, or no longer; None where that is not its own to say."""
        if row.place is None or not row.can_listen:
            return None
        number = row.place.number

        async def turn(on: bool) -> None:
            await self.model.hub.subscribe(self.model.familiar, number, on)
            await self.model.load()

        await turn(on)
        text = f"{self.model.name} {'listens' if on else 'no longer listens'} in {row.title}."
        return Outcome(text, partial(turn, not on), partial(turn, on))

    async def attend(self, row: Row, on: bool) -> Outcome | None:
        """Hold its attention to a channel, beside others that are held to, or let go of it."""
        channel = None if row.channel is None else await self.model.vault.channels.find(row.channel)
        if channel is None:
            return None
        attention, number = self.model.vault.attention, channel.id

        async def turn(on: bool) -> None:
            await (attention.pin if on else attention.release)(self.model.familiar, number)
            await self.model.load()

        await turn(on)
        text = f"{self.model.name} {'attends to' if on else 'no longer attends to'} {row.title}."
        return Outcome(text, partial(turn, not on), partial(turn, on))

    async def ask_first(self, row: Row, on: bool) -> Outcome:
        """Let people of a server be asked before anything is remembered about them, or not."""
        server = row.server.key

        async def turn(on: bool) -> None:
            await self.model.vault.privacy.set_opt_in(server, on, familiar=self.model.familiar, by=OWNER)
            await self.model.load()

        await turn(on)
        what = "are remembered only after they agreed" if on else "are remembered unless they object"
        return Outcome(f"People on {row.server.name} {what}.", partial(turn, not on), partial(turn, on))

    async def mode(self, row: Row, mode: DiscordMode | None) -> Outcome:
        """Speak in a channel in another way; None as everywhere else."""
        key = self._key(row, "mode")
        told = "as everywhere else" if mode is None else MODES[mode].lower()
        return await self._change({key: mode}, f"{self.model.name} speaks in {row.title} {told}.")

    async def layers(self, row: Row, layer: str, on: bool) -> Outcome:
        """Give prompts in a channel one more layer, or one less."""
        channel = row.channel or ChannelKey("")
        made = self.model.layers_with(channel, layer, on)
        text = f"Prompts in {row.title} {'have' if on else 'leave out'} {words(layer)}."
        return await self._change({self._key(row, "prompt_layers"): made}, text)

    async def usual_layers(self, row: Row) -> Outcome:
        """Let prompts in a channel have the familiar's own layers."""
        return await self._change({self._key(row, "prompt_layers"): None}, f"Prompts in {row.title} are as elsewhere.")

    async def usual_mode(self, mode: DiscordMode) -> Outcome:
        """Speak in another way wherever a channel says nothing of its own."""
        return await self._change({"discord.mode": mode}, f"{self.model.name} speaks {MODES[mode].lower()}.")

    async def direct(self, on: bool) -> Outcome:
        """Take direct messages, or not."""
        text = f"{self.model.name} {'answers' if on else 'takes no'} direct messages."
        return await self._change({"discord.direct_messages": on}, text)

    def _key(self, row: Row, name: str) -> str:
        return f'channels."{self.model.key_of(row.channel or ChannelKey(""))}".{name}'

    def _now(self, key: str) -> Any:
        """Return the value of a key that this panel changes."""
        config = self.model.hosted.config
        if key.startswith("channels."):
            _, channel, name = key.split('"')
            own = config.channels.get(channel)
            return None if own is None else getattr(own, name.lstrip("."))
        return getattr(config.discord, key.partition(".")[2])

    async def _change(self, changes: dict[str, Any], text: str) -> Outcome:
        before = {key: self._now(key) for key in changes}

        async def turn(changes: dict[str, Any], before: dict[str, Any]) -> None:
            await change_config(self._gate, self._profile, self.model.familiar, changes, before)
            self._saved()

        await turn(changes, before)
        return Outcome(text, partial(turn, before, changes), partial(turn, changes, before))
