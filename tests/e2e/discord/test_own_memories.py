"""`/remember` and `/memories`: what people have kept about themselves, and managers about the server."""

from __future__ import annotations

from pathlib import Path

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.memory import Scope
from familiar_app.store.saved_memory import MemoryQuestion
from tests.doubles.discord.interaction import Interactions
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import SERVER, Stage, stage

LINEAGE = 'lineage = "heron"\n'


async def kept(on: Stage, scope: Scope, owner: str, *, retired: bool = False) -> list[str]:
    config = on.link.conversation.config
    question = MemoryQuestion(config.lineage, scope=scope, owner=owner, include_retired=retired)
    return [one.content for one in await on.vault.saved_memories.list(question)]


def key(on: Stage, who: str) -> PersonKey:
    return PersonKey(f"discord:{on.scene.people[who].id}")


async def test_somebody_keeps_changes_removes_and_brings_back(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands, ann = Interactions(on.scene), key(on, "Ann")
        saved = await hands.use("Ann", "remember", text="{user} keeps bees")
        assert saved.text == "Mira keeps this: Ann keeps bees"
        assert saved.alone
        page = await hands.use("Ann", "memories")
        assert "**1.** Ann keeps bees" in page.text
        assert "1 of at most 100" in page.text
        form = await hands.press("Ann", page, "Change 1")
        assert form.form is not None
        changed = await hands.fill_in("Ann", form, "{user} keeps wasps")
        assert "Ann keeps wasps" in changed.text
        assert changed.alone
        stale = await hands.press("Ann", page, "Remove 1")
        assert "changed since" in stale.text
        assert await kept(on, Scope.PERSONAL, ann) == ["{user} keeps wasps"]
        removed = await hands.press("Ann", stale, "Remove 1")
        assert await kept(on, Scope.PERSONAL, ann) == []
        again = await hands.press("Ann", removed, "Undo")
        assert "kept again" in again.text
        assert await kept(on, Scope.PERSONAL, ann) == ["{user} keeps wasps"]


async def test_nobody_reaches_the_memories_of_somebody_else(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands = Interactions(on.scene)
        await hands.use("Ann", "remember", text="{user} keeps bees")
        page = await hands.use("Ann", "memories")
        other = await hands.use("Ben", "memories", manager=True)
        assert "bees" not in other.text
        # A press with an id that Ben could only have made up.
        for label in ("Change 1", "Remove 1"):
            refused = await hands.press("Ben", page, label, manager=True)
            assert "bees" not in refused.text
            assert refused.form is None
        assert await kept(on, Scope.PERSONAL, key(on, "Ann")) == ["{user} keeps bees"]


async def test_a_server_is_for_those_who_manage_it(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands = Interactions(on.scene)
        refused = await hands.use("Ben", "remember", text="Fridays are quiz nights", about="server")
        assert "Only those who manage" in refused.text
        saved = await hands.use("Ann", "remember", text="Fridays are quiz nights", about="server", manager=True)
        assert "Fridays" in saved.text
        assert await kept(on, Scope.SERVER, SERVER) == ["Fridays are quiz nights"]
        page = await hands.use("Ann", "memories", about="server", manager=True)
        # Ann may not manage the server any more when she presses.
        late = await hands.press("Ann", page, "Remove 1", manager=False)
        assert "Only those who manage" in late.text
        assert await kept(on, Scope.SERVER, SERVER) == ["Fridays are quiz nights"]


async def test_members_change_what_they_taught_where_they_may_teach(tmp_path: Path) -> None:
    settings = f"{LINEAGE}[saved_memories]\nmembers_may_teach = true\n"
    async with stage(tmp_path, settings) as on, on.connected():
        hands = Interactions(on.scene)
        await hands.use("Ann", "remember", text="Fridays are quiz nights", about="server", manager=True)
        await hands.use("Ben", "remember", text="Mondays are slow", about="server")
        page = await hands.use("Ben", "memories", about="server")
        assert "Mondays" in page.text
        assert "Fridays" not in page.text


async def test_tags_keep_a_memory_to_channels_and_words(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands, general = Interactions(on.scene), on.scene.channels["general"]
        saved = await hands.use("Ann", "remember", text="{user} keeps bees", tags=f"<#{general}>, honey ,")
        assert saved.text == f"Mira keeps this: Ann keeps bees [<#{general}>, honey]"
        config = on.link.conversation.config
        question = MemoryQuestion(config.lineage, scope=Scope.PERSONAL, owner=key(on, "Ann"))
        (memory,) = await on.vault.saved_memories.list(question)
        assert memory.tags == (f"#discord:{general}", "honey")
        many = await hands.use("Ann", "remember", text="{user} keeps ducks", tags="a,b,c,d,e,f")
        assert "6 tags, and 5 are allowed" in many.text
        # A changed text keeps its tags.
        form = await hands.press("Ann", saved, "Change")
        assert f"wasps [<#{general}>, honey]" in (await hands.fill_in("Ann", form, "{user} keeps wasps")).text


async def test_many_are_turned_page_by_page(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on, on.connected():
        hands = Interactions(on.scene)
        for number in range(6):
            await hands.use("Ann", "remember", text=f"note {number} of {{user}}")
        first = await hands.use("Ann", "memories")
        assert first.buttons["‹ Back"]["disabled"]
        second = await hands.press("Ann", first, "Next ›")
        assert "**5.** note 1" in second.text
        assert "**6.** note 0" in second.text
        assert second.buttons["Next ›"]["disabled"]
        back = await hands.press("Ann", second, "‹ Back")
        assert back.text == first.text


async def test_what_cannot_be_kept_is_said_in_a_sentence(tmp_path: Path) -> None:
    settings = f"{LINEAGE}[saved_memories]\nmax_personal = 1\n"
    async with stage(tmp_path, settings) as on, on.connected():
        hands, ann = Interactions(on.scene), key(on, "Ann")
        await hands.use("Ann", "remember", text="{user} keeps bees")
        full = await hands.use("Ann", "remember", text="{user} keeps ducks")
        assert "1 fit" in full.text
        await on.vault.privacy.set(ann, PrivacyLevel.PARTIAL, familiar=MIRA, by=ann)
        closed = await hands.use("Ann", "remember", text="{user} keeps ducks")
        assert "'partial'" in closed.text
        # What there is can still be seen and removed by whom it is about.
        page = await hands.use("Ann", "memories")
        await hands.press("Ann", page, "Remove 1")
        await on.vault.privacy.set(ann, PrivacyLevel.NONE, familiar=MIRA, by=ann)
        assert await kept(on, Scope.PERSONAL, ann) == []


async def test_a_button_works_after_a_restart(tmp_path: Path) -> None:
    async with stage(tmp_path, LINEAGE) as on:
        hands = Interactions(on.scene)
        async with on.connected():
            await hands.use("Ann", "remember", text="{user} keeps bees")
            page = await hands.use("Ann", "memories")
        async with on.connected():
            await hands.press("Ann", page, "Remove 1")
            assert await kept(on, Scope.PERSONAL, key(on, "Ann")) == []
