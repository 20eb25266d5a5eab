"""The side view's pages: a channel with its settings, a server, and a message that was noticed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QCheckBox, QComboBox

from familiar_app.discord_link.journal import Noticed
from familiar_app.discord_link.speak_rule import Why
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.place import Row
from familiar_app.ui.discord.word import MODES, fate_text, why_text
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
    page.text(f"It listens in {row.listening} of {len(row.server.places)} channels.", "quiet")
    if row.server.number:
        page.part("Memory about people")
        box = _check("Ask people first", row.opt_in, partial(do, "ask_first", row))
        page.column.addWidget(box)
        page.text(
            "While this is on, what people here say is kept for the conversation, but nothing is drawn from it about "
            "them before they agree with /privacy.",
            "quiet",
        )
    page.end()
    return page


def channel_page(model: DiscordModel, row: Row, do: Do) -> SidePage:
    """Return the page of a channel."""
    page = SidePage(row.title)
    page.text(row.server.name, "quiet")
    box = _check(f"{model.name} listens here", row.listens, partial(do, "listen", row))
    box.setEnabled(row.can_listen)
    page.column.addWidget(box)
    if row.inherits:
        page.text("A thread goes with the channel above it.", "quiet")
    if row.lacking:
        page.part("Rights it lacks here")
        for right in row.lacking:
            page.text(f"{right.name}, {right.what_for}.", "danger" if row.listens else "body")
        page.text("Give them to the bot's role in the settings of the server or the channel.", "quiet")
    page.part("When it speaks")
    page.column.addWidget(_mode_box(model, row, do))
    if model.hosted.config.discord_mode(row.channel) == "ambient":
        page.text("This needs the switch “Message Content Intent” in the developer portal, on the page Bot.", "quiet")
    if row.listens and not row.inherits:
        _add_attention(page, model, row, do)
    _add_layers(page, model, row, do)
    page.end()
    return page


def _add_attention(page: SidePage, model: DiscordModel, row: Row, do: Do) -> None:
    page.part("Attention")
    page.column.addWidget(_check("Hold its attention here", row.attended, partial(do, "attend", row)))
    if row.attended and not row.pinned:
        page.text(f"{model.name} chose this channel itself, and may choose another.", "quiet")
    elif row.unread:
        page.text(f"{row.unread:,} messages here are unread.", "quiet")
    else:
        page.text("While no channel is held to, it follows all of them.", "quiet")


def _mode_box(model: DiscordModel, row: Row, do: Do) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(f"When it speaks in {row.title}")
    box.addItem("As everywhere else", None)
    for mode, text in MODES.items():
        box.addItem(text, mode)
    box.setCurrentIndex(1 + list(MODES).index(row.mode) if row.own_mode else 0)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setToolTip(f"Everywhere else: {MODES[model.hosted.config.discord.mode].lower()}.")
    box.activated.connect(lambda at: do("mode", row, box.itemData(at)))
    return box


def _add_layers(page: SidePage, model: DiscordModel, row: Row, do: Do) -> None:
    page.part("What its prompts hold here")
    for layer, on in model.layers(row.channel):
        page.column.addWidget(_check(_layer_title(layer), on, partial(do, "layers", row, layer)))
    if row.own_layers:
        page.buttons((("As everywhere else", partial(do, "usual_layers", row)),))


def noticed_page(model: DiscordModel, noticed: Noticed, do: Do) -> SidePage:
    """Return the page of a message that was noticed."""
    page = SidePage("A message")
    page.text(noticed.author, "heading")
    page.text(f"{noticed.spot.title} · {noticed.at.astimezone(model.zone):%Y-%m-%d %H:%M:%S}", "quiet")
    page.part("Why it spoke" if noticed.speak else "Why it did not speak")
    page.text(why_text(noticed, model.name))
    if told := fate_text(noticed):
        page.text(told)
    steps: list[tuple[str, Callable[[], object]]] = []
    if noticed.turn is not None:
        page.part("Where it stands")
        page.chip("The message in the chat", partial(do, "turn", noticed))
    if noticed.why is Why.NOT_SUBSCRIBED:
        steps.append(("Show this channel", partial(do, "place", noticed.spot.number)))
    if noticed.why is Why.DIRECT_OFF:
        steps.append(("Take direct messages", partial(do, "direct", True)))
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
