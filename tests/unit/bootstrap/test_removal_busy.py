"""A familiar that is erased while it answers leaves nothing of the answer behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from familiar_app.conversation.event import ExchangeEvent, ReplyDelta, ReplyStopped
from familiar_app.domain.chat import ChatEvent, ChatRequest, TextDelta
from familiar_app.domain.errors import UserError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.turn import Author, Channel
from familiar_app.models.scripted import ScriptedModel
from familiar_app.services import Services
from tests.doubles.talk import BEN
from tests.unit.bootstrap.test_removal import NIA, script, two

__all__ = ["script"]
SAID = "The heron is late tonight."


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a model begin to speak, and come to no end."""

    async def stream(_self: ScriptedModel, _request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        yield TextDelta(SAID)
        await asyncio.Event().wait()

    monkeypatch.setattr(ScriptedModel, "stream", stream)


async def answering(services: Services, channel: Channel, begun: asyncio.Event) -> list[ExchangeEvent]:
    events = []
    async for event in services.familiars[NIA].conversation.say(channel, "Where is it?", BEN):
        events.append(event)
        if isinstance(event, ReplyDelta):
            begun.set()
    return events


@pytest.mark.usefixtures("endless")
async def test_an_answer_under_way_ends_and_is_not_kept(tmp_path: Path, script: Path) -> None:
    application = await two(tmp_path / "profile", script)
    services = application.services
    conversation = services.familiars[NIA].conversation
    place = await services.vault.channels.ensure(ChannelKey("discord:10"), title="general", guild="discord:1")
    begun = asyncio.Event()
    answer = asyncio.create_task(answering(services, place, begun))
    await begun.wait()
    await application.remove_familiar(NIA)
    assert isinstance((await answer)[-1], ReplyStopped)
    turns = await services.vault.turns.page(place.id)
    assert [one.content for one in turns] == ["Where is it?"]
    assert [await services.vault.traces.get(one.id) for one in await services.vault.traces.list()] == []
    with pytest.raises(UserError):
        await anext(conversation.say(place, "Are you there?", Author(BEN.key, "Ben")))
    assert await services.vault.turns.count(place.id) == 1
    assert await services.vault.verify() == []
    await application.close()
