"""Several familiars behind one account: who answers, under what name, and what becomes of webhooks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from familiar_app.discord_link.client import Addresses
from familiar_app.discord_link.link import DiscordLink
from familiar_app.discord_link.rights import ADMINISTRATOR, MANAGE_WEBHOOKS
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.turn import Role, Turn
from tests.doubles.discord.deed import press, speak_through_proxy
from tests.doubles.discord.world import EVERYTHING, Payload, pinged
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import GENERAL, QUICK, SERVER, Script, Stage, conversation_of, stage

NIX, BRAM = FamiliarId("nix"), FamiliarId("bram")
NAMES = {MIRA: "Mira", NIX: "Nix Discord", BRAM: "Bram"}
AMBIENT = '[discord]\nmode = "ambient"\n'
PICTURE = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


@dataclass
class Home:
    """A stage whose account is shared by several familiars, each with a model of its own."""

    on: Stage
    models: dict[FamiliarId, Script]

    def hooked(self) -> list[tuple[str, str]]:
        """Return what webhooks have written: name and words."""
        return [(one["author"]["username"], one["content"]) for one in self.on.discord.rest.hooks.sent]

    async def until_hooked(self, count: int) -> list[Payload]:
        sent = self.on.discord.rest.hooks.sent
        await self.on.scene.until(lambda: len(sent) >= count, f"for {count} messages of webhooks")
        return sent

    async def until_noted(self, count: int) -> list[Turn]:
        """Wait until so many answers are known with their messages, and return them."""
        for _ in range(3000):
            found = [turn for turn in await self.on.turns() if turn.role is Role.ASSISTANT and turn.message_id]
            if len(found) >= count:
                return found
            await asyncio.sleep(0.01)
        raise AssertionError(f"waited in vain for {count} answers")

    def link(self, toml: str = AMBIENT) -> DiscordLink:
        """Make a link as after a start of the program."""
        on = self.on
        conversations = [conversation_of(on.vault, one, NAMES[one], self.models[one], toml) for one in self.models]
        self.on.link = DiscordLink(
            conversation=conversations[0],
            others=conversations[1:],
            clock=on.link.clock,
            tasks=on.tasks,
            token=on.discord.gateway.token,
            check=on.network.check,
            addresses=Addresses(on.discord.address, on.discord.gateway.url),
            patience=QUICK,
            picture=lambda familiar: PICTURE if familiar == MIRA else None,
            on_status=on.statuses.append,
        )
        return self.on.link


@asynccontextmanager
async def home(folder: Path, *familiars: FamiliarId, toml: str = AMBIENT) -> AsyncIterator[Home]:
    """Set up a house of familiars that all listen in #general; the first one is Mira."""
    async with stage(folder) as on:
        models = {one: Script(lines={}) for one in (MIRA, *familiars)}
        for familiar in familiars:
            await on.vault.channels.ensure(GENERAL, familiar=familiar, title="general", guild=SERVER)
        made = Home(on, models)
        made.link(toml)
        yield made


async def test_two_familiars_answer_under_their_own_names_and_hear_each_other(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        house.models[MIRA].lines = {"what now": "I would go to the sea."}
        house.models[NIX].lines = {"go to the sea": "The woods, [@Ann]! @everyone"}
        async with on.connected():
            asked = await on.scene.write("Ann", "Mira and Nix, what now?")
            _, second = await house.until_hooked(2)
            (mira, sea), (nix, woods) = house.hooked()
            assert (mira, sea, nix) == ("Mira", "I would go to the sea.", "Nix Dis-cord")
            # Something stands between by then, so a link shows what is answered.
            pointer, _, words = woods.partition("\n")
            assert pointer.endswith(f"/{on.scene.channels['general']}/{asked}")
            assert words.startswith(f"The woods, <@{on.scene.people['Ann'].id}>!")
            assert pinged(second) == {str(on.scene.people["Ann"].id)}
            said = await on.until_said(lambda lines: len(lines) == 3)
            assert said == [
                "Ann: Mira and Nix, what now?",
                "Mira: I would go to the sea.",
                "Nix Discord: The woods, [@Ann]! @everyone",
            ]
            # The second heard the first, as somebody else; and neither answers the other.
            heard = house.models[NIX].requests[-1].messages[-1]
            assert heard.role == "user"
            assert "Mira #general] I would go to the sea." in heard.content
            await on.scene.write("Ben", "Bye!", answers=int(second["id"]))
            await house.until_noted(3)
        assert [name for name, _ in house.hooked()] == ["Mira", "Nix Dis-cord", "Nix Dis-cord"]
        assert not on.discord.rest.sent
        assert {turn.role for turn in await on.turns()} == {Role.USER, Role.ASSISTANT}
        assert await on.vault.verify() == []


async def test_webhooks_are_made_once_with_a_picture_and_found_again(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on, hooks = house.on, house.on.discord.rest.hooks
        hooks.add(on.scene.channels["general"], on.discord.world.me, "Mira", own=False)
        async with on.connected():
            await on.scene.write("Ann", "Mira?")
            await house.until_hooked(1)
        house.link()
        async with on.connected():
            await on.scene.write("Ann", "Mira??")
            await house.until_hooked(2)
            made = [one for one in hooks.all.values() if one["application_id"] is not None]
            assert [(one["name"], one["avatar"] is not None) for one in made] == [("Mira", True)]
            thread = await on.scene.open_thread("in a thread")
            await on.scene.write("Ann", "And here, Mira?", channel="in a thread")
            await house.until_hooked(3)
            assert hooks.sent[-1]["channel_id"] == str(thread)
            assert len(hooks.of(on.scene.channels["general"])) == 2
            hooks.forget()
            await on.scene.write("Ann", "Mira, still there?")
            await house.until_hooked(4)
        assert [one["name"] for one in hooks.all.values()] == ["Mira"]


async def test_what_webhooks_said_is_not_taken_for_input_after_an_absence(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        async with on.connected():
            await on.scene.write("Ann", "Nix?")
            await house.until_noted(1)
        hook = next(iter(on.discord.rest.hooks.all.values()))
        on.discord.world.add_message(
            on.scene.channels["general"], on.scene.people["Mira"], "said long ago",
            webhook_id=hook["id"], application_id=hook["application_id"],
        )  # fmt: skip
        await on.scene.write("Ben", "Is somebody there?", unseen=True)
        house.link()
        async with on.connected():
            said = await on.until_said(lambda lines: any("Is somebody there?" in line for line in lines))
        assert not any("said long ago" in line for line in said)


async def test_whoever_is_first_answers_where_nobody_is_named_and_a_crowd_is_kept_short(tmp_path: Path) -> None:
    async with home(tmp_path, NIX, BRAM, toml=AMBIENT) as house:
        on = house.on
        bram = house.on.link.house.members[2].conversation
        object.__setattr__(bram.config.discord, "first", True)
        async with on.connected():
            await on.scene.write("Ann", "@Mira hello everybody")
            await house.until_hooked(1)
            await on.scene.write("Ann", "Ben, look, a heron")
            await house.until_hooked(2)
            await on.scene.write("Ann", "@Ben what does Nix say?")
            await on.scene.write("Ann", "Bram, Nix and Mira, all of you!")
            await house.until_noted(5)
        names = [name for name, _ in house.hooked()]
        assert names[:2] == ["Bram", "Bram"]
        assert sorted(names[2:]) == ["Bram", "Mira", "Nix Dis-cord"]


async def test_without_the_right_the_account_speaks_with_the_name_in_front_and_says_so(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        on.discord.rest.hooks.forbidden.add(on.scene.channels["general"])
        house.models[NIX].lines = {"long": "word " * 900}
        async with on.connected():
            await on.scene.write("Ann", "Nix, be long")
            sent = await on.scene.replies(3)
            assert all(one["content"].startswith("**Nix Discord:** word") for one in sent)
            assert all(len(one["content"]) <= 2000 for one in sent)
            assert any("webhooks" in status.trouble for status in on.statuses)
            await on.scene.write("Ben", "and?", answers=int(sent[0]["id"]))
            sent = await on.scene.replies(4)
            assert sent[-1]["content"] == "**Nix Discord:** Hello."
            turns = await house.until_noted(2)
        assert [(turn.familiar, turn.content) for turn in turns] == [(NIX, ("word " * 900).strip()), (NIX, "Hello.")]


async def test_webhook_only_stays_silent_without_the_right(tmp_path: Path) -> None:
    async with home(tmp_path, NIX, toml=AMBIENT + 'persona = "webhook_only"\n') as house:
        on = house.on
        on.discord.rest.hooks.forbidden.add(on.scene.channels["general"])
        async with on.connected():
            await on.scene.write("Ann", "Nix?")
            await on.scene.until(lambda: any("webhooks" in status.trouble for status in on.statuses), "for the reason")
        assert not on.discord.rest.sent
        assert not house.hooked()
        assert [turn.role for turn in await on.turns()] == [Role.USER]


async def test_webhook_only_speaks_again_as_soon_as_rights_change(tmp_path: Path) -> None:
    async with home(tmp_path, NIX, toml=AMBIENT + 'persona = "webhook_only"\n') as house:
        on = house.on
        general = on.scene.channels["general"]
        on.discord.rest.hooks.forbidden.add(general)
        async with on.connected():
            await on.scene.write("Ann", "Nix?")
            await on.scene.until(lambda: any("webhooks" in status.trouble for status in on.statuses), "for the reason")
            on.discord.rest.hooks.forbidden.clear()
            await on.discord.gateway.tell("CHANNEL_UPDATE", on.discord.world.channels[general])
            await on.scene.write("Ann", "Nix, now?")
            await house.until_hooked(1)
            await house.until_noted(1)
        assert house.hooked() == [("Nix Dis-cord", "Hello.")]
        assert on.discord.gateway.identified == 1


async def test_the_right_counts_as_soon_as_it_is_given(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        world, whole = on.discord.world, on.discord.world.guild_payload(on.discord.world.me)
        role = whole["roles"][0] | {"permissions": str(EVERYTHING & ~MANAGE_WEBHOOKS.bit & ~ADMINISTRATOR)}
        world.guild_payload = lambda me: {**whole, "roles": [role]}  # type: ignore[method-assign]
        async with on.connected():
            await on.scene.write("Ann", "Nix?")
            await on.scene.replies(1)
            asked = [one for one in on.discord.rest.asked if "webhooks" in one.path]
            granted = {"guild_id": str(world.guild), "role": role | {"permissions": str(EVERYTHING)}}
            await on.discord.gateway.tell("GUILD_ROLE_UPDATE", granted)
            await on.scene.write("Ann", "Nix, now?")
            await house.until_hooked(1)
        assert asked == [], "what is not allowed is not even asked for"
        assert len(on.discord.rest.sent) == 1


async def test_what_a_lost_webhook_said_stays_and_silences_nobody(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        async with on.connected():
            await on.scene.write("Ann", "Nix?")
            (sent,) = await house.until_hooked(1)
            await house.until_noted(1)
            on.discord.rest.hooks.forget()
            line = on.link.house.members[1].listener.line()
            with pytest.raises(OutsideError, match="webhook that sent a message is gone"):
                await line.edit(on.scene.channels["general"], int(sent["id"]), "Other words")
            await on.scene.write("Ann", "Nix??")
            await house.until_hooked(2)


async def test_webhook_messages_are_changed_and_removed(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        async with on.connected():
            first = await on.scene.write("Ann", "Nix?")
            (sent,) = await house.until_hooked(1)
            await on.scene.write("Ben", "x")
            await on.until_said(lambda lines: "Ben: x" in lines)
            await house.until_noted(1)
            line = on.link.house.members[1].listener.line()
            number, general = int(sent["id"]), on.scene.channels["general"]
            assert await line.own_since(general, first) == [(number, "Hello.")]
            pointing = await line.send(general, "To you.", answers=first)
            world = on.discord.world.messages
            assert world[pointing]["content"].endswith(f"/{first}\nTo you.")
            await line.edit(general, pointing, "To you too.", people=())
            assert world[pointing]["content"].endswith(f"/{first}\nTo you too.")
            await line.edit(general, number, "Hello again. @everyone", people=())
            assert world[number]["content"] == "Hello again. @everyone"
            assert pinged(world[number]) == set()
            await line.remove(general, number)
            await line.remove(general, number)
            assert number not in world


async def test_in_private_the_account_speaks_for_whoever_is_meant(tmp_path: Path) -> None:
    async with home(tmp_path, NIX, toml=AMBIENT + "direct_messages = true\n") as house:
        on = house.on
        async with on.connected():
            await on.scene.whisper("Ann", "hello")
            await on.scene.replies(1)
            await on.scene.whisper("Ann", "I want to talk to Nix")
            sent = await on.scene.replies(2)
        assert [one["content"] for one in sent] == ["**Mira:** Hello.", "**Nix Discord:** Hello."]
        assert not house.hooked()


async def test_a_bot_does_not_call_by_name_alone(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        robo = on.scene.join("Robo", bot=True)
        for member in on.link.house.members:
            object.__setattr__(member.conversation.config.discord, "bots", (robo.id,))
        async with on.connected():
            await on.scene.write("Robo", "Nix, I am a bot")
            await on.scene.write("Robo", "@Mira Nix, I am a bot that mentions")
            await house.until_hooked(1)
            await on.scene.write("Ann", "Mira!")
            await house.until_noted(2)
        assert [name for name, _ in house.hooked()] == ["Nix Dis-cord", "Mira"]


async def test_all_of_the_house_are_subscribed_and_told_of(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        on.scene.open_channel("kitchen")
        async with on.connected():
            await on.scene.until(lambda: bool(on.discord.rest.commands), "for the commands")
            told = await on.scene.command("Ann", "subscribe", channel="kitchen", familiar="nix")
            assert told.startswith("Nix Discord listens here from now on")
            assert "Mira" not in told
            told = await on.scene.command("Ann", "subscribe", channel="kitchen")
            mira, nix = told.splitlines()
            assert mira.startswith("Mira listens here from now on")
            assert nix == "Nix Discord listens here already."
            await on.scene.write("Ann", "Nix, in the kitchen?", channel="kitchen")
            await house.until_hooked(1)
            told = await on.scene.command("Ann", "diagnostics", channel="kitchen")
            assert "Mira listens here (mode: ambient); Nix Discord listens here (mode: ambient)" in told


async def test_a_copy_by_a_proxy_is_one_turn_for_all_of_the_house(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        async with on.connected():
            original = await on.scene.write("Ann", "w: Nix and Mira, hello")
            first = await on.turn_of(original)
            copy = await speak_through_proxy(on.scene, "Wren", "Nix and Mira, hello")
            await on.scene.delete(original)
            await house.until_noted(2)
            said = await on.until_said(lambda lines: any(line.startswith("Wren: ") for line in lines))
            turn = await on.turn_of(copy)
        assert turn.id == first.id
        assert not turn.deleted
        assert sorted(said) == ["Mira: Hello.", "Nix Discord: Hello.", "Wren: Nix and Mira, hello"]
        assert await on.vault.verify() == []


async def test_buttons_under_an_answer_are_those_of_whoever_gave_it(tmp_path: Path) -> None:
    async with home(tmp_path, NIX) as house:
        on = house.on
        async with on.connected():
            await on.scene.write("Ann", "Nix and Mira, hello")
            await house.until_noted(2)
            nix, mira = on.discord.rest.hooks.sent
            house.models[NIX].lines = {"hello": "Hello once more."}
            await press(on.scene, "Ann", int(nix["id"]), "again")
            world = on.discord.world.messages
            await on.scene.until(lambda: world[int(nix["id"])]["content"] == "Hello once more.", "for the change")
            await on.until_said(lambda lines: "Nix Discord: Hello once more." in lines)
            await press(on.scene, "Ann", int(mira["id"]), "bin")
            await on.scene.until(lambda: int(mira["id"]) not in world, "for the removal")
            said = await on.until_said(lambda lines: len(lines) == 2)
        assert said == ["Ann: Nix and Mira, hello", "Nix Discord: Hello once more."]
        assert await on.vault.verify() == []
