"""What is said on Discord, against what the vault keeps and what is sent."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.turn import Role, Turn
from tests.doubles.discord.rest import Fault
from tests.doubles.discord.world import FIRST_PERSON, GENERAL, pinged
from tests.e2e.discord.stage import SERVER, Stage, stage

AMBIENT = '[discord]\nmode = "ambient"\n'


async def test_a_mention_is_answered_and_both_are_kept(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.lines = {"hi": "Hi [@Ann]!"}
        asked = await on.scene.write("Ann", "@Mira hi")
        (sent,) = await on.scene.replies(1)
        assert sent["content"] == f"Hi <@{on.scene.people['Ann'].id}>!"
        assert pinged(sent) == {str(on.scene.people["Ann"].id)}
        assert sent["message_reference"]["message_id"] == asked
        assert on.discord.rest.typing == [GENERAL]
        said = await on.until_said(lambda said: len(said) == 2)
        assert said == ["Ann: @Mira hi", "Mira: Hi [@Ann]!"]
        reply = await on.turn_of(int(sent["id"]))
        assert (reply.role, reply.answers) == (Role.ASSISTANT, (await on.turn_of(asked)).id)
        assert (await on.turn_of(asked)).guild == SERVER


async def test_what_is_not_for_the_familiar_is_kept_but_not_answered(tmp_path: Path) -> None:
    async with stage(tmp_path, AMBIENT) as on, on.connected():
        on.model.lines = {"": "<silent>"}
        first = await on.scene.write("Ann", "Good evening @Ben")
        await on.scene.write("Ben", "@everyone look", answers=first)
        await on.scene.write("Ann", "So quiet here")
        await on.until_said(lambda said: len(said) == 3)
        await on.scene.until(lambda: len(on.model.requests) == 1)
        assert not on.discord.rest.sent
        assert not on.discord.rest.typing


async def test_other_channels_are_not_kept(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.scene.open_channel("private")
        async with on.connected():
            await on.scene.write("Ann", "@Mira in private", channel="private")
            await on.scene.whisper("Ann", "psst")
            await on.scene.write("Ann", "@Mira hi")
            await on.scene.replies(1)
            assert await on.turns(f"discord:{on.scene.channels['private']}") == []
            assert await on.turns(f"discord:{on.scene.channels['dm Ann']}") == []
            assert len(on.model.requests) == 1


async def test_direct_messages_are_for_one_person(tmp_path: Path) -> None:
    async with stage(tmp_path, "[discord]\ndirect_messages = true\n") as on, on.connected():
        await on.scene.whisper("Ann", "psst")
        (sent,) = await on.scene.replies(1)
        assert "message_reference" not in sent
        key = ChannelKey(f"discord:{on.scene.channels['dm Ann']}")
        channel = await on.vault.channels.find(key)
        assert channel is not None
        readers = await on.vault.audiences.readers(channel.id)
        assert readers is not None
        assert readers.people == {f"discord:{on.scene.people['Ann'].id}"}


async def test_edits_previews_deletions_and_reactions(tmp_path: Path) -> None:
    async with stage(tmp_path, AMBIENT) as on, on.connected():
        on.model.lines = {"": "<silent>"}
        first = await on.scene.write("Ann", "I live in Rome")
        second = await on.scene.write("Ann", "See https://example.org")
        third, fourth = [await on.scene.write("Ben", text) for text in ("One", "Two")]
        await on.scene.react("Ben", first, "👍")
        await on.scene.react("Ann", first, "👍")
        await on.scene.react("Ann", first, "👍", take_back=True)
        await on.scene.edit(first, "I live in Lisbon")
        await on.scene.edit(second, "", preview={"type": "link", "title": "Example", "description": "A page"})
        await on.scene.delete(third, fourth)
        last = await on.scene.write("Ben", "Bye")
        await on.until_said(lambda said: said[-1:] == ["Ben: Bye"])
        await on.scene.delete(last)
        await on.until_said(lambda said: len(said) == 2)
        turn = await on.turn_of(first)
        assert (turn.content, turn.revision) == ("I live in Lisbon", 2)
        assert (await on.turn_of(second)).content == "See https://example.org\n(link Example: A page)"
        gone = [await on.turn_of(one) for one in (third, fourth, last)]
        assert all(one.deleted and one.content == "" for one in gone)
        reactions = await on.vault.turns.reactions(turn.channel, [str(first)])
        assert [(one.emoji, one.count) for one in reactions[str(first)]] == [("👍", 1)]


async def test_a_long_answer_becomes_four_messages_and_a_file(tmp_path: Path) -> None:
    code = "\n".join(f"value_{number} = {number}  # a line of code" for number in range(300))
    answer = f"Here:\n\n```python\n{code}\n```\n\nNow you, @everyone."
    async with stage(tmp_path) as on, on.connected():
        on.model.lines = {"code": answer}
        asked = await on.scene.write("Ann", "@Mira code")
        sent = await on.scene.replies(4)
        await on.until_said(lambda said: len(said) == 2)
        assert len(answer) > 9000
        assert all(len(one["content"]) <= 2000 and one["content"].count("```") == 2 for one in sent)
        assert [one.get("message_reference", {}).get("message_id") for one in sent] == [asked, None, None, None]
        assert set().union(*(pinged(one) for one in sent)) == set()
        (rest,) = sent[3]["files"].values()
        shown = "".join(one["content"] for one in sent) + rest.decode()
        assert all(f"value_{number} = {number} " in shown for number in range(300))
        await on.scene.until(lambda: len(on.discord.rest.sent) == 4)
        whole = await on.turn_of(int(sent[3]["id"]))
        assert whole.message_id == sent[0]["id"]


async def test_a_newer_message_restarts_the_answer_and_a_deleted_one_drops_it(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.held = asyncio.Event()
        on.model.lines = {"second": "To the second.", "Ben": "To Ben."}
        await on.scene.write("Ann", "@Mira first")
        await on.scene.until(lambda: len(on.model.requests) == 1)
        await on.scene.write("Ann", "@Mira second")
        dropped = await on.scene.write("Ben", "@Mira never mind")
        await on.scene.until(lambda: len(on.model.requests) == 2)
        await on.scene.delete(dropped)
        await on.until_said(lambda said: len(said) == 2)
        on.model.held.set()
        (sent,) = await on.scene.replies(1)
        assert sent["content"] == "To the second."
        await on.until_said(lambda said: len(said) == 3)
        assert len(on.discord.rest.sent) == 1


async def test_after_a_cut_the_session_is_resumed_without_doubles(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        await on.scene.write("Ann", "@Mira one")
        await on.scene.replies(1)
        on.discord.gateway.cut_all()
        await on.scene.write("Ann", "@Mira two")
        await on.scene.replies(2)
        said = await on.until_said(lambda said: len(said) == 4)
        assert [one for one in said if one.startswith("Ann")] == ["Ann: @Mira one", "Ann: @Mira two"]
        assert on.discord.gateway.resumed >= 1


async def test_what_was_missed_is_fetched_and_what_was_deleted_is_found(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.discord.world.ahead_s = -1000
        async with on.connected():
            gone = await on.scene.write("Ann", "@Mira forget this")
            kept = await on.scene.write("Ann", "@Mira keep this")
            await on.until_said(lambda said: len(said) == 2)
        await on.scene.delete(gone, unseen=True)
        on.discord.world.ahead_s = -400
        await on.scene.write("Ben", "@Mira long ago", unseen=True)
        on.discord.world.ahead_s = 0
        fresh = await on.scene.write("Ben", "@Mira just now", unseen=True)
        async with on.connected():
            (sent,) = await on.scene.replies(1)
            assert sent["message_reference"]["message_id"] == fresh
            said = await on.until_said(lambda said: len(said) == 4)
            assert said == ["Ann: @Mira keep this", "Ben: @Mira long ago", "Ben: @Mira just now", "Mira: Hello."]
            assert (await on.turn_of(gone)).deleted
            assert not (await on.turn_of(kept)).deleted
            assert len(on.model.requests) == 1


async def test_whoever_listens_to_its_mentions_alone_fetches_no_other_words_either(tmp_path: Path) -> None:
    """Looking back, Discord shows a bot all that its portal allows, also what this connection never asked for."""
    async with stage(tmp_path) as on:
        async with on.connected():
            await on.scene.write("Ann", "@Mira hello")
            await on.scene.replies(1)
        await on.scene.write("Ben", "nobody was asked to keep this", unseen=True)
        await on.scene.write("Ben", "@Mira but this", unseen=True)
        async with on.connected():
            await on.scene.replies(2)
            assert await on.said() == ["Ann: @Mira hello", "Mira: Hello.", "Ben: @Mira but this", "Mira: Hello."]


@pytest.mark.parametrize(("allowed", "token", "words"), [(0, None, "Message Content"), (1 << 15, "other", "token")])
async def test_what_cannot_be_mended_by_trying_again_is_said(
    tmp_path: Path, allowed: int, token: str | None, words: str
) -> None:
    async with stage(tmp_path, AMBIENT) as on:
        on.discord.gateway.allowed = allowed
        on.discord.rest.token = on.discord.gateway.token = token or on.discord.gateway.token
        with pytest.raises(UserError, match=words):
            await on.link.run()
        assert on.link.status.state == "failed"
        assert on.discord.gateway.identified <= 1


async def test_local_only_mode_refuses_and_ends_a_connection(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        running = on.tasks.start(on.link.run(), name="the link")
        await on.scene.until(lambda: on.link.status.state == "connected")
        on.link.check = _refuse
        with pytest.raises(OutsideError, match="local"):
            await running
        on.failed.clear()
        with pytest.raises(OutsideError, match="local"):
            await on.link.run()


def _refuse(url: str) -> None:
    raise OutsideError("local-only mode is on")


async def test_what_is_said_while_the_connection_is_being_made_is_heard(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.link.patience = replace(on.link.patience, guild_ready_s=0.5)
        running = on.tasks.start(on.link.run(), name="the link")
        await on.scene.until(lambda: bool(on.discord.gateway.sessions))
        await on.scene.write("Ann", "@Mira early")
        assert on.link.status.state == "connecting"
        await on.scene.replies(1)
        running.cancel()
        await asyncio.wait([running])


async def test_a_channel_without_the_right_to_write_is_left_alone(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.discord.world.silenced.add(GENERAL)
        await on.scene.write("Ann", "@Mira hi")
        await on.scene.until(lambda: "may not" in on.link.status.trouble)
        said = await on.until_said(lambda said: len(said) == 1)
        assert said == ["Ann: @Mira hi"]
        await on.scene.write("Ann", "@Mira again")
        await on.until_said(lambda said: len(said) == 2)
        assert len(on.model.requests) == 1
        on.discord.world.silenced.clear()
        on.discord.gateway.cut_all()
        await on.scene.until(lambda: on.discord.gateway.resumed == 1)
        await on.scene.write("Ann", "@Mira now?")
        await on.scene.replies(1)


async def test_a_channel_is_written_in_again_as_soon_as_rights_change(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.discord.world.silenced.add(GENERAL)
        await on.scene.write("Ann", "@Mira hi")
        await on.scene.until(lambda: bool(on.link.journal.entries) and on.link.journal.entries[-1].fate is not None)
        on.discord.world.silenced.clear()
        await on.discord.gateway.tell("CHANNEL_UPDATE", on.discord.world.channels[GENERAL])
        await on.scene.write("Ann", "@Mira now?")
        await on.scene.replies(1)
        assert on.discord.gateway.identified == 1


async def test_server_faults_end_in_a_fresh_connection(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.discord.rest.faults = [Fault("GET", "users/@me", 503, times=1)]
        async with on.connected():
            states = [status.state for status in on.statuses]
            assert states[:4] == ["connecting", "waiting", "connecting", "connected"]


async def test_a_connection_that_keeps_breaking_is_paused(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        for number in range(1, 6):
            on.discord.gateway.cut_all()
            if number < 5:
                await on.scene.until(lambda number=number: on.discord.gateway.resumed >= number)
        await on.scene.until(lambda: any(status.state == "waiting" for status in on.statuses))
        (waiting,) = [status for status in on.statuses if status.state == "waiting"]
        assert "again and again" in waiting.trouble
        await on.scene.until(lambda: on.link.status.state == "connected")
        await on.scene.write("Ann", "@Mira hi")
        await on.scene.replies(1)


async def test_the_pause_can_be_cut_short(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.link.patience = replace(on.link.patience, shortest_s=60.0)
        on.discord.rest.faults = [Fault("GET", "users/@me", 503)]
        running = on.tasks.start(on.link.run(), name="the link")
        await on.scene.until(lambda: on.link.status.state == "waiting")
        assert on.link.status.sentence(on.link.clock.now()).endswith("Reconnecting in 60 s.")
        on.link.try_now()
        await on.scene.until(lambda: on.link.status.state == "connected")
        running.cancel()
        await asyncio.wait([running])


async def test_after_sleep_the_link_starts_afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage(tmp_path) as on, on.connected():
        real = time.time
        monkeypatch.setattr("familiar_app.discord_link.link.time.time", lambda: real() + 3600)
        await on.scene.until(lambda: on.discord.gateway.identified == 2)
        monkeypatch.undo()
        assert "The computer was asleep." in [status.trouble for status in on.statuses]
        await on.scene.until(lambda: on.link.status.state == "connected")


async def test_an_answer_cut_off_by_the_end_does_not_count_as_said(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        on.model.gate = asyncio.Event()
        async with on.connected():
            await on.scene.write("Ann", "@Mira hi")
            await on.scene.until(lambda: on.discord.rest.typing == [GENERAL])
        assert await on.said() == ["Ann: @Mira hi"]
        assert not on.discord.rest.sent


async def test_two_bots_do_not_talk_for_ever(tmp_path: Path) -> None:
    async with stage(tmp_path, f"[discord]\nbots = [{FIRST_PERSON + 3}]\n") as on, on.connected():
        assert on.scene.join("Robot", bot=True).id == FIRST_PERSON + 3
        on.scene.join("Other robot", bot=True)
        for number in range(1, 6):
            await on.scene.write("Robot", f"@Mira hello {number}")
            await on.until_said(lambda said, number=number: len(said) == number + min(number, 3))
            await on.scene.until(lambda number=number: len(on.discord.rest.sent) == min(number, 3))
        await on.scene.write("Other robot", "@Mira and me?")
        await on.scene.write("Ann", "@Mira stop that")
        await on.scene.replies(4)
        assert on.discord.rest.sent[3]["message_reference"]["message_id"] == max(
            number for number, one in on.discord.world.messages.items() if one["author"]["username"] == "ann"
        )


async def test_a_webhook_is_kept_under_a_key_of_its_own_and_not_answered(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        hook = on.scene.join("Ann ", bot=True)
        await on.scene.write("Ann ", "@Mira hi", webhook_id=str(hook.id))
        turn = await settled(on)
        assert turn.author is not None
        assert (turn.author.key, turn.author.bot) == (f"discord:{hook.id}", True)
        assert not on.model.requests


async def settled(on: Stage) -> Turn:
    await on.until_said(lambda said: len(said) == 1)
    return (await on.turns())[0]


async def test_a_reply_can_name_what_it_answers(tmp_path: Path) -> None:
    async with stage(tmp_path, AMBIENT) as on, on.connected():
        first = await on.scene.write("Ben", "Where is the key?")
        await on.scene.until(lambda: len(on.discord.rest.sent) == 1)
        on.model.lines = {"two": f"[↩ {first}] Under the mat.", "three": "[↩ 123] Nowhere.", "four": "[↩] Here."}
        await on.scene.write("Ann", "@Mira two")
        await on.scene.replies(2)
        third = await on.scene.write("Ann", "@Mira three")
        await on.scene.replies(3)
        fourth = await on.scene.write("Ann", "@Mira four")
        sent = (await on.scene.replies(4))[1:]
        assert [one["content"] for one in sent] == ["Under the mat.", "Nowhere.", "Here."]
        assert [one["message_reference"]["message_id"] for one in sent] == [first, third, fourth]
        assert "Mira: Under the mat." in await on.said()


async def test_a_message_deleted_while_it_is_answered_does_not_make_the_answer_fail(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        asked = await on.scene.write("Ann", "@Mira hi")
        await on.scene.delete(asked, unseen=True)
        (sent,) = await on.scene.replies(1)
        assert "message_reference" not in sent


async def test_a_failure_half_way_keeps_what_was_sent(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        on.model.lines = {"long": "word " * 700}
        double = on.discord.rest
        await on.scene.write("Ann", "@Mira long")
        await on.scene.until(lambda: len(double.sent) == 2)
        double.faults = [Fault("POST", "messages$", 400, times=1)]
        await on.scene.write("Ben", "@Mira long")
        await on.scene.until(lambda: "refused" in on.link.status.trouble)
        said = await on.until_said(lambda said: len(said) == 3)
        assert [one.split()[0] for one in said] == ["Ann:", "Mira:", "Ben:"]


async def test_threads_follow_their_channel(tmp_path: Path) -> None:
    async with stage(tmp_path) as on, on.connected():
        thread = await on.scene.open_thread("side talk")
        await on.scene.write("Ann", "@Mira here?", channel="side talk")
        (sent,) = await on.scene.replies(1)
        assert sent["channel_id"] == str(thread)
        assert len(await on.until_said(lambda said: len(said) == 2, f"discord:{thread}")) == 2
