"""The chat as a panel of the main window: one view per familiar, made when it is first shown."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from familiar_app.domain.ids import ChannelId, FamiliarId
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.chat.model import ChatModel
from familiar_app.ui.chat.view import ChatView
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.avatar import read_picture
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.zone import system_zone

if TYPE_CHECKING:
    from familiar_app.services import Services

KEYS: Mapping[str, Sequence[tuple[str, str]]] = {
    tr_later("While you write"): (
        (tr_later("Send"), "Return"),
        (tr_later("New line"), "Shift+Return"),
        (tr_later("Stop the reply"), "Esc"),
        (tr_later("Answer again"), "Ctrl+Return"),
        (tr_later("Nothing written: change your last message"), "↑"),
        (tr_later("Nothing written: other answers"), "← →"),
    ),
    tr_later("In the conversation"): (
        (tr_later("Message before, after"), "↑ ↓"),
        (tr_later("Copy"), "Ctrl+C"),
        (tr_later("Change"), "Return"),
        (tr_later("Remove"), "Del"),
        (tr_later("First, newest message"), "Home End"),
        (tr_later("A page up, down"), "PgUp PgDown"),
    ),
    tr_later("In the list of channels"): ((tr_later("Rename"), "F2"),),
}


def create_chat_panel(services: Services, context: PanelContext) -> ChatPanel:
    """Make the chat panel for an open vault."""
    return ChatPanel(services, context)


class ChatPanel:
    """Implements `kit.panel.Panel`."""

    id = "chat"
    title = tr_later("Chat")
    icon = "chat"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget = FamiliarViews(services, context, self._make, begin=self._begin, shown=self._shown)
        self.widget.show_familiar(context.familiar)
        context.familiar_reloaded.connect(self._reloaded)

    @property
    def view(self) -> ChatView:
        """The view of the familiar that is shown."""
        return self.widget.current

    def _shown(self, view: ChatView) -> None:
        self._context.badge(self.id, view.model.channels.unread)
        self._context.actions_changed(self.id)

    def _make(self, familiar: FamiliarId) -> ChatView:
        model = ChatModel(self._services, familiar, system_zone=system_zone())
        path = self._services.profile.avatar(familiar)
        view = ChatView(model, self._context, read_picture(path) if path is not None else None)
        model.report = self._report
        return view

    def _begin(self, view: ChatView) -> None:
        view.tasks.start(view.model.start, name="chat.start")

    def _report(self, state: str, tokens_per_s: float | None) -> None:
        changes: dict[str, object] = {"model_state": state}
        if tokens_per_s is not None or state == "answering":
            changes["tokens_per_s"] = tokens_per_s
        self._context.status.update(**changes)

    def _reloaded(self, familiar: str) -> None:
        """The familiar's name, face or greetings may be others now: build its view anew."""
        old = self.widget.of(familiar)
        if old is None:
            return
        old.deeds.keep_draft()
        if old.model.replying:
            # The reply goes on where it is; only what is shown of the familiar changes.
            old.tasks.start(old.model.reloaded, name="chat.reload")
            return
        shown = self.view is old
        self.widget.drop(familiar)
        if shown:
            self.widget.show_familiar(familiar)
        old.deeds.closed = True
        old.tasks.cancel_soon()
        old.deleteLater()

    # ---- Panel

    def actions(self) -> Sequence[Action]:
        view = self.view

        def deed(name: str, title: str, *, shortcut: str = "", icon: str = "", words: str = "") -> Action:
            return Action(
                f"chat.{name}",
                title,
                lambda: view.deeds.do(name),
                shortcut=shortcut,
                icon=icon,
                group=tr("Chat"),
                words=words,
            )

        return (
            deed("new_channel", tr("New channel…"), shortcut="Ctrl+N", icon="plus"),
            deed("rename_channel", tr("Rename this channel…"), icon="edit"),
            deed("archive_channel", tr("Archive this channel"), icon="archive"),
            deed("regenerate", tr("Answer again"), icon="refresh", words=tr("regenerate reroll swipe")),
            deed("go_on", tr("Continue the last answer"), icon="play", words=tr("go on cut off length limit")),
            deed("why", tr("Why this answer?"), shortcut="Ctrl+Shift+W", icon="question", words=tr("prompt trace")),
            deed("day", tr("Go to a day…"), shortcut="Ctrl+G", icon="calendar", words=tr("date jump")),
            deed("end", tr("Go to the newest message"), icon="chevron_down"),
            deed("beginning", tr("Go to the first message"), icon="chevron_up"),
            deed(
                "read_as_text",
                tr("Read the conversation as plain text"),
                icon="file",
                words=tr("screen reader accessible"),
            ),
        )

    @property
    def foot(self) -> QWidget:
        """The field one writes in; nothing floats over it."""
        return self.view.writing

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The keys of the field and of the conversation."""
        return {tr(where): [(tr(what), key) for what, key in pairs] for where, pairs in KEYS.items()}

    def palette_entries(self) -> Sequence[Action]:
        view = self.view
        export = Action(
            "chat.export_channel",
            tr("Export the messages of this channel…"),
            view.deeds.export_open_channel,
            icon="save",
            group=tr("Chat"),
            words=tr("save turns jsonl file"),
        )
        bring = Action(
            "chat.bring_in",
            tr("Bring in a chat…"),
            lambda: view.deeds.do("bring_in"),
            icon="folder",
            group=tr("Chat"),
            words=tr("import moving in sillytavern discord jsonl history"),
        )
        return (
            bring,
            export,
            *(
                Action(
                    f"chat.channel.{summary.channel.id}",
                    channel_title(summary.channel),
                    lambda channel=summary.channel.id: self._go(channel),
                    icon="chat",
                    group=tr("Channel"),
                    words=str(summary.channel.key),
                )
                for summary in view.model.channels.summaries
            ),
        )

    def _go(self, channel: ChannelId) -> None:
        self._context.go_to("chat", str(channel))

    def activate(self) -> None:
        view = self.view
        if view.model.open is not None:
            view.deeds.do("refresh")
        view.composer.setFocus()

    def find(self) -> None:
        self.view.deeds.do("find")

    def show_place(self, key: str) -> None:
        """Show a channel (`12`), or a turn of one (`12:345`)."""
        channel, _, turn = key.partition(":")
        if channel.isdigit() and turn.isdigit():
            self.view.deeds.show_turn_of(int(channel), int(turn))
            # There the turn is marked as the one that keys speak of.
            self.view.transcript.setFocus()
            return
        if channel.isdigit():
            opened = self.view.model.open
            if opened is None or opened.channel.id != int(channel):
                self.view.deeds.open_channel(int(channel))
        self.view.composer.setFocus()

    async def close(self) -> None:
        for view in self.widget:
            view.deeds.closed = True
            opened = view.model.open
            if opened is not None:
                view.model.drafts.put(opened.channel.id, view.composer.toPlainText())
            for reply in view.model.talk.replies.values():
                if not reply.over:
                    reply.stop()
            await _settle(view)
            await view.tasks.cancel()
            await view.model.drafts.save()


async def _settle(view: ChatView) -> None:
    """Give a stopped reply a moment to be stored."""
    for _ in range(20):
        if not any(not reply.over for reply in view.model.talk.replies.values()):
            return
        await asyncio.sleep(0.05)
