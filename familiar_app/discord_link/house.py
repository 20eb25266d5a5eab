"""The familiars of one account. Each listens for itself; whom of them an event concerns is decided here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from familiar_app.conversation.exchange import Conversation
from familiar_app.discord_link.command_desk import Host
from familiar_app.discord_link.focusing import attention_here, set_focus, workings
from familiar_app.discord_link.handling import statement_of
from familiar_app.discord_link.household import Meant, Resident, who_is_meant
from familiar_app.discord_link.incoming import Changed, Heard, Incoming, Pressed, Reacted, Spot, channel_number
from familiar_app.discord_link.listener import Listener
from familiar_app.discord_link.scribe import Scribe
from familiar_app.discord_link.webhook import webhook_name
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.statement import Handled
from familiar_app.domain.turn import Channel, Role
from familiar_app.store.vault import Vault


@dataclass(eq=False, slots=True)
class Member:
    """One familiar of the house."""

    conversation: Conversation
    scribe: Scribe
    listener: Listener

    @property
    def familiar(self) -> FamiliarId:
        return self.conversation.familiar

    def resident(self, heard: Heard) -> Resident:
        """Return by what names it is called, and whether it is first where something was heard."""
        settings, config, name = self.conversation.config.discord, self.conversation.config, self.conversation.name
        there = config.discord_first(heard.spot.key, heard.spot.parent_key)
        first = there if there is not None else settings.first or None
        return Resident(self.familiar, (name, name.partition(" ")[0], *settings.aliases), first)


@dataclass(slots=True)
class House:
    """All familiars of one account, in the order of the profile; there is at least one."""

    vault: Vault
    members: Sequence[Member]

    @property
    def hosts(self) -> Sequence[Host]:
        """The familiars that commands are for."""
        return [Host(one.conversation, one.scribe, self._statement) for one in self.members]

    async def load(self) -> list[Channel]:
        """Read which channels of Discord somebody here listens to."""
        found = [channel for member in self.members for channel in await member.scribe.load()]
        return list({channel.id: channel for channel in found}.values())

    async def take(self, event: Incoming) -> None:
        """Hand on one thing that happened to those whom it concerns."""
        match event:
            case Heard() if len(self.members) > 1:
                for member, heard in await self._shared_out(event):
                    await member.listener.take(heard)
            case Pressed():
                for member in self.members:
                    if member.familiar == event.familiar:
                        await member.listener.take(event)
            case Changed() | Reacted():
                # Written down once, whoever listens.
                await self.members[0].listener.take(event)
            case _:
                for member in self.members:
                    await member.listener.take(event)

    async def tell_readers(self, spot_of: Callable[[int], tuple[Spot, Sequence[int]] | None]) -> None:
        """Note who reads the channels of servers by now: a reminder or a button speaks without a new message."""
        audiences = self.vault.audiences
        for channel in await self.load():
            number = channel_number(channel.key)
            found = None if number is None or channel.guild is None else spot_of(number)
            if found is not None and await audiences.readers(channel.id) != found[0].readers:
                await audiences.tell_readers(channel.id, found[0].readers)

    def try_again(self) -> None:
        """Speak again where writing was not allowed."""
        for member in self.members:
            member.listener.try_again()

    async def look_back(self) -> None:
        """Note which answers an earlier run of the program has left unfinished."""
        for member in self.members:
            await member.listener.unfinished.look_back()

    async def take_up(self) -> None:
        """Finish the answers that were left unfinished, in the order in which the familiars were called."""
        left = {one.familiar: await self.vault.deliveries.left(one.familiar) for one in self.members}
        for member in sorted(self.members, key=lambda one: [each.begun_at for each in left[one.familiar][:1]]):
            await member.listener.take_up()

    async def _statement(self, server: str | None) -> str:
        handled = [Handled(one.conversation.name, one.conversation.config) for one in self.members]
        return await statement_of(self.vault, handled, local_only=False, server=server)

    def _named(self, familiar: str | None) -> list[Member]:
        return [one for one in self.members if familiar in (None, one.familiar)]

    async def subscribe(self, spot: Spot, familiar: str | None = None) -> str:
        """Let one familiar or all of them listen in a channel, and say so."""
        sentences = []
        for member in self._named(familiar):
            new, name = await member.scribe.subscribe(spot), member.conversation.name
            told = "from now on, and remembers what is said. /unsubscribe ends it." if new else "already."
            sentences.append(f"{name} listens here {told}")
        return "\n".join(sentences)

    async def unsubscribe(self, spot: Spot, threads: Sequence[int], familiar: str | None = None) -> str:
        """Let one familiar or all of them listen in a channel no longer, and say so."""
        sentences = []
        for member in self._named(familiar):
            was, name = await member.scribe.unsubscribe(spot, threads), member.conversation.name
            told = (
                "no longer listens here. What was said before is still remembered." if was else "does not listen here."
            )
            sentences.append(f"{name} {told}")
        return "\n".join(sentences)

    async def diagnostics(self, spot: Spot) -> str:
        """Tell how things stand in a channel, without a word of what was said."""
        channel = await self.vault.channels.find(spot.key)
        kept = 0 if channel is None else await self.vault.turns.count(channel.id)
        sentences = []
        for member in self.members:
            listens = "listens" if member.scribe.listens(spot) else "does not listen"
            mode = member.conversation.config.discord_mode(spot.key, spot.parent_key)
            sentences.append(f"{member.conversation.name} {listens} here (mode: {mode})")
        more = [workings(member.conversation) for member in self.members]
        more += [await attention_here(member.conversation, spot) for member in self.members]
        first = f"{'; '.join(sentences)}; {kept} messages of this channel are kept."
        return "\n".join([first, *filter(None, more)])

    async def focus(self, spot: Spot, on: bool) -> str:
        """Hold the familiars' attention to a channel, or let go of it, and say so."""
        return "\n".join([await set_focus(one.conversation, one.scribe, spot, on=on) for one in self.members])

    async def _shared_out(self, heard: Heard) -> list[tuple[Member, Heard]]:
        """Return a message as each member hears it; those whom it is meant for come first, in their order."""
        listening = [member for member in self.members if member.scribe.listens(heard.spot)]
        replied_to = await self._said(heard) or self._shown_as(heard.replied_name)
        meant = who_is_meant(heard.bare, [member.resident(heard) for member in listening], replied_to)
        if meant.by_name and replied_to is None and not _may_call(heard):
            meant = Meant(())
        order = {familiar: place for place, familiar in enumerate(meant.familiars)}
        members = sorted(self.members, key=lambda member: order.get(member.familiar, len(order)))
        return [(member, _as_heard_by(member, heard, meant, replied_to)) for member in members]

    def _shown_as(self, name: str) -> FamiliarId | None:
        """Return whom a webhook shows under a name. What it said may not be noted yet, or no longer be known."""
        found = (one.familiar for one in self.members if webhook_name(one.conversation.name) == name)
        return next(found, None) if name else None

    async def _said(self, heard: Heard) -> FamiliarId | None:
        """Return who of this program said what a message replies to."""
        if heard.answers is None or (channel := await self.vault.channels.find(heard.spot.key)) is None:
            return None
        turn = await self.vault.messages.find(channel.id, str(heard.answers))
        return turn.familiar if turn is not None and turn.role is Role.ASSISTANT else None


def _may_call(heard: Heard) -> bool:
    """Tell whether a name in a message calls somebody. Not where others are mentioned, and no bot calls like this."""
    return heard.mentioned or not (heard.others_mentioned or heard.author.bot)


def _as_heard_by(member: Member, heard: Heard, meant: Meant, replied_to: FamiliarId | None) -> Heard:
    if member.familiar not in meant.familiars:
        # Where nobody of the house is spoken to, others are; that is the better reason.
        another = bool(meant.familiars)
        return replace(heard, mentioned=False, replied_to=False, another=another, others_mentioned=not another)
    called = meant.by_name and replied_to is None
    return replace(
        heard,
        mentioned=heard.mentioned or called,
        replied_to=heard.replied_to or replied_to == member.familiar,
    )
