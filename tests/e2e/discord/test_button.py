"""Buttons under answers: another answer in the same messages, taking one away, and who may do that."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from familiar_app.discord_link.button import Buttons, button_id, read_button_id
from familiar_app.domain.ids import FamiliarId, TurnId
from tests.doubles.discord.deed import acknowledged, button_ids, press, press_id, refusal, text_of
from tests.doubles.discord.rest import Fault
from tests.doubles.discord.world import GENERAL, Payload
from tests.doubles.talk import MIRA
from tests.e2e.discord.stage import Stage, stage

LONG = "word " * 700
LONGER = "other " * 900


async def asked_and_answered(on: Stage, text: str = "@Mira hi", count: int = 1) -> tuple[int, list[Payload]]:
    asked = await on.scene.write("Ann", text)
    sent = await on.scene.replies(count)
    await settled(on)
    return asked, sent


async def settled(on: Stage) -> None:
    """Wait until nothing is under way any more."""
    for _ in range(2000):
        if await on.vault.deliveries.left(MIRA) == []:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("an answer is still under way")


async def alternatives(on: Stage, asked: int) -> list[tuple[str, bool, str | None]]:
    answers = await on.vault.turns.answers((await on.turn_of(asked)).id)
    return [(one.content, one.active, one.message_id) for one in answers]


async def test_another_answer_takes_the_place_of_the_first_in_its_message(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        asked, (sent,) = await asked_and_answered(on)
        ids = button_ids(sent)
        assert [one.rpartition(":")[0] for one in ids] == ["familiar:again:mira", "familiar:bin:mira"]
        on.model.lines = {"": "Good day."}
        number = int(sent["id"])
        await press(on.scene, "Ann", number, "again")
        await on.scene.until(lambda: text_of(on.scene, number) == "Good day.")
        assert await on.until_said(lambda said: "Mira: Good day." in said) == ["Ann: @Mira hi", "Mira: Good day."]
        assert button_ids(on.discord.world.messages[number]) == ids
        assert len(on.discord.rest.sent) == 1
        assert acknowledged(on.scene) == 1
        await settled(on)
        assert await alternatives(on, asked) == [("Hello.", False, None), ("Good day.", True, str(number))]
        assert (await on.turn_of(number)).content == "Good day."
        assert await on.vault.verify() == []


async def test_an_answer_of_other_length_adds_and_removes_messages(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.lines = {"": LONG}
        asked, sent = await asked_and_answered(on, "@Mira long", count=2)
        first, second = (int(one["id"]) for one in sent)
        assert [len(button_ids(one)) for one in sent] == [0, 2]
        on.model.lines = {"": "Short."}
        await press(on.scene, "Ann", second, "again")
        await on.scene.until(lambda: second not in on.discord.world.messages)
        assert text_of(on.scene, first) == "Short."
        assert len(button_ids(on.discord.world.messages[first])) == 2
        # The message that is gone by our own hand is no wish of anybody's to have it forgotten.
        await settled(on)
        assert await on.said() == ["Ann: @Mira long", "Mira: Short."]
        on.model.lines = {"": LONGER}
        await press(on.scene, "Ann", first, "again")
        third, fourth = (await on.scene.replies(4))[2:]
        await settled(on)
        assert (await on.said())[-1].startswith("Mira: other")
        assert [len(button_ids(one)) for one in (on.discord.world.messages[first], third, fourth)] == [0, 0, 2]
        reply = await on.turn_of(first)
        parts = await on.vault.messages.parts(reply.id)
        assert parts == [str(first), third["id"], fourth["id"]]
        shown = " ".join(text_of(on.scene, int(one)) for one in parts)
        assert shown.split() == LONGER.split()
        assert [one[1] for one in await alternatives(on, asked)] == [False, False, True]


async def test_only_whoever_asked_and_moderators_may_press(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        asked, (sent,) = await asked_and_answered(on)
        number = int(sent["id"])
        await press(on.scene, "Ben", number, "again")
        assert "Only whoever was answered" in await refusal(on.scene)
        await press(on.scene, "Ben", number, "bin")
        assert "Only whoever was answered" in await refusal(on.scene, 2)
        assert len(on.model.requests) == 1
        await press(on.scene, "Ben", number, "bin", moderator=True)
        await on.scene.until(lambda: number not in on.discord.world.messages)
        assert await on.until_said(lambda said: len(said) == 1) == ["Ann: @Mira hi"]
        assert (await on.turn_of(number)).deleted
        assert not (await on.turn_of(asked)).deleted


async def test_the_bin_takes_every_version_of_an_answer_out_of_memory(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.lines = {"": LONG}
        asked, sent = await asked_and_answered(on, count=2)
        on.model.lines = {"": "Short secret."}
        await press(on.scene, "Ann", int(sent[1]["id"]), "again")
        first = int(sent[0]["id"])
        await on.scene.until(
            lambda: text_of(on.scene, first) == "Short secret." and len(on.discord.world.messages) == 2
        )
        await press(on.scene, "Ann", first, "bin")
        await on.until_said(lambda said: len(said) == 1)
        assert list(on.discord.world.messages) == [asked]
        assert await on.vault.turns.answers((await on.turn_of(asked)).id) == []
        assert await on.vault.turns.search("word") == []
        assert b"Short secret" not in b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


async def test_buttons_of_an_answer_that_is_gone_say_so(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        asked, (sent,) = await asked_and_answered(on)
        turn = await on.turn_of(int(sent["id"]))
        await on.vault.turns.scrub(turn.id)
        await press(on.scene, "Ann", int(sent["id"]), "again")
        assert "not there any more" in await refusal(on.scene)
        other = f"familiar:again:mira:{turn.id + 50}"
        await press_id(on.scene, "Ann", sent, other)
        assert "not there any more" in await refusal(on.scene, 2)
        asked, sent_again = await asked_and_answered(on, "@Mira more", count=2)
        await on.vault.turns.scrub((await on.turn_of(asked)).id)
        await press(on.scene, "Ann", int(sent_again[1]["id"]), "again")
        assert "is gone" in await refusal(on.scene, 3)
        assert len(on.model.requests) == 2


async def test_a_failure_leaves_the_answer_that_was_shown(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        asked, (sent,) = await asked_and_answered(on)
        on.discord.rest.faults = [Fault("PATCH", "messages", 400)]
        on.model.lines = {"": "Never shown."}
        await press(on.scene, "Ann", int(sent["id"]), "again")
        await on.scene.until(lambda: "refused" in on.link.status.trouble)
        await settled(on)
        assert await on.until_said(lambda said: "Mira: Hello." in said) == ["Ann: @Mira hi", "Mira: Hello."]
        assert await alternatives(on, asked) == [("Hello.", True, sent["id"])]
        assert text_of(on.scene, int(sent["id"])) == "Hello."


async def test_buttons_work_after_the_program_was_ended(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        async with on.connected():
            _, (sent,) = await asked_and_answered(on)
        on.model.lines = {"": "Back again."}
        async with on.connected():
            await press(on.scene, "Ann", int(sent["id"]), "again")
            await on.scene.until(lambda: text_of(on.scene, int(sent["id"])) == "Back again.")


async def test_one_answer_at_a_time(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        _, (sent,) = await asked_and_answered(on)
        on.model.held = asyncio.Event()
        await on.scene.write("Ben", "@Mira and me")
        await on.scene.until(lambda: len(on.model.requests) == 2)
        await press(on.scene, "Ann", int(sent["id"]), "again")
        await on.scene.until(lambda: acknowledged(on.scene) == 1)
        await press(on.scene, "Ann", int(sent["id"]), "again")
        assert "still answering" in await refusal(on.scene)
        on.model.lines = {"": "Anew."}
        on.model.held.set()
        await on.scene.until(lambda: text_of(on.scene, int(sent["id"])) == "Anew.")
        assert [one["content"] for one in on.discord.rest.sent] == ["Hello.", "Anew."]
        assert len(on.model.requests) == 5


async def test_buttons_can_be_left_off(tmp_path: Path) -> None:
    async with stage(tmp_path, "[discord]\nbuttons = false\n") as on, on.connected():
        _, (sent,) = await asked_and_answered(on)
        assert button_ids(sent) == []
        assert sent["channel_id"] == str(GENERAL)


@pytest.mark.parametrize(
    "text", ["familiar:know:1", "familiar:again:mira:x", "familiar:again:Mira:1", "other", "a:b:c:1"]
)
def test_ids_of_other_buttons_are_nobodys(text: str) -> None:
    assert read_button_id(text) is None


def test_an_id_of_a_button_is_short_enough_and_reads_back() -> None:
    buttons = Buttons(FamiliarId("x" * 64), TurnId(10**18 - 1))
    assert len(button_id("again", buttons)) <= 100
    assert read_button_id(button_id("bin", buttons)) == ("bin", buttons)
