"""The panel's model over a real vault: what it reads, the layers of a channel, and acts that can be taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.discord_link.hub import Hub
from familiar_app.discord_link.incoming import Spot
from familiar_app.discord_link.journal import Noticed
from familiar_app.discord_link.limit import Limit
from familiar_app.discord_link.speak_rule import Why
from familiar_app.discord_link.status import LinkStatus
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.profile import Profile
from familiar_app.ui.discord.act import DiscordActs
from familiar_app.ui.discord.model import PORTAL, DiscordModel
from tests.doubles.talk import MIRA
from tests.ui.timeline_scene import NOW, new_vault

TEN = ChannelKey("discord:10")


class Desk:
    """Model and acts over a real vault and profile; nothing connects."""

    def __init__(self, vault: Any, folder: Path) -> None:
        self.profile = Profile(folder / "profile")
        self.profile.add_familiar(MIRA, CharacterCard(name="Mira"), {}, "0b5c2d4e-1f7a-4c3b-9d8e-6a5f4e3d2c1b")
        self.hosted = SimpleNamespace(name="Mira", config=self.profile.config(MIRA))
        self.refuses = False
        clock = FixedClock(NOW)
        self.hub = Hub(vault, TaskRegistry(lambda *_: None), dict, self._nobody)
        self.familiars = {MIRA: self.hosted}
        services: Any = SimpleNamespace(
            vault=vault, clock=clock, familiars=self.familiars, network=SimpleNamespace(local_only=True)
        )
        self.model = DiscordModel(services, self.hub, MIRA, NOW.tzinfo)
        gate: Any = self
        self.acts = DiscordActs(self.model, gate, self.profile)

    async def reload_familiar(self, _familiar: str) -> None:
        if self.refuses:
            raise BadInputError("no.", field="x")
        self.hosted.config = self.profile.config(MIRA)

    async def _nobody(self, _hub: Hub) -> Any:
        raise AssertionError("nothing connects here")


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    vault = await new_vault(tmp_path, FixedClock(NOW))
    try:
        yield Desk(vault, tmp_path)
    finally:
        await vault.close()


async def test_it_shows_where_it_listens_before_it_ever_was_connected(desk: Desk) -> None:
    await desk.hub.subscribe(MIRA, 10, True)
    await desk.model.load()
    assert [one.title for one in desk.model.rows] == ["Not on any server that is known", "# 10"]
    assert (desk.model.invitation, desk.model.portal) == ("", PORTAL)
    outcome = await desk.acts.listen(desk.model.rows[1], False)
    assert outcome is not None
    assert desk.model.rows == []
    await outcome.back()
    assert desk.model.rows[1].listens


async def test_layers_of_a_channel_go_back_to_nothing_of_its_own(desk: Desk) -> None:
    await desk.hub.subscribe(MIRA, 10, True)
    await desk.model.load()
    usual, row = desk.hosted.config.context.prompt_layers, desk.model.rows[1]
    await desk.acts.layers(row, "lorebook", False)
    assert dict(desk.model.layers(TEN))["lorebook"] is False
    assert desk.hosted.config.prompt_layers(TEN) == tuple(one for one in usual if one != "lorebook")
    back = await desk.acts.layers(row, "lorebook", True)
    assert desk.hosted.config.channels["discord:10"].prompt_layers is None, "the familiar's own again, not a copy"
    await back.back()
    assert dict(desk.model.layers(TEN))["lorebook"] is False


async def test_a_channel_keeps_the_name_that_the_file_gives_it(desk: Desk) -> None:
    desk.profile.save_config(MIRA, {'channels."10".mode': "ambient"})
    await desk.reload_familiar("")
    await desk.hub.subscribe(MIRA, 10, True)
    await desk.model.load()
    assert desk.model.rows[1].mode == "ambient"
    await desk.acts.mode(desk.model.rows[1], None)
    assert desk.hosted.config.discord_mode(TEN) == "mentions"
    assert set(desk.hosted.config.channels) == {"10"}


async def test_a_setting_that_cannot_be_loaded_is_put_back(desk: Desk) -> None:
    desk.refuses = True
    with pytest.raises(BadInputError):
        await desk.acts.direct(True)
    assert desk.profile.config(MIRA).discord.direct_messages is False


async def test_what_is_no_token_is_refused_and_a_token_taken_back_returns(desk: Desk) -> None:
    with pytest.raises(BadInputError):
        await desk.acts.give_token("two words")
    assert not desk.model.standing.token
    await desk.hub.set_token(MIRA, " Bot abc.def.ghi ")
    outcome = await desk.acts.take_token()
    assert not desk.model.standing.token
    await outcome.back()
    assert await desk.model.vault.secrets.get(f"{MIRA}.discord_token") == "abc.def.ghi"


async def test_every_change_is_told(desk: Desk) -> None:
    await desk.model.load()
    heard: list[str] = []
    desk.model.watch(heard.append)
    stop = desk.model.listen()
    await desk.hub.set_token(MIRA, "abc.def.ghi")
    assert heard == ["standing", "rows"]
    journal = desk.hub.journal(MIRA)
    journal.entries.append(Noticed(NOW, Spot(10, "general", 1), "Ann", Why.OLD))
    journal.entries.append(Noticed(NOW, Spot(10, "general", 1), "Ben", Why.OLD))
    assert [one.author for one in desk.model.noticed] == ["Ben", "Ann"], "newest first"
    stop()
    await desk.hub.set_token(MIRA, None)
    assert heard == ["standing", "rows"]


async def test_a_familiar_that_goes_is_told_of_no_more(desk: Desk) -> None:
    await desk.model.load()
    stop = desk.model.listen()
    heard: list[str] = []
    desk.model.watch(heard.append)
    desk.familiars.clear()
    await desk.hub.forget(MIRA)
    await desk.hub.set_token(MIRA, "abc.def.ghi")
    assert (heard, desk.model.gone) == ([], True)
    stop()


async def test_limits_are_forgotten_once_they_are_over(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.hub.set_token(MIRA, "abc.def.ghi")
    now = [100.0]
    monkeypatch.setattr("familiar_app.ui.discord.model.time", SimpleNamespace(monotonic=lambda: now[0]))
    limited = replace(desk.hub.of(MIRA), status=LinkStatus("connected"), limits=(Limit("messages", 112.0, True),))
    desk.hub._standings[MIRA] = limited
    assert desk.model.state_text() == "Connected to Discord. Discord asks to wait with messages for 12 s."
    assert (desk.model.pulse().text, desk.model.ticking) == ("Discord: slowed down", True)
    now[0] = 113.0
    assert desk.model.state_text() == "Connected to Discord."
    assert (desk.model.pulse().text, desk.model.ticking) == ("Discord: connected", False)


async def test_attention_is_held_to_channels_and_let_go(desk: Desk) -> None:
    for number in (10, 11):
        await desk.hub.subscribe(MIRA, number, True)
    await desk.model.load()
    assert [one.attended for one in desk.model.rows[1:]] == [False, False], "all have it"
    outcome = await desk.acts.attend(desk.model.rows[1], True)
    assert outcome is not None
    assert [(one.attended, one.pinned) for one in desk.model.rows[1:]] == [(True, True), (False, False)]
    await outcome.back()
    assert [one.attended for one in desk.model.rows[1:]] == [False, False]
