"""`/forget`: nothing goes before it was said what goes, and then it is gone for good."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.memory import Scope
from tests.doubles.discord.interaction import Interactions
from tests.doubles.discord.world import GUILD
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import Stage, stage
from tests.e2e.discord.test_own_memories import LINEAGE, kept, key


def link(on: Stage, message: int, channel: str = "general") -> str:
    return f"https://discord.com/channels/{GUILD}/{on.scene.channels[channel]}/{message}"


async def everything_in(on: Stage) -> str:
    """Return every text of the vault."""

    def work(connection: object) -> str:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()  # type: ignore[attr-defined]
        rows = [str(connection.execute(f'SELECT * FROM "{name}"').fetchall()) for (name,) in tables]  # type: ignore[attr-defined]
        return "\n".join(rows)

    return await on.vault._opened.engine.read(work)


async def test_a_message_is_forgotten_by_whoever_wrote_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        hands = Interactions(on.scene)
        message = await on.scene.write("Ann", "@Mira I keep sevenfold bees")
        await on.scene.replies(1)
        refused = await hands.use("Ben", "forget message", link=link(on, message))
        assert "sevenfold" not in refused.text
        assert not refused.buttons
        asked = await hands.use("Ann", "forget message", link=link(on, message))
        assert "sevenfold" in asked.text
        assert asked.alone
        stolen = await hands.press("Ben", asked, "Erase it")
        assert "not kept any more" in stolen.text
        assert "Nothing was changed" in (await hands.press("Ann", asked, "Keep it")).text
        assert not (await on.turn_of(message)).deleted
        assert (await hands.press("Ann", asked, "Erase it")).text == "It is erased."
        assert (await on.turn_of(message)).deleted
        assert "sevenfold" not in await everything_in(on)
        assert not (await hands.use("Ann", "forget message", link=link(on, message))).buttons


async def test_a_message_is_forgotten_out_of_its_menu_by_a_moderator_too(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        hands = Interactions(on.scene)
        message = await on.scene.write("Ann", "@Mira I keep sevenfold bees")
        await on.scene.replies(1)
        asked = await hands.point_at("Ann", "Forget this message", message)
        assert "sevenfold" in asked.text
        moderator = await hands.use("Ben", "forget message", link=str(message), manager=True)
        assert "sevenfold" in moderator.text
        # The rights of the moment count: Ben is no moderator any more.
        await hands.press("Ben", moderator, "Erase it", manager=False)
        assert not (await on.turn_of(message)).deleted


async def test_the_answer_to_somebody_is_theirs_to_have_forgotten(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        hands = Interactions(on.scene)
        await on.scene.write("Ann", "@Mira hi")
        (reply,) = await on.scene.replies(1)
        await on.until_said(lambda said: len(said) == 2)
        answer = int(reply["id"])
        await on.turn_of(answer)
        assert not (await hands.use("Ben", "forget message", link=link(on, answer))).buttons
        asked = await hands.use("Ann", "forget message", link=link(on, answer))
        assert "Hello." in asked.text


async def test_a_memory_is_erased_with_its_words(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands = Interactions(on.scene)
        await hands.use("Ann", "remember", text="{user} keeps sevenfold bees")
        assert "no memory 2" in (await hands.use("Ann", "forget memory", number=2)).text
        asked = await hands.use("Ann", "forget memory", number=1)
        assert "sevenfold" in asked.text
        await hands.press("Ben", asked, "Erase it", manager=True)
        assert await kept(on, Scope.PERSONAL, key(on, "Ann")) == ["{user} keeps sevenfold bees"]
        assert (await hands.press("Ann", asked, "Erase it")).text == "It is erased."
        assert "sevenfold" not in await everything_in(on)


async def test_a_choice_outlives_the_erasure(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        hands, ann = Interactions(on.scene), key(on, "Ann")
        await on.scene.write("Ann", "@Mira I keep bees")
        await on.scene.replies(1)
        await on.vault.privacy.set(ann, PrivacyLevel.PARTIAL, familiar=MIRA, by=ann)
        asked = await hands.use("Ann", "forget everything")
        await hands.fill_in("Ann", await hands.press("Ann", asked, "Erase everything about me"), "ERASE")
        assert await on.vault.privacy.own_levels() == {ann: PrivacyLevel.PARTIAL}


async def test_everything_about_oneself_goes_after_it_was_asked_twice(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands = Interactions(on.scene)
        assert (await hands.use("Ann", "forget everything")).text == "Nothing is kept about you."
        await on.scene.write("Ann", "@Mira I keep sevenfold bees")
        await on.scene.replies(1)
        await on.scene.write("Ben", "@Mira and I have a boat")
        await on.scene.replies(2)
        await hands.use("Ann", "remember", text="{user} keeps sevenfold bees")
        asked = await hands.use("Ann", "forget everything")
        assert "1 message" in asked.text
        assert "1 saved memory" in asked.text
        form = await hands.press("Ann", asked, "Erase everything about me")
        assert "Nothing was changed" in (await hands.fill_in("Ann", form, "no")).text
        others = await hands.press("Ben", asked, "Erase everything about me")
        form = await hands.press("Ann", asked, "Erase everything about me")
        assert "Nothing was changed" in (await hands.fill_in("Ben", others, "")).text
        done = await hands.fill_in("Ann", form, "erase")
        assert "Everything about you is erased" in done.text
        left = await everything_in(on)
        assert "sevenfold" not in left
        assert str(on.scene.people["Ann"].id) not in left
        assert "I have a boat" in left
        assert PersonKey(key(on, "Ben")) in left
