"""What the owner changes about Discord: connecting, listening, settings of channels; each with the way back. No Qt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import OWNER, ChannelKey
from familiar_app.domain.settings import DiscordMode
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.place import Row
from familiar_app.ui.discord.word import SPEAKS, SPEAKS_IN
from familiar_app.ui.kit.config_change import change_config
from familiar_app.ui.kit.prompt_word import words

if TYPE_CHECKING:
    from familiar_app.services import Gate
    from familiar_app.store.profile import Profile

LISTENS, LISTENS_NO_MORE = tr_later("{name} listens in {channel}."), tr_later("{name} no longer listens in {channel}.")
ATTENDS, ATTENDS_NO_MORE = tr_later("{name} attends to {channel}."), tr_later("{name} no longer attends to {channel}.")
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

        return Outcome(tr("The token is no longer in the vault."), back, again)

    async def switch(self, on: bool) -> Outcome:
        """Connect from now on, or no longer."""
        turn = partial(self.model.hub.switch, self.model.familiar)
        await turn(on)
        name = self.model.name
        text = tr("{name} is connected to Discord.", name=name) if on else tr("{name} is off Discord.", name=name)
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
        text = self._of(row, LISTENS if on else LISTENS_NO_MORE)
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
        text = self._of(row, ATTENDS if on else ATTENDS_NO_MORE)
        return Outcome(text, partial(turn, not on), partial(turn, on))

    async def ask_first(self, row: Row, on: bool) -> Outcome:
        """Let people of a server be asked before anything is remembered about them, or not."""
        server = row.server.key

        async def turn(on: bool) -> None:
            await self.model.vault.privacy.set_opt_in(server, on, familiar=self.model.familiar, by=OWNER)
            await self.model.load()

        await turn(on)
        if on:
            text = tr("People on {server} are remembered only after they agreed.", server=row.server.name)
        else:
            text = tr("People on {server} are remembered unless they object.", server=row.server.name)
        return Outcome(text, partial(turn, not on), partial(turn, on))

    async def mode(self, row: Row, mode: DiscordMode | None) -> Outcome:
        """Speak in a channel in another way; None as everywhere else."""
        return await self._change({self._key(row, "mode"): mode}, self._of(row, SPEAKS_IN[mode]))

    async def layers(self, row: Row, layer: str, on: bool) -> Outcome:
        """Give prompts in a channel one more layer, or one less."""
        channel = row.channel or ChannelKey("")
        made = self.model.layers_with(channel, layer, on)
        where, what = row.title, words(layer)
        if on:
            text = tr("Prompts in {channel} have {layer}.", channel=where, layer=what)
        else:
            text = tr("Prompts in {channel} leave out {layer}.", channel=where, layer=what)
        return await self._change({self._key(row, "prompt_layers"): made}, text)

    async def usual_layers(self, row: Row) -> Outcome:
        """Let prompts in a channel have the familiar's own layers."""
        text = tr("Prompts in {channel} are as elsewhere.", channel=row.title)
        return await self._change({self._key(row, "prompt_layers"): None}, text)

    async def usual_mode(self, mode: DiscordMode) -> Outcome:
        """Speak in another way wherever a channel says nothing of its own."""
        return await self._change({"discord.mode": mode}, tr(SPEAKS[mode], name=self.model.name))

    async def direct(self, on: bool) -> Outcome:
        """Take direct messages, or not."""
        sentence = tr_later("{name} answers direct messages.") if on else tr_later("{name} takes no direct messages.")
        text = tr(sentence, name=self.model.name)
        return await self._change({"discord.direct_messages": on}, text)

    def _of(self, row: Row, sentence: str) -> str:
        """Say something of the familiar and a channel."""
        return tr(sentence, name=self.model.name, channel=row.title)

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
