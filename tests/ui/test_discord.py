"""The Discord panel as the owner meets it, with the real client library on the make-believe Discord."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox

from familiar_app.bootstrap.loop import run
from familiar_app.discord_link.rights import SEND, bits, invitation, needed
from familiar_app.domain.errors import OutsideError
from familiar_app.models.network import RefusedByLocalOnlyError
from familiar_app.ui.discord.guide import STEPS
from familiar_app.ui.kit.theme import Theme
from tests.doubles.discord.world import GUILD
from tests.doubles.talk import MIRA
from tests.ui.discord_scene import DiscordScene, discord_scene
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Play = Callable[[Callable[[DiscordScene], Awaitable[None]]], None]


@pytest.fixture
def play(tmp_path: Path, theme: Theme, qapp: QApplication) -> Play:
    qapp.setQuitOnLastWindowClosed(False)

    def begin(story: Callable[[DiscordScene], Awaitable[None]]) -> None:
        async def main() -> None:
            async with discord_scene(tmp_path, theme) as scene:
                await story(scene)

        run(main(), app=qapp)

    return begin


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was opened in a browser."""
    found: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url.toString()) or True)
    return found


def test_the_guide_leads_to_a_connection(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        guide = scene.view.guide
        assert guide.isVisible()
        assert scene.status.now.discord == ""
        assert not guide.connect_button.isEnabled()
        guide.field.setText("not a token")
        assert not guide.invite.isEnabled()
        await scene.press("Connect", guide)
        await scene.until(lambda: "not a bot's token" in guide.token._below.text())
        assert scene.on.discord.gateway.identified == 0
        await scene.connect()
        assert guide.field.text() == ""
        await scene.until(lambda: scene.status.now.discord == "Discord: connected")
        await scene.until(lambda: scene.view.strip.state.text() == "Connected to Discord.")
        assert scene.cells() == ["The Tavern", "    # general", "        ↳ the old ship", "    # harbour"]
        QAbstractItemModelTester(scene.view.place_rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
        await scene.press("Copy the invitation")
        assert f"permissions={bits(needed())}" in QGuiApplication.clipboard().text()
        assert scene.told == ["The invitation is copied. Whoever manages a server can open it."]

    play(story)


def test_listening_is_switched_by_space_by_a_click_and_taken_back(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        scene.choose("# general")
        QTest.keyClick(scene.view.places, Qt.Key.Key_Space)
        await scene.until(lambda: scene.rows[1].listens)
        assert [one.listens for one in scene.rows] == [False, True, True, False]
        assert (scene.cells(1)[0], scene.cells(2)[1]) == ("2 of 3", "When spoken to")
        await scene.on.scene.write("Ann", "@Mira good evening")
        await scene.on.scene.replies(1)
        await scene.undo()
        await scene.until(lambda: not scene.rows[1].listens)
        place = scene.view.places.visualRect(scene.view.place_rows.index(3, 1)).center()
        QTest.mouseClick(scene.view.places.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
        await scene.until(lambda: scene.rows[3].listens)
        assert scene.undos[-1][0] == "Mira listens in # harbour."

    play(story)


def test_what_was_heard_is_told_with_its_reason_and_leads_to_the_turn(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        scene.choose("# general")
        QTest.keyClick(scene.view.places, Qt.Key.Key_Space)
        await scene.until(lambda: scene.rows[1].listens)
        await scene.on.scene.write("Ben", "@Mira elsewhere", channel="harbour")
        await scene.on.scene.write("Ann", "@Mira good evening")
        await scene.on.scene.replies(1)
        await scene.until(lambda: scene.noticed(3) == ["Answered", "No answer"])
        QAbstractItemModelTester(scene.view.noticed_rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
        assert scene.noticed(1) == ["general", "harbour"]
        assert scene.noticed(2) == ["Ann", "Ben"]
        assert scene.noticed(4) == [
            "Somebody spoke to Mira.",
            "Mira does not listen in this channel; nothing of it is kept.",
        ]
        scene.view.noticed.setCurrentIndex(scene.view.noticed_rows.index(1, 0))
        assert "Why it did not speak" in scene.side_text()
        await scene.press("Show this channel", scene.side)
        assert scene.view.current_row.title == "# harbour"
        scene.view.noticed.setCurrentIndex(scene.view.noticed_rows.index(0, 0))
        QTest.keyClick(scene.view.noticed, Qt.Key.Key_Return)
        assert scene.went[-1][0] == "chat"
        channel, _, turn = scene.went[-1][1].partition(":")
        assert channel.isdigit()
        assert turn.isdigit()
        assert "good evening" not in scene.side_text()

    play(story)


def test_a_channel_has_its_own_mode_and_layers(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        scene.choose("# general")
        QTest.keyClick(scene.view.places, Qt.Key.Key_Space)
        await scene.until(lambda: scene.rows[1].listens)
        QTest.keyClick(scene.view.places, Qt.Key.Key_Return)
        assert QApplication.focusWidget().accessibleName() == "Mira listens here"
        box = next(one for one in scene.side.findChildren(QComboBox) if one.isVisible())
        box.setCurrentIndex(2)
        box.activated.emit(2)
        await scene.until(lambda: scene.rows[1].mode == "ambient")
        assert scene.profile.config(MIRA).channels["discord:100000000000000010"].mode == "ambient"
        assert "Message Content Intent" in scene.side_text()
        await scene.until(lambda: scene.on.discord.gateway.identified == 2, "for a connection that reads everything")
        layer = next(one for one in scene.side.findChildren(QCheckBox) if one.text() == "Lorebook" and one.isVisible())
        layer.setFocus()
        layer.click()
        await scene.until(lambda: scene.rows[1].own_layers)
        await scene.until(lambda: QApplication.focusWidget().accessibleName() == "Lorebook", "for the focus to stay")
        assert "lorebook" not in scene.hosted.config.prompt_layers("discord:100000000000000010")
        await scene.press("As everywhere else", scene.side)
        await scene.until(lambda: not scene.rows[1].own_layers)
        await scene.undo()
        await scene.until(lambda: scene.rows[1].own_layers)

    play(story)


def test_a_server_can_have_its_people_asked_first(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        scene.choose("The Tavern")
        QTest.keyClick(scene.view.places, Qt.Key.Key_Return)
        next(one for one in scene.side.findChildren(QCheckBox) if one.isVisible()).click()
        await scene.until(lambda: scene.rows[0].opt_in)
        assert await scene.on.vault.privacy.opt_in_servers() == {f"discord:{GUILD}"}
        assert scene.undos[-1][0] == "People on The Tavern are remembered only after they agreed."
        await scene.undo()
        await scene.until(lambda: not scene.rows[0].opt_in)

    play(story)


def test_missing_rights_are_named_and_found_once_they_are_given(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        harbour = scene.on.discord.world.channels[scene.on.scene.channels["harbour"]]
        harbour["permission_overwrites"] = [{"id": str(GUILD), "type": 0, "allow": "0", "deny": str(SEND.bit)}]
        everyone = scene.on.discord.world.guild_payload(scene.on.discord.world.me)["roles"][0]
        everyone["permissions"] = str(SEND.bit | 1 << 10 | 1 << 16)
        await scene.on.discord.gateway.tell("GUILD_ROLE_UPDATE", {"guild_id": str(GUILD), "role": everyone})
        await scene.until(lambda: scene.cells(3)[1] == "Attach Files", "for the right that is missing")
        scene.choose("# general")
        QTest.keyClick(scene.view.places, Qt.Key.Key_Return)
        assert "Attach Files, to send a very long answer as a file." in scene.side_text()
        everyone["permissions"] = str((1 << 51) - 1)
        await scene.on.discord.gateway.tell("GUILD_ROLE_UPDATE", {"guild_id": str(GUILD), "role": everyone})
        await scene.until(lambda: scene.cells(3)[1] == "")

    play(story)


def test_a_refused_token_and_a_missing_switch_are_told_with_the_next_step(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        scene.view.guide.field.setText("MTAw.wrong.token")
        await scene.press("Connect", scene.view.guide)
        await scene.until(lambda: "does not accept the bot's token" in scene.view.failed.text)
        assert (scene.status.now.discord, scene.status.now.discord_tone) == ("Discord: not connected", "danger")
        await scene.press("Give a new token…")
        await scene.until(lambda: scene.view.guide.isVisible())
        await scene.connect()
        assert not scene.view.failed.isVisible()
        scene.on.discord.gateway.allowed = 0
        scene.view.strip.mode.setCurrentIndex(1)
        scene.view.strip.mode.activated.emit(1)
        await scene.until(lambda: "may not read messages that do not mention it" in scene.view.failed.text)
        assert scene.view.failed._button.text() == "Open the developer portal"
        await scene.undo()
        await scene.until(lambda: scene.hub.of(MIRA).connected, "for the connection without it")

    play(story)


def test_local_only_is_told_with_the_button_that_ends_it(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        network = scene.on.network
        allowed = network.check

        def check(url: str, purpose: str = "") -> None:
            if network.local_only:
                raise RefusedByLocalOnlyError
            allowed(url, purpose)

        network.check = check
        heard: list[bool] = []
        scene.context.local_only_changed.connect(heard.append)
        scene.view.guide.field.setText(scene.on.discord.gateway.token)
        await scene.press("Connect", scene.view.guide)
        await scene.until(lambda: "Local-only mode is on" in scene.view.failed.text)
        assert scene.on.discord.gateway.identified == 0
        await scene.press("Allow the network")
        await scene.until(lambda: scene.hub.of(MIRA).connected)
        assert (scene.gate.local_only, heard) == ([False], [False])

    play(story)


def test_local_only_is_told_before_anybody_presses_connect(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        blocked = scene.view.blocked
        assert blocked.isVisible()
        assert "Local-only mode is on" in blocked.text
        assert scene.view.guide.isVisible()
        await scene.press("Allow the network")
        await scene.until(lambda: scene.gate.local_only == [False])
        assert not blocked.isVisible()
        scene.on.network.local_only = True
        scene.context.local_only_changed.emit(True)
        assert blocked.isVisible()
        await scene.connect()
        await scene.until(lambda: not blocked.isVisible())

    play(story)


def test_the_switch_in_the_portal_is_told_before_and_after_discord_asks_for_it(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        assert any("Message Content Intent" in text for _title, text in STEPS)
        await scene.connect()
        assert not scene.view.strip.intent.isVisible()
        await scene.press("Disconnect")
        scene.view.strip.mode.activated.emit(1)
        await scene.until(lambda: scene.view.strip.intent.isVisible())
        scene.on.discord.gateway.allowed = 0
        await scene.press("Connect")
        await scene.until(lambda: "Discord refused the connection" in scene.view.failed.text)
        assert "Message Content Intent" in scene.view.failed.text
        assert "press Connect again" in scene.view.failed.text
        assert scene.view.strip.switch_on.text() == "Connect again"
        assert not scene.view.strip.intent.isVisible()

    play(story)


def test_the_guide_has_the_invitation_once_the_token_tells_the_account(play: Play, opened: list[str]) -> None:
    async def story(scene: DiscordScene) -> None:
        guide, number = scene.view.guide, 123456789012345678
        head = base64.urlsafe_b64encode(str(number).encode()).decode().rstrip("=")
        guide.field.setText(f"{head}.x.y")
        assert guide.invite.isEnabled()
        guide.invite.click()
        assert opened == [invitation(number, needed())]

    play(story)


def test_a_pause_counts_down_and_can_be_cut_short(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        def broken(url: str, _purpose: str = "") -> None:
            if "/api/" in url:
                raise OutsideError("The network is gone.", retryable=True)

        await scene.connect()
        await scene.press("Disconnect")
        await scene.until(lambda: scene.hub.of(MIRA).status.state == "off")
        allowed, scene.on.network.check = scene.on.network.check, broken
        await scene.press("Connect")
        await scene.until(lambda: "Reconnecting in" in scene.view.strip.state.text())
        assert scene.status.now.discord.startswith("Discord: again in ")
        scene.on.network.check = allowed
        scene.view.deeds.do("try_now")
        await scene.until(lambda: scene.hub.of(MIRA).connected)

    play(story)


def test_direct_messages_are_taken_once_the_owner_says_so(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        await scene.on.scene.whisper("Ben", "psst")
        await scene.until(lambda: scene.noticed(3) == ["No answer"])
        scene.view.noticed.setCurrentIndex(scene.view.noticed_rows.index(0, 0))
        await scene.press("Take direct messages", scene.side)
        await scene.until(lambda: scene.view.strip.direct.isChecked())
        await scene.until(lambda: scene.on.discord.gateway.identified == 2 and scene.hub.of(MIRA).connected)
        await scene.on.scene.whisper("Ben", "psst again")
        await scene.on.scene.replies(1)

    play(story)


def test_the_token_leaves_the_vault_and_comes_back(play: Play) -> None:
    async def story(scene: DiscordScene) -> None:
        await scene.connect()
        next(one for one in scene.panel.actions() if one.id == "discord.take_token").run()
        await scene.until(lambda: scene.view.guide.isVisible())
        assert await scene.on.vault.secrets.names() == []
        assert scene.status.now.discord == ""
        await scene.undo()
        await scene.until(lambda: scene.hub.of(MIRA).connected)

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_has_a_name_a_place_and_room(play: Play, theme: Theme, zoom: float) -> None:
    async def story(scene: DiscordScene) -> None:
        theme.set_zoom(zoom)
        for connected in (False, True):
            if connected:
                await scene.connect()
                scene.choose("# general")
                QTest.keyClick(scene.view.places, Qt.Key.Key_Return)
            for _ in range(5):
                QApplication.processEvents()
            assert unnamed(scene.window) == []
            assert unreachable(scene.window) == []
            assert cut_off(scene.window) == []
            assert overlapping(scene.window) == []

    play(story)
