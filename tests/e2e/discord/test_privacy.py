"""`/privacy` and `/ask-first`: people choose what is kept, a server can make it opt-in, and the statement says so."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.privacy import PrivacyLevel
from tests.doubles.discord.interaction import Interactions
from tests.e2e.discord.stage import SERVER, stage
from tests.e2e.discord.test_own_memories import LINEAGE, key


async def test_a_level_is_chosen_and_holds_at_once(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        hands, ann = Interactions(on.scene), key(on, "Ann")
        page = await hands.use("Ann", "privacy")
        assert page.alone
        assert "Now: **Remember me**." in page.text
        assert page.buttons["Remember me"]["disabled"]
        nothing = await hands.press("Ann", page, "Nothing at all")
        assert "Now: **Nothing at all**." in nothing.text
        assert "hidden" in nothing.text
        assert await on.vault.privacy.get(ann) is PrivacyLevel.FULL
        await on.scene.write("Ann", "@Mira I keep bees")
        await on.scene.write("Ben", "@Mira hello")
        await on.scene.replies(1)
        assert await on.said() == ["Ben: @Mira hello", "Mira: Hello."]
        # Whoever presses decides about themselves.
        await hands.press("Ben", nothing, "Messages only")
        assert await on.vault.privacy.get(ann) is PrivacyLevel.FULL
        assert await on.vault.privacy.get(key(on, "Ben")) is PrivacyLevel.PARTIAL


async def test_a_server_that_asks_first_waits_for_each_one(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands = Interactions(on.scene)
        assert "Only those who manage" in (await hands.use("Ben", "ask-first", switch="on")).text
        assert await on.vault.privacy.opt_in_servers() == frozenset()
        assert "asks first" in (await hands.use("Ann", "ask-first", switch="on", manager=True)).text
        assert await on.vault.privacy.opt_in_servers() == {SERVER}
        refused = await hands.use("Ben", "remember", text="{user} keeps bees")
        assert "/privacy agrees" in refused.text
        page = await hands.use("Ben", "privacy")
        assert "you have not agreed" in page.text
        agreed = await hands.press("Ben", page, "I agree: remember me")
        assert "Now: **Remember me**." in agreed.text
        assert "Ben keeps bees" in (await hands.use("Ben", "remember", text="{user} keeps bees")).text
        statement = (await hands.press("Ben", agreed, "How memory is handled here")).files["privacy.md"].decode()
        assert "On this server nothing is drawn about people who have not agreed." in statement
        await hands.use("Ann", "ask-first", switch="off", manager=True)
        assert await on.vault.privacy.opt_in_servers() == frozenset()


async def test_it_works_in_a_direct_message(tmp_path: Path) -> None:
    settings = f"{LINEAGE}[discord]\ndirect_messages = true\n"
    async with stage(tmp_path, settings) as on, on.connected():
        hands = Interactions(on.scene)
        await on.scene.whisper("Ann", "I keep bees")
        await on.scene.replies(1)
        page = await hands.use("Ann", "privacy", channel="dm Ann")
        await hands.press("Ann", page, "Messages only", channel="dm Ann")
        assert await on.vault.privacy.get(key(on, "Ann")) is PrivacyLevel.PARTIAL
        assert "no server" in (await hands.use("Ann", "memories", about="server", channel="dm Ann")).text
