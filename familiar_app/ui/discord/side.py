"""The side view's pages: a channel with its settings, a server, and a message that was noticed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QCheckBox, QComboBox

from familiar_app.discord_link.journal import Noticed
from familiar_app.discord_link.speak_rule import Why
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.place import Row
from familiar_app.ui.discord.word import ELSEWHERE, MODES, NEEDS_INTENT, fate_text, right_words, spot_text, why_text
from familiar_app.ui.kit.date_text import numeric_date_time
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.kit.side_page import SidePage

Do = Callable[..., object]
"""Does what a word says with what follows: `do("listen", row, True)`."""


def page_of(model: DiscordModel, row: Row, do: Do) -> SidePage:
    """Return the page of a row."""
    return server_page(row, do) if row.place is None else channel_page(model, row, do)


def server_page(row: Row, do: Do) -> SidePage:
    """Return the page of a server."""
    page = SidePage(row.server.name)
    some, channels = row.listening, len(row.server.places)
    page.text(tr("It listens in {some} of {all} channels.", some=some, all=channels), "quiet")
    if row.server.number:
        page.part(tr("Memory about people"))
        box = _check(tr("Ask people first"), row.opt_in, partial(do, "ask_first", row))
        page.column.addWidget(box)
        page.text(
            tr(
                "While this is on, what people here say is kept for the conversation, but nothing is drawn from it "
                "about them before they agree with /privacy."
            ),
            "quiet",
        )
    page.end()
    return page


def channel_page(model: DiscordModel, row: Row, do: Do) -> SidePage:
    """Return the page of a channel."""
    page = SidePage(row.title)
    page.text(row.server.name, "quiet")
    box = _check(tr("{name} listens here", name=model.name), row.listens, partial(do, "listen", row))
    box.setEnabled(row.can_listen)
    page.column.addWidget(box)
    if row.inherits:
        page.text(tr("A thread goes with the channel above it."), "quiet")
    if row.lacking:
        page.part(tr("Rights it lacks here"))
        for right in row.lacking:
            name, what_for = right_words(right)
            text = tr("{right}, {what_for}.", right=name, what_for=what_for)
            page.text(text, "danger" if row.listens else "body")
        page.text(tr("Give them to the bot's role in the settings of the server or the channel."), "quiet")
    page.part(tr("When it speaks"))
    page.column.addWidget(_mode_box(model, row, do))
    if model.hosted.config.discord_mode(row.channel) == "ambient":
        page.text(tr(NEEDS_INTENT), "quiet")
    if row.listens and not row.inherits:
        _add_attention(page, model, row, do)
    _add_layers(page, model, row, do)
    page.end()
    return page


def _add_attention(page: SidePage, model: DiscordModel, row: Row, do: Do) -> None:
    page.part(tr("Attention"))
    page.column.addWidget(_check(tr("Hold its attention here"), row.attended, partial(do, "attend", row)))
    if row.attended and not row.pinned:
        page.text(tr("{name} chose this channel itself, and may choose another.", name=model.name), "quiet")
    elif row.unread:
        page.text(ntr("{n} message here is unread.", "{n} messages here are unread.", row.unread), "quiet")
    else:
        page.text(tr("While no channel is held to, it follows all of them."), "quiet")


def _mode_box(model: DiscordModel, row: Row, do: Do) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(tr("When it speaks in {channel}", channel=row.title))
    box.addItem(tr("As everywhere else"), None)
    for mode, text in MODES.items():
        box.addItem(tr(text), mode)
    box.setCurrentIndex(1 + list(MODES).index(row.mode) if row.own_mode else 0)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setToolTip(tr(ELSEWHERE[model.hosted.config.discord.mode]))
    box.activated.connect(lambda at: do("mode", row, box.itemData(at)))
    return box


def _add_layers(page: SidePage, model: DiscordModel, row: Row, do: Do) -> None:
    page.part(tr("What its prompts hold here"))
    for layer, on in model.layers(row.channel):
        page.column.addWidget(_check(_layer_title(layer), on, partial(do, "layers", row, layer)))
    if row.own_layers:
        page.buttons(((tr("As everywhere else"), partial(do, "usual_layers", row)),))


def noticed_page(model: DiscordModel, noticed: Noticed, do: Do) -> SidePage:
    """Return the page of a message that was noticed."""
    page = SidePage(tr("A message"))
    page.text(noticed.author, "heading")
    page.text(
        f"{spot_text(noticed.spot)} · {numeric_date_time(noticed.at.astimezone(model.zone), seconds=True)}", "quiet"
    )
    page.part(tr("Why it spoke") if noticed.speak else tr("Why it did not speak"))
    page.text(why_text(noticed, model.name))
    if told := fate_text(noticed):
        page.text(told)
    steps: list[tuple[str, Callable[[], object]]] = []
    if noticed.turn is not None:
        page.part(tr("Where it stands"))
        page.chip(tr("The message in the chat"), partial(do, "turn", noticed))
    if noticed.why is Why.NOT_SUBSCRIBED:
        steps.append((tr("Show this channel"), partial(do, "place", noticed.spot.number)))
    if noticed.why is Why.DIRECT_OFF:
        steps.append((tr("Take direct messages"), partial(do, "direct", True)))
    page.buttons(steps)
    page.end()
    return page


def _layer_title(layer: str) -> str:
    text = words(layer)
    return text[:1].upper() + text[1:]


def _check(text: str, on: bool, changed: Callable[[bool], object]) -> QCheckBox:
    box = QCheckBox(text)
    box.setAccessibleName(text)
    box.setChecked(on)
    box.clicked.connect(lambda now: changed(now))
    return box
