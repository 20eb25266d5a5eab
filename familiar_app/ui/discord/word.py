"""The Discord panel's sentences: how the link stands, why something was said or not, what is missing where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from familiar_app.discord_link.incoming import Spot
from familiar_app.discord_link.journal import Fate, Noticed
from familiar_app.discord_link.limit import Limit
from familiar_app.discord_link.rights import ATTACH, MANAGE_WEBHOOKS, READ_HISTORY, SEND, SEND_IN_THREADS, VIEW, Right
from familiar_app.discord_link.speak_rule import Why
from familiar_app.discord_link.standing import Standing
from familiar_app.discord_link.status import LinkStatus
from familiar_app.domain.settings import DiscordMode
from familiar_app.domain.text import tr, tr_later

MODES: Mapping[DiscordMode, str] = {
    "mentions": tr_later("When spoken to"),
    "ambient": tr_later("Joins in by itself"),
}
SPEAKS_ANYWHERE: Mapping[DiscordMode, str] = {
    "mentions": tr_later("Speaks: when spoken to"),
    "ambient": tr_later("Speaks: joins in by itself"),
}
ELSEWHERE: Mapping[DiscordMode, str] = {
    "mentions": tr_later("Everywhere else: when spoken to."),
    "ambient": tr_later("Everywhere else: joins in by itself."),
}
SPEAKS: Mapping[DiscordMode, str] = {
    "mentions": tr_later("{name} speaks when spoken to."),
    "ambient": tr_later("{name} joins in by itself."),
}
SPEAKS_IN: Mapping[DiscordMode | None, str] = {
    None: tr_later("{name} speaks in {channel} as everywhere else."),
    "mentions": tr_later("{name} speaks in {channel} when spoken to."),
    "ambient": tr_later("{name} joins in by itself in {channel}."),
}
NEEDS_INTENT = tr_later(
    "To join in by itself, the bot needs the switch “Message Content Intent” in the developer portal, on the page Bot."
)
_FATES = {
    Fate.SENT: tr_later("Answered"),
    Fate.SILENT: tr_later("Stayed silent"),
    Fate.DROPPED: tr_later("Took it back"),
    Fate.FAILED: tr_later("Failed"),
}
_FATE_SENTENCES = {
    Fate.SENT: tr_later("The answer was sent."),
    Fate.SILENT: tr_later("The model was asked, and chose to say nothing."),
    Fate.DROPPED: tr_later(
        "The answer was given up before it was sent: the message was deleted, or a newer one took its place."
    ),
    Fate.FAILED: tr_later("The answer could not be made or sent. The log has the reason."),
}
_RIGHTS: Mapping[Right, tuple[str, str]] = {
    VIEW: (tr_later("View Channels"), tr_later("to see where people talk")),
    SEND: (tr_later("Send Messages"), tr_later("to answer")),
    SEND_IN_THREADS: (tr_later("Send Messages in Threads"), tr_later("to answer in threads")),
    READ_HISTORY: (
        tr_later("Read Message History"),
        tr_later("to reply to a message, and to fetch what it missed"),
    ),
    ATTACH: (tr_later("Attach Files"), tr_later("to send a very long answer as a file")),
    MANAGE_WEBHOOKS: (tr_later("Manage Webhooks"), tr_later("to speak with a familiar's own name and picture")),
}
_LIMITED = {
    "messages": tr_later("messages"),
    "the typing indicator": tr_later("the typing indicator"),
    "slash commands": tr_later("slash commands"),
    "answers to commands": tr_later("answers to commands"),
    "channels": tr_later("channels"),
    "requests": tr_later("requests"),
}
_WHY = {
    Why.OWN: tr_later("{name} wrote this message."),
    Why.SYSTEM: tr_later("Discord itself wrote this message."),
    Why.BOT: tr_later(
        "A bot wrote this. Bots are answered only where their numbers stand in the settings, and by mention."
    ),
    Why.NOT_SUBSCRIBED: tr_later("{name} does not listen in this channel; nothing of it is kept."),
    Why.DIRECT_OFF: tr_later("Direct messages are switched off; nothing of it is kept."),
    Why.OLD: tr_later("It was written more than five minutes before {name} came back."),
    Why.IN_A_ROW: tr_later("{name} had the last few words here. It waits until a person speaks."),
    Why.OTHERS: tr_later("It speaks to somebody else."),
    Why.UNFOCUSED: tr_later("{name} attends to other channels; this one is counted as unread."),
    Why.COOLING: tr_later("{name} had just thought about a message here; it looks at the next one after 20 seconds."),
    Why.UNADDRESSED: tr_later("Nobody spoke to {name}, by mention or by a reply."),
    Why.ADDRESSED: tr_later("Somebody spoke to {name}."),
    Why.DIRECT: tr_later("It is a direct message."),
    Why.LOOK: tr_later("Much was unread in a channel {name} does not attend to, so it took one look."),
    Why.AMBIENT: tr_later("Nobody spoke to {name}; the model may decide by itself whether to join in."),
    Why.ANOTHER: tr_later("It is for another familiar."),
}


@dataclass(frozen=True, slots=True)
class Word:
    """A short word with the whole of it, and the role of its colour."""

    text: str
    tip: str
    tone: str = "text_2"


def pulse(standing: Standing, now: datetime, limits: Sequence[Limit] = ()) -> Word:
    """Return the word for the status bar, an empty one where the familiar has nothing to do with Discord.

    `limits` are those that hold now.
    """
    status = standing.status
    tip = status.sentence(now)
    if not standing.token:
        return Word("", "")
    match status.state:
        case "connected":
            limited = any(one.refused for one in limits)
            return Word(tr("Discord: slowed down") if limited else tr("Discord: connected"), tip, "text_2")
        case "connecting":
            return Word(tr("Discord: connecting"), tip, "text_3")
        case "waiting":
            return Word(tr("Discord: again in {seconds} s", seconds=status.seconds(now)), tip, "warning")
        case "failed":
            return Word(tr("Discord: not connected"), tip, "danger")
        case _:
            return Word(tr("Discord: off"), tip, "text_3")


def failure_text(status: LinkStatus) -> str:
    """Say what went wrong with a link that failed, and what is to be done about it in this window."""
    if status.need == "intent":
        return tr(
            "The bot may not read messages that do not mention it, so Discord refused the connection. Switch on "
            "“Message Content Intent” in the developer portal, on the page Bot, save, and press Connect again; or let "
            "it speak only when spoken to."
        )
    return status.trouble


def limits_text(limits: Sequence[Limit], now: float) -> str:
    """Say of Discord's limits how long they still hold, by `time.monotonic`; "" where there is none."""
    return " ".join(_limit_text(one, round(one.until - now)) for one in limits)


def _limit_text(limit: Limit, seconds: int) -> str:
    what = tr(_LIMITED.get(limit.what, limit.what))
    if limit.refused:
        return tr("Discord asks to wait with {what} for {seconds} s.", what=what, seconds=seconds)
    return tr("Discord takes no more {what} for {seconds} s.", what=what, seconds=seconds)


def spot_text(spot: Spot) -> str:
    """Say where a message stands. With whom a direct one was exchanged is told beside it."""
    return tr("direct message") if spot.direct else spot.title


def did_text(noticed: Noticed) -> str:
    """Say in a word or two what was done about a message."""
    if noticed.fate is not None:
        return tr(_FATES[noticed.fate])
    return tr("Answering…") if noticed.speak else tr("No answer")


def why_text(noticed: Noticed, name: str) -> str:
    """Say why, in a sentence."""
    return tr(_WHY[noticed.why], name=name)


def fate_text(noticed: Noticed) -> str:
    """Say what became of an answer, "" where there was to be none or it is not over."""
    return "" if noticed.fate is None else tr(_FATE_SENTENCES[noticed.fate])


def lacking_text(rights: Sequence[Right]) -> str:
    """Name the rights that are missing."""
    return ", ".join(right_words(right)[0] for right in rights)


def right_words(right: Right) -> tuple[str, str]:
    """Return what Discord calls a right, and what for it is needed."""
    name, what_for = _RIGHTS[right]
    return tr(name), tr(what_for)


def count_text(listening: int, all_of_them: int) -> str:
    """Say in how many channels of a server it listens."""
    return tr("{some} of {all}", some=listening, all=all_of_them)
