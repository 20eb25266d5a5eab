"""Notices of saved memories in a channel: all of them, the title alone, or nothing; the rest lies behind a button."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from familiar_app.conversation.tool import Caller
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.saved_memory.request import ToolContext
from tests.doubles.discord.interaction import Answer, Interactions
from tests.doubles.discord.world import Payload
from tests.e2e.discord.stage import GENERAL, SERVER, Script, Stage, stage
from tests.e2e.discord.test_forget import everything_in
from tests.e2e.discord.test_own_memories import LINEAGE

SAVE = "create_long_term_memory"
SECRET = "{user} keeps sevenfold bees"


def settings(visibility: str) -> str:
    return f'{LINEAGE}[saved_memories]\nnotice_visibility = "{visibility}"\n'


async def save(on: Stage, text: str, who: str | None = "Ann") -> dict[str, object]:
    """Let the familiar save something while it answers Ann, who said so."""
    message = await on.scene.write("Ann", "@Mira remember this")
    turn = await on.turn_of(message)
    conversation = on.link.conversation
    channel = await on.vault.channels.find(GENERAL)
    assert channel is not None
    context: ToolContext = await conversation.desk._context(channel, turn.id)
    target = {} if who is None else {"target_user": who}
    arguments = {"memory_content": text, "memory_scope": "server_wide" if who is None else "target_user", **target}
    answer = await conversation.desk.offered(channel, may_stay_silent=False)[SAVE].call(
        arguments, Caller(context, "call-1", has_spoken=False)
    )
    return dict(json.loads(answer.text))


async def notice(on: Stage) -> Payload:
    """Wait for the notice among what was sent; the answer to Ann is no notice."""

    def notices() -> list[Payload]:
        return [one for one in on.discord.rest.sent if one["content"] != "Hello."]

    await on.scene.until(lambda: bool(notices()), "for a notice")
    return notices()[0]


def as_answer(message: Payload) -> Answer:
    return Answer(message["content"], message.get("components") or [], alone=False)


async def test_the_title_alone_with_the_rest_for_whom_it_is_about(tmp_path: Path) -> None:
    async with stage(tmp_path, settings("minimal")) as on, on.connected():
        hands = Interactions(on.scene)
        assert (await save(on, SECRET))["success"]
        shown = await notice(on)
        assert shown["content"] == "-# Memory saved"
        assert "sevenfold" not in json.dumps(shown, default=str)
        mine = await hands.press("Ann", as_answer(shown), "What was it?")
        assert mine.alone
        assert mine.text.endswith("About Ann: Ann keeps sevenfold bees")
        other = await hands.press("Ben", as_answer(shown), "What was it?", manager=True)
        assert other.alone
        assert "sevenfold" not in other.text


async def test_all_of_it_or_a_file_where_it_is_too_long(tmp_path: Path) -> None:
    text = f"{settings('verbose')}max_length = 6000\n"
    async with stage(tmp_path, text) as on, on.connected():
        hands = Interactions(on.scene)
        await save(on, SECRET)
        (embed,) = (await notice(on))["embeds"]
        assert embed["title"] == "Memory saved"
        assert "sevenfold" in embed["description"]
        on.discord.rest.sent.clear()
        long = "bees " * 1000
        await save(on, long, who=None)
        shown = await notice(on)
        assert not shown["embeds"]
        read = await hands.press("Ben", as_answer(shown), "What was it?")
        assert read.alone
        assert read.files["notice.txt"].decode().count("bees") == 1000


async def test_nothing_is_shown_where_they_are_hidden(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with stage(tmp_path, settings("hidden")) as on, on.connected():
        await save(on, SECRET)
        await on.scene.replies(1)
        assert [one["content"] for one in on.discord.rest.sent] == ["Hello."]
    assert "the channel is shown nothing" in caplog.text
    assert "sevenfold" not in caplog.text


async def test_a_memory_that_is_gone_is_shown_no_more(tmp_path: Path) -> None:
    async with stage(tmp_path, settings("minimal")) as on, on.connected():
        hands = Interactions(on.scene)
        result = await save(on, SECRET)
        shown = await notice(on)
        await on.vault.saved_memories.erase([result["data"]["memory_id"]])  # type: ignore[index]
        assert "not kept any more" in (await hands.press("Ann", as_answer(shown), "What was it?")).text


async def test_a_saved_memory_is_erased_with_the_call_that_saved_it(tmp_path: Path) -> None:
    async with stage(tmp_path, settings("hidden")) as on, on.connected():
        hands = Interactions(on.scene)
        await save(on, SECRET)
        asked = await hands.use("Ann", "forget memory", number=1)
        assert "Ann keeps sevenfold bees" in asked.text
        assert (await hands.press("Ann", asked, "Erase it")).text == "It is erased."
        assert "sevenfold" not in await everything_in(on)
        assert [one.kind for one in await on.vault.erasure.receipts()] == ["message"]
        assert await on.vault.verify() == []


async def test_whoever_spoke_on_the_server_can_be_meant_without_taking_part(tmp_path: Path) -> None:
    async with stage(tmp_path, settings("hidden")) as on, on.connected():
        on.scene.channels["other"] = on.scene.channels["general"]
        refused = await save(on, "{user} is new here", who="Ben")
        assert refused["data"]["status"] == "memory_save_failed_user_not_found"  # type: ignore[index]
        assert await on.vault.channels.find(GENERAL) is not None
        await on.scene.write("Ben", "@Mira hello from afar")
        await on.until_said(lambda said: any(line.startswith("Ben:") for line in said))
        channel = await on.vault.channels.find(GENERAL)
        assert channel is not None
        assert "Ben" in {one.name for one in on.link.membership.of(channel)}
        assert channel.guild == SERVER


async def test_a_call_made_by_the_model_is_told_of_before_its_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = ModelInfo("scripted", "fake", 8192, local=True, exact_tokens=True, tools="text")
    monkeypatch.setattr(Script, "info", property(lambda _self: info))
    async with stage(tmp_path, settings("minimal")) as on, on.connected():
        hands = Interactions(on.scene)
        call = {"memory_content": SECRET, "memory_scope": "target_user", "target_user": "Ann"}
        wanted = json.dumps({"name": SAVE, "arguments": call})
        on.model.lines = {"keep this": f"<tool_call>{wanted}</tool_call>"}
        await on.scene.write("Ann", "@Mira keep this")
        await on.scene.replies(2)
        assert sorted(one["content"] for one in on.discord.rest.sent) == ["-# Memory saved", "Hello."]
        page = await hands.use("Ann", "memories")
        assert "Ann keeps sevenfold bees" in page.text
        said = await on.until_said(lambda said: said[-1] == "Mira: Hello.")
        assert not any("Memory saved" in line and line.startswith("Mira") for line in said)
