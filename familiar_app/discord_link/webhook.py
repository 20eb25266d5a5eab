"""Lets each of several familiars on one account speak under its own name and picture, by webhooks of its own.

A webhook is made once for a channel and found again after a restart; one that was deleted is made anew. Where the bot
may not make any, and in direct messages, where there are none, the account itself speaks, with the name in front.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import discord

from familiar_app.discord_link.ask import allowed, attached
from familiar_app.discord_link.button import Buttons, view_of
from familiar_app.discord_link.client import GatewayClient
from familiar_app.discord_link.fault import NotPermittedError, explaining
from familiar_app.discord_link.split import LIMIT, units
from familiar_app.domain.errors import FamiliarError, OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.settings import DiscordPersona
from familiar_app.domain.text import tr
from familiar_app.store.vault import Vault

_UNKNOWN_WEBHOOK = 10015
_MAX_NAME_CHARS = 80
_MAX_PICTURE_BYTES = 8 << 20
_POINTER = "-# ↩ "
# Discord takes no webhook that is called by these.
_NOT_IN_NAMES = re.compile(r"(?i)(dis)(cord)|(cly)(de)")
_MARKS = re.compile(r"[@#:`]")
_NO_NAMES = frozenset({"everyone", "here", "system message"})
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Mask:
    """Whom a webhook shows, and how it is to be done."""

    familiar: FamiliarId
    name: str
    way: DiscordPersona
    picture: Callable[[], bytes | None] = lambda: None


@dataclass
class Persona:
    """Speaks for one familiar over an account that others use too. `note` is told once where webhooks are forbidden."""

    client: GatewayClient
    vault: Vault
    mask: Mask
    note: Callable[[FamiliarError], object]
    _hooks: dict[int, discord.Webhook] = field(default_factory=dict)
    _refused: set[int] = field(default_factory=set)
    _told: set[int] = field(default_factory=set)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def reserved(self) -> int:
        """How long what may come before the words of a message is."""
        return units(self._named(""))

    def try_again(self) -> None:
        """Ask for webhooks again where none could be made; the bot may be allowed to by now."""
        self._refused.clear()

    async def send(
        self,
        channel: int,
        text: str,
        *,
        people: Sequence[int] = (),
        answers: int | None = None,
        file: str = "",
        nonce: str = "",
        buttons: Buttons | None = None,
    ) -> int:
        """Send one message and return its number. A webhook cannot reply: where it matters, a link shows to what."""
        place = await self.client.place(channel)
        options: dict[str, Any] = {"username": webhook_name(self.mask.name), "allowed_mentions": allowed(people)}
        if buttons is not None:
            options["view"] = view_of(buttons)
        for _ in range(2):
            hook = await self._hook(place)
            if hook is None:
                named = self._named(text)
                return await self.client.send(
                    channel, named, people=people, answers=answers, file=file, nonce=nonce, buttons=buttons
                )
            if file:
                options["file"] = attached(file)
            sent = await self._post(hook, place, _pointing(place, text, answers), options)
            if sent is not None:
                return sent
        raise NotPermittedError(tr("Webhooks disappear in this channel."), tr("Look who deletes them."))

    async def _post(self, hook: discord.Webhook, place: Any, words: str, options: dict[str, Any]) -> int | None:
        """Send one message by a webhook and return its number, None where the webhook is gone."""
        with explaining(self.client.is_closed):
            try:
                message: discord.WebhookMessage = await hook.send(words, wait=True, **_thread(place), **options)
            except discord.NotFound as error:
                if error.code != _UNKNOWN_WEBHOOK:
                    raise
                log.info("a webhook is gone and will be made again")
                self._hooks.pop(_home(place).id, None)
                return None
        return message.id

    async def edit(
        self,
        channel: int,
        message: int,
        text: str,
        *,
        people: Sequence[int] = (),
        file: str = "",
        buttons: Buttons | None = None,
    ) -> None:
        """Give one of the familiar's messages other words, another file or none, and buttons or none."""
        place = await self.client.place(channel)
        sent = await self._sent(place, message)
        if sent is None:
            named = self._named(text)
            with _as_lost():
                await self.client.edit(channel, message, named, people=people, file=file, buttons=buttons)
            return
        pointer = sent.content.partition("\n")[0] + "\n" if sent.content.startswith(_POINTER) else ""
        with explaining(self.client.is_closed):
            await sent.edit(
                content=f"{pointer}{text}" if units(f"{pointer}{text}") <= LIMIT else text,
                attachments=[attached(file)] if file else [],
                allowed_mentions=allowed(people),
                view=None if buttons is None else view_of(buttons),
            )

    async def remove(self, channel: int, message: int) -> None:
        """Remove one of the familiar's messages. One that is gone already is no error."""
        place = await self.client.place(channel)
        sent = await self._sent(place, message)
        if sent is None:
            with _as_lost():
                await self.client.remove(channel, message)
            return
        with explaining(self.client.is_closed):
            try:
                await sent.delete()
            except discord.NotFound:
                log.info("a message that was to be removed is gone already")

    async def own_since(self, channel: int, after: int, limit: int = 100) -> list[tuple[int, str]]:
        """Fetch this familiar's messages after another one, with their words as they were to be sent, oldest first."""
        place = await self.client.place(channel)
        known = await self.vault.state.get(self._key(_home(place).id)) or {}
        front, found = self._named(""), []
        with explaining(self.client.is_closed):
            async for one in place.history(limit=limit, after=discord.Object(after), oldest_first=True):
                if one.webhook_id is not None and one.webhook_id == known.get("id"):
                    found.append((one.id, _without_pointer(one.content)))
                elif one.author.id == self.client.me and one.content.startswith(front):
                    found.append((one.id, one.content.removeprefix(front)))
        return found

    async def type_once(self, channel: int) -> None:
        """Show for some ten seconds that the account is writing; Discord knows no other way."""
        await self.client.type_once(channel)

    async def _sent(self, place: Any, message: int) -> discord.WebhookMessage | None:
        """Return a message that the familiar's webhook sent, None where it did not."""
        hook = await self._hook(place, make=False)
        with explaining(self.client.is_closed):
            try:
                return None if hook is None else await hook.fetch_message(message, **_thread(place))
            except discord.NotFound:
                return None

    async def _hook(self, place: Any, *, make: bool = True) -> discord.Webhook | None:
        """Return the familiar's webhook for a channel, None where the account is to speak instead."""
        home = _home(place)
        if self.mask.way == "name" or not hasattr(home, "create_webhook"):
            return None
        if not _may(home) or home.id in self._refused:
            self._without(home.id)
            return None
        self._told.discard(home.id)
        async with self._one_at_a_time:
            if home.id not in self._hooks:
                try:
                    with explaining(self.client.is_closed):
                        found = await self._find(home, make=make)
                except NotPermittedError:
                    self._refused.add(home.id)
                    self._without(home.id)
                    return None
                if found is None:
                    return None
                self._hooks[home.id] = found
            return self._hooks[home.id]

    def _without(self, channel: int) -> None:
        """Tell that the account speaks instead. Raises NotPermittedError where it must not."""
        if self.mask.way == "webhook_only":
            raise NotPermittedError(
                tr("The bot may not make webhooks in a channel, so a familiar does not speak there."),
                tr("Give the bot the right Manage Webhooks, or set 'persona' to \"webhook\"."),
            )
        if channel not in self._told:
            self._told.add(channel)
            self.note(
                NotPermittedError(
                    tr("The bot may not make webhooks in a channel, so it speaks there itself, with names in front."),
                    tr("Give the bot the right Manage Webhooks."),
                )
            )

    async def _find(self, home: Any, *, make: bool) -> discord.Webhook | None:
        key, name = self._key(home.id), webhook_name(self.mask.name)
        known = await self.vault.state.get(key) or {}
        # What others made is not touched; only with its token can a webhook be used.
        ours: list[discord.Webhook] = [
            one for one in await home.webhooks() if one.token and one.user and one.user.id == self.client.me
        ]
        hook = next((one for one in ours if one.id == known.get("id")), None)
        if hook is None and not make:
            return None
        picture = await asyncio.to_thread(self.mask.picture)
        if picture is not None and len(picture) > _MAX_PICTURE_BYTES:
            picture = None
        mark = "" if picture is None else hashlib.sha256(picture).hexdigest()
        if hook is None:
            hook = await home.create_webhook(name=name, avatar=picture)
        elif make and (hook.name, known.get("picture")) != (name, mark):
            hook = await hook.edit(name=name, avatar=picture)
        await self.vault.state.set(key, {"id": hook.id, "picture": mark if make else known.get("picture")})
        return hook

    def _key(self, channel: int) -> str:
        return f"discord.webhook.{self.mask.familiar}.{channel}"

    def _named(self, text: str) -> str:
        return f"**{discord.utils.escape_markdown(self.mask.name)}:** {text}"


@contextlib.contextmanager
def _as_lost() -> Iterator[None]:
    """Take what the account may not touch for what it is: a message of a webhook that is gone."""
    try:
        yield
    except NotPermittedError as error:
        raise OutsideError(
            tr("The webhook that sent a message is gone, so the message cannot be changed."),
            tr("Delete it on Discord."),
        ) from error


def webhook_name(name: str) -> str:
    """Return a name as Discord takes it for a webhook."""
    plain = " ".join(_MARKS.sub(" ", name).split())
    parted = _NOT_IN_NAMES.sub(lambda match: "-".join(part for part in match.groups() if part), plain)
    if parted.casefold() in _NO_NAMES:
        return f"“{parted}”"
    return parted[:_MAX_NAME_CHARS].strip() or "Familiar"


def _home(place: Any) -> Any:
    """Return the channel that has the webhooks of a place: for a thread the one it stands under."""
    return place.parent or place if isinstance(place, discord.Thread) else place


def _thread(place: Any) -> dict[str, Any]:
    return {"thread": place} if isinstance(place, discord.Thread) else {}


def _may(home: Any) -> bool:
    me = home.guild.me
    return me is None or home.permissions_for(me).manage_webhooks


def _pointing(place: Any, text: str, answers: int | None) -> str:
    """Return a text under a link to what it answers, unless that is the newest message anyway."""
    if answers is None or answers == getattr(place, "last_message_id", None):
        return text
    pointer = f"{_POINTER}https://discord.com/channels/{place.guild.id}/{place.id}/{answers}\n{text}"
    return pointer if units(pointer) <= LIMIT else text


def _without_pointer(text: str) -> str:
    return text.partition("\n")[2] if text.startswith(_POINTER) else text
