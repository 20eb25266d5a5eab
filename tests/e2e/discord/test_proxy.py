"""Messages that a bot sends in somebody's place: one turn, whichever of the two messages comes or goes first."""

from __future__ import annotations

import asyncio
from pathlib import Path

from familiar_app.discord_link.proxy_lookup import Verified
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import Author, Turn
from familiar_app.store.takeover import Copy
from tests.doubles.discord.deed import speak_through_proxy
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import Stage, stage

AMBIENT = '[discord]\nmode = "ambient"\n'


async def only_turn(on: Stage, text: str) -> Turn:
    """Wait for the turn with a text, and see that no other turn of a person is shown."""
    await on.until_said(
        lambda said: f"Wren: {text}" in [one.replace(" 🐦", "").replace(" of Tavern", "") for one in said]
    )
    people = [turn for turn in await on.turns() if turn.author is not None and turn.answers is None]
    assert len(people) == 1
    return people[0]


async def test_a_copy_takes_the_place_of_the_original_that_vanishes(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        original = await on.scene.write("Ann", "w: @Mira hello there")
        first = await on.turn_of(original)
        copy = await speak_through_proxy(on.scene, "Wren 🐦", "@Mira hello there")
        await on.scene.delete(original)
        turn = await only_turn(on, "@Mira hello there")
        assert (turn.id, turn.message_id, turn.deleted) == (first.id, str(copy), False)
        assert turn.author is not None
        assert (turn.author.key.partition(":")[0], turn.author.name, turn.author.bot) == ("proxy", "Wren 🐦", False)
        await on.until_said(lambda said: len(said) == 2)
        await on.scene.replies(1)
        # Deleting the copy is what deletes it.
        await on.scene.delete(copy)
        await on.until_said(lambda said: len(said) == 1)
        assert len(on.discord.rest.sent) == 1
        assert (await on.vault.turns.get(first.id)).deleted  # type: ignore[union-attr]
        assert await on.vault.verify() == []


async def test_the_original_may_vanish_before_its_copy_appears(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.held = asyncio.Event()
        original = await on.scene.write("Ann", "w: @Mira hello there")
        first = await on.turn_of(original)
        await on.scene.delete(original)
        copy = await speak_through_proxy(on.scene, "Wren", "@Mira hello there")
        turn = await only_turn(on, "@Mira hello there")
        assert (turn.id, turn.message_id) == (first.id, str(copy))
        on.model.held.set()
        (sent,) = await on.scene.replies(1)
        assert sent["message_reference"]["message_id"] == copy
        # From now on an answer waits for the copy, so that it is an answer to it.
        second = await on.scene.write("Ann", "w: @Mira and now")
        again = await speak_through_proxy(on.scene, "Wren", "@Mira and now")
        await on.scene.delete(second)
        sent = (await on.scene.replies(2))[1]
        assert sent["message_reference"]["message_id"] == again


async def test_without_a_copy_a_deletion_is_a_deletion(tmp_path: Path) -> None:
    async with stage(tmp_path, AMBIENT) as on, on.connected():
        on.model.lines = {"hi": "Hello.", "": "<silent>"}
        gone = await on.scene.write("Ann", "I said too much")
        kept = await on.scene.write("Ann", "@Mira hi")
        await on.scene.delete(gone)
        await speak_through_proxy(on.scene, "News", "@Mira something else")
        said = await on.until_said(lambda said: "Ann: I said too much" not in said and len(said) == 3)
        assert sorted(said) == ["Ann: @Mira hi", "Mira: Hello.", "News: @Mira something else"]
        assert (await on.turn_of(gone)).deleted
        assert not (await on.turn_of(kept)).deleted


async def test_without_a_deletion_a_copy_is_a_message_of_its_own(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        original = await on.scene.write("Ann", "@Mira hello there")
        copy = await speak_through_proxy(on.scene, "Parrot", "@Mira hello there")
        said = await on.until_said(lambda said: len(said) == 3)
        assert sorted(said) == ["Ann: @Mira hello there", "Mira: Hello.", "Parrot: @Mira hello there"]
        turn = await on.turn_of(copy)
        assert turn.author is not None
        assert (turn.author.key.partition(":")[0], turn.author.bot) == ("proxy", True)
        assert (await on.turn_of(original)).id != turn.id


async def test_the_real_author_is_looked_up_only_where_the_owner_wants_it(tmp_path: Path) -> None:
    looked: list[int] = []

    async def lookup(message: int) -> Verified | None:
        looked.append(message)
        return Verified(PersonKey("pk:abcde"), "Wren of Tavern")

    async def one_evening(toml: str, folder: Path) -> Turn:
        folder.mkdir()
        async with stage(folder, toml) as on, on.connected():
            on.link.listener.lookup = lookup
            original = await on.scene.write("Ann", "w: @Mira hello there")
            await on.turn_of(original)
            copy = await speak_through_proxy(on.scene, "Wren", "@Mira hello there")
            await on.scene.delete(original)
            await only_turn(on, "@Mira hello there")
            copies.append(copy)
            return await on.turn_of(copy)

    copies: list[int] = []
    turn = await one_evening("", tmp_path / "off")
    assert looked == []
    assert turn.author is not None
    assert turn.author.key.startswith("proxy:")
    turn = await one_evening("[discord]\nproxy_lookup = true\n", tmp_path / "on")
    assert looked == copies[1:]
    assert turn.author is not None
    assert (turn.author.key, turn.author.name) == ("pk:abcde", "Wren of Tavern")


async def test_of_somebody_who_wants_nothing_kept_the_copy_is_not_kept_either(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        ann = PersonKey(f"discord:{on.scene.people['Ann'].id}")
        await on.vault.privacy.set(ann, PrivacyLevel.FULL, familiar=MIRA, by=ann)
        original = await on.scene.write("Ann", "w: @Mira my secret")
        assert (await on.turn_of(original)).deleted
        copy = await speak_through_proxy(on.scene, "Wren", "@Mira my secret")
        await on.scene.delete(original)
        turn = await on.turn_of(copy)
        assert (turn.deleted, turn.content) == (True, "")
        assert await on.said() == []
        assert not on.model.requests


async def test_a_familiar_that_did_not_hear_the_original_waits_for_those_who_did(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        held = asyncio.Event()

        async def pause(_: float) -> None:
            await held.wait()

        on.link.listener.pause = pause
        originals = [await on.scene.write("Ann", f"w: @Mira hello {n}") for n in range(2)]
        turns = [await on.turn_of(one) for one in originals]
        await on.scene.replies(1)
        on.link.listener.proxies._originals.clear()
        for one in originals:
            await on.scene.delete(one)
        wren = Copy("5", Author(PersonKey("proxy:w"), "Wren"), "@Mira hello 0")
        await on.vault.turns.take_over(turns[0].id, wren)
        await on.scene.write("Ben", "@Mira last")
        await on.until_said(lambda said: "Ben: @Mira last" in said)
        held.set()
        await on.until_said(lambda said: not any("hello 1" in one for one in said))
        assert "Wren: @Mira hello 0" in await on.said()
