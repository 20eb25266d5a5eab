"""`/what-do-you-know`: people see what is kept about them as far as they can read it, and have it put right."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.audience import Readers
from familiar_app.domain.fact import Fact, NewFact, Subject
from familiar_app.domain.ids import ChannelKey, PersonKey, TurnId
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.projection import Dossier
from familiar_app.domain.turn import Author, NewTurn, Role
from tests.doubles.discord.interaction import Interactions
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import GENERAL, SERVER, Stage, stage

EVERYONE = Readers(everyone=True)
MODS = Readers(tokens=frozenset({"role:1"}))


class Told:
    """Puts facts into the vault, each learned from a message."""

    def __init__(self, on: Stage) -> None:
        self._on = on

    def key(self, who: str) -> PersonKey:
        return PersonKey(f"discord:{self._on.scene.people[who].id}")

    async def say(self, who: str, text: str, *, channel: str = GENERAL, readers: Readers | None = EVERYONE) -> TurnId:
        vault = self._on.vault
        place = await vault.channels.ensure(ChannelKey(channel), familiar=MIRA, title=channel, guild=SERVER)
        await vault.audiences.tell_readers(place.id, readers)
        turn, _ = await vault.turns.append(
            NewTurn(
                place.id,
                Role.USER,
                text,
                self._on.link.clock.now(),
                author=Author(self.key(who), who),
                guild=SERVER,
            )
        )
        return turn.id

    async def fact(self, text: str, turn: TurnId, *about: str) -> Fact:
        subjects = tuple(Subject(self.key(who), who) for who in about)
        return (await self._on.vault.facts.append(NewFact(MIRA, text, "rich_note", subjects, (turn,))))[0]

    async def believed(self) -> list[str]:
        return [one.text for one in await self._on.vault.facts.page(MIRA)]


async def test_people_see_what_they_can_read_and_nothing_of_others(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        told, hands = Told(on), Interactions(on.scene)
        said = await told.say("Ann", "I keep bees, and Ben has a boat")
        secret = await told.say("Ben", "Ann is on our list", channel="discord:77", readers=MODS)
        own = await told.say("Ann", "I am tired", channel="discord:77", readers=MODS)
        await told.fact("Ann keeps bees.", said, "Ann")
        await told.fact("Ben has a boat.", said, "Ben")
        await told.fact("Ann is on the list.", secret, "Ann")
        await told.fact("Ann was tired.", own, "Ann")
        page = await hands.use("Ann", "what-do-you-know")
        assert page.alone
        assert "Ann keeps bees." in page.text
        assert "Ann was tired." in page.text, "what she said herself"
        assert "list" not in page.text
        assert "boat" not in page.text
        assert "1 more" in page.text
        other = await hands.use("Ben", "what-do-you-know", manager=True)
        assert "Ben has a boat." in other.text
        assert "bees" not in other.text
        assert "Nothing that you may be told" in (await hands.use("Mira", "what-do-you-know")).text


async def test_a_fact_is_forgotten_and_brought_back_by_whom_it_is_about(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        told, hands = Told(on), Interactions(on.scene)
        await told.fact("Ann keeps bees.", await told.say("Ann", "I keep bees"), "Ann")
        page = await hands.use("Ann", "what-do-you-know")
        refused = await hands.press("Ben", page, "Forget 1", manager=True)
        assert "bees" not in refused.text
        assert await told.believed() == ["Ann keeps bees."]
        gone = await hands.press("Ann", page, "Forget 1")
        assert "no longer believes: Ann keeps bees." in gone.text
        assert await told.believed() == []
        assert "changed since" in (await hands.press("Ann", page, "Forget 1")).text
        nothing = await hands.press("Ben", gone, "Undo")
        assert "bees" not in nothing.text
        assert await told.believed() == []
        back = await hands.press("Ann", gone, "Undo")
        assert "**1.** Ann keeps bees." in back.text


async def test_what_is_wrong_is_put_right_about_oneself_alone(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        told, hands = Told(on), Interactions(on.scene)
        await told.fact("Ann and Ben keep bees.", await told.say("Ben", "Ann and I keep bees"), "Ann", "Ben")
        page = await hands.use("Ann", "what-do-you-know")
        form = await hands.press("Ann", page, "1 is wrong")
        assert form.form is not None
        assert form.form["components"][0]["components"][0]["value"] == "Ann and Ben keep bees."
        right = await hands.fill_in("Ann", form, "Ann keeps   wasps.")
        assert "put right" in right.text
        (fact,) = await on.vault.facts.page(MIRA)
        assert fact.text == "Ann keeps wasps."
        assert [one.key for one in fact.subjects] == [told.key("Ann")]
        assert fact.beliefs[0].begun_by == told.key("Ann")
        assert "says nothing" in (await hands.fill_in("Ann", await hands.press("Ann", right, "1 is wrong"), " ")).text


async def test_the_portrait_comes_first_and_whole_as_a_file(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        told, hands = Told(on), Interactions(on.scene)
        fact = await told.fact("Ann keeps bees.", await told.say("Ann", "I keep bees"), "Ann")
        text = "Ann loves her bees. " * 40
        dossier = Dossier(MIRA, told.key("Ann"), text, fact.id, on.link.clock.now())
        await on.vault.projections.write(lambda writer: writer.put_dossier(dossier))
        page = await hands.use("Ann", "what-do-you-know")
        assert page.text.splitlines()[1].startswith("> Ann loves her bees.")
        assert page.files["what-i-know.txt"].decode() == text.strip()


async def test_whoever_wants_nothing_kept_is_told_that_nothing_is_used(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        told, hands = Told(on), Interactions(on.scene)
        await told.fact("Ann keeps bees.", await told.say("Ann", "I keep bees"), "Ann")
        await on.vault.privacy.set(told.key("Ann"), PrivacyLevel.PARTIAL, familiar=MIRA, by=told.key("Ann"))
        page = await hands.use("Ann", "what-do-you-know")
        assert "bees" not in page.text
        assert "partial" in page.text
