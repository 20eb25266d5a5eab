"""Conversations over a real vault: what the doubles promise holds there too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from familiar_app.context.assembler import Assembler, PromptRequest
from familiar_app.conversation.event import ReplyDelta, ReplyFailed, ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.erasure import OfMessage
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, ChannelKey, FamiliarId, PersonKey
from familiar_app.domain.trace import messages_as_sent
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.store.keys import KdfCost, new_recovery_code
from familiar_app.store.vault import Vault
from tests.doubles.talk import ANN, BEN, MIRA, START, FakeModel, make_config

CHEAP = KdfCost(time_cost=1, memory_kib=8 * 1024, parallelism=1)


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    made = await Vault.create(
        tmp_path / "vault.db",
        "three blue herons",
        recovery_code=new_recovery_code(),
        clock=FixedClock(START),
        cost=CHEAP,
    )
    yield made
    await made.close()


@pytest.fixture
async def channel(vault: Vault) -> Channel:
    return await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA, title="Main")


def talk(vault: Vault, model: FakeModel) -> Conversation:
    card = CharacterCard(name="Mira", first_message="Welcome.")
    config, clock = make_config(), FixedClock(START)
    assembler = Assembler(MIRA, lambda: card, config, vault, model, clock, "Ann")
    return Conversation(MIRA, "Mira", config, vault, model, assembler, clock)


async def reply_of(events: Any) -> ReplyStored:
    last = [event async for event in events][-1]
    assert isinstance(last, ReplyStored)
    return last


async def test_reply_leads_to_its_prompt(vault: Vault, channel: Channel) -> None:
    model = FakeModel(deltas=["Good evening."])
    conversation = talk(vault, model)
    assert await conversation.greet(channel) is not None
    stored = await reply_of(conversation.say(channel, "Evening!", ANN))
    trace = await vault.traces.for_turn(stored.turn.id)
    assert trace is not None
    assert (trace.id, trace.reply_turn_id, trace.answer) == (stored.trace_id, stored.turn.id, "Good evening.")
    assert messages_as_sent(trace.messages) == model.requests[0].messages
    assert [message.role for message in model.requests[0].messages] == ["system", "user", "assistant", "user"]
    assert [turn.content for turn in await vault.turns.page(channel.id)] == ["Welcome.", "Evening!", "Good evening."]


async def test_answers_made_again(vault: Vault, channel: Channel) -> None:
    model = FakeModel(deltas=["One."])
    conversation = talk(vault, model)
    first = await reply_of(conversation.say(channel, "a", ANN))
    await reply_of(conversation.say(channel, "b", ANN))
    model.deltas = ["Another."]
    again = await reply_of(conversation.regenerate(first.turn.id))
    assert (again.turn.alternative, again.turn.alternatives) == (2, 2)
    await reply_of(conversation.say(channel, "c", ANN))
    assert [message.content for message in model.requests[-1].messages if message.role == "assistant"] == [
        "Another.",
        "One.",
    ]


async def test_hidden_turns_and_edits(vault: Vault, channel: Channel) -> None:
    model = FakeModel()
    conversation = talk(vault, model)
    first = await reply_of(conversation.say(channel, "a secret", ANN))
    user = (await vault.turns.page(channel.id))[0]
    await vault.turns.revise(user.id, "a correction")
    await vault.turns.hide([first.turn.id])
    prompt = await conversation.assembler.assemble(PromptRequest(channel, pending="and now"))
    assert prompt.request.messages[-1].content.split("\n")[:2] == [
        "[2024-05-01 12:30 Ann] a correction",
        "[12:30 Ann] and now",
    ]


async def test_scrubbed_words_are_in_no_prompt_and_no_trace(vault: Vault, channel: Channel) -> None:
    conversation = talk(vault, FakeModel())
    stored = await reply_of(conversation.say(channel, "the password is swordfish", ANN))
    user = (await vault.turns.page(channel.id))[0]
    await vault.turns.scrub(user.id)
    trace = await vault.traces.get(stored.trace_id)
    assert trace is not None
    assert "swordfish" not in trace.model_dump_json()
    prompt = await conversation.assembler.assemble(PromptRequest(channel, pending="and now"))
    assert "swordfish" not in str(prompt)


async def test_people_are_called_as_they_are_called_now(vault: Vault) -> None:
    general = await vault.channels.ensure(ChannelKey("discord:10"), title="general", guild="discord:1")
    ben = PersonKey("discord:2")
    for number, name in enumerate(["Benjamin", "Ben"]):
        await vault.turns.append(
            NewTurn(general.id, Role.USER, f"hi {number}", START, author=Author(ben, name), guild="discord:1")
        )
    await vault.turns.append(NewTurn(general.id, Role.USER, "hello", START, author=Author(OWNER, "Somebody else")))
    prompt = await talk(vault, FakeModel()).assembler.assemble(PromptRequest(general))
    assert prompt.speakers == ("Ben", "Ann")
    assert prompt.request.messages[-1].content.startswith("[2024-05-01 12:30 Ben #general] hi 0\n")


async def test_channel_that_does_not_exist_yet(vault: Vault) -> None:
    made_up = Channel(id=0, key=MAIN_CHANNEL, familiar=MIRA, title="main")  # type: ignore[arg-type]
    prompt = await talk(vault, FakeModel()).assembler.assemble(PromptRequest(made_up, pending="hello"))
    assert "[2024-05-01 12:30 Ann] hello" in prompt.request.messages[-1].content


@pytest.mark.parametrize("ending", ["whole", "stopped", "failed"])
async def test_what_is_erased_while_it_is_continued_does_not_come_back(
    vault: Vault, channel: Channel, ending: str
) -> None:
    model = FakeModel(deltas=["The password is swordfish"])
    conversation = talk(vault, model)
    cut = await reply_of(conversation.say(channel, "What is it?", ANN))
    model.deltas = [
        " and",
        " nothing",
        " else, of that I am quite sure tonight, and of not much more than that.",
        " Ah.",
    ]
    if ending == "failed":
        model.deltas = [*model.deltas, OutsideError("The server fell over.")]
    events = []
    async for event in conversation.go_on(cut.turn.id):
        events.append(event)
        if isinstance(event, ReplyDelta) and len(events) == 2:
            await vault.erasure.erase(OfMessage(cut.turn.id))
            if ending == "stopped":
                conversation.stop(channel.id)
    assert isinstance(events[-1], ReplyFailed)
    assert ending == "failed" or "erased while it was continued" in str(events[-1].error)
    turns = await vault.turns.page(channel.id)
    traces = [await vault.traces.get(one.id) for one in await vault.traces.list()]
    assert "swordfish" not in f"{turns}{traces}"
    assert not conversation.busy(channel.id)


async def test_two_familiars_answer_one_message_and_see_each_other(vault: Vault) -> None:
    def talker(name: str, said: str) -> tuple[Conversation, FakeModel]:
        familiar, model, card = FamiliarId(name.lower()), FakeModel(deltas=[said]), CharacterCard(name=name)
        config, clock = make_config(), FixedClock(START)
        assembler = Assembler(familiar, lambda: card, config, vault, model, clock, "Ann")
        return Conversation(familiar, name, config, vault, model, assembler, clock), model

    (mira, mira_model), (nix, nix_model) = talker("Mira", "The sea."), talker("Nix", "The woods.")
    for one in (mira, nix):
        place = await vault.channels.ensure(ChannelKey("discord:10"), familiar=one.familiar, title="general")
    asked, _ = await vault.turns.append(NewTurn(place.id, Role.USER, "Sea or woods?", START, author=BEN))
    first = await reply_of(mira.regenerate(asked.id))
    await reply_of(nix.regenerate(asked.id))
    assert [turn.content for turn in await vault.turns.page(place.id)] == ["Sea or woods?", "The sea.", "The woods."]
    # Each is "assistant" to itself alone, and the second has heard the first.
    (seen,) = [message for message in nix_model.requests[-1].messages if message.role == "user"]
    assert "Ben #general] Sea or woods?" in seen.content
    assert "Mira #general] The sea." in seen.content
    # Made again, an answer knows what its first one knew: the other's came later.
    mira_model.deltas = ["The sea, always."]
    again = await reply_of(mira.regenerate(first.turn.id))
    assert (again.turn.alternative, again.turn.alternatives) == (2, 2)
    assert not any("woods." in message.content for message in mira_model.requests[-1].messages)
    thanks, _ = await vault.turns.append(NewTurn(place.id, Role.USER, "Thanks!", START, author=BEN))
    await reply_of(nix.regenerate(thanks.id))
    *_, theirs, own, newest = nix_model.requests[-1].messages
    assert (own.role, own.content) == ("assistant", "The woods.")
    assert theirs.role == newest.role == "user"
    assert "Mira #general] The sea, always." in theirs.content
    assert await vault.verify() == []
