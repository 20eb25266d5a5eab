"""The Discord panel's sentences: how the link stands, why something was said or not, what is missing where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from familiar_app.discord_link.journal import Fate, Noticed
from familiar_app.discord_link.limit import Limit
from familiar_app.discord_link.rights import Right
from familiar_app.discord_link.speak_rule import Why
from familiar_app.discord_link.standing import Standing

MODES: Mapping[str, str] = {"mentions": "When spoken to", "ambient": "Joins in by itself"}
_FATES = {
    Fate.SENT: "Answered",
    Fate.SILENT: "Stayed silent",
    Fate.DROPPED: "Took it back",
    Fate.FAILED: "Failed",
}
_FATE_SENTENCES = {
    Fate.SENT: "The answer was sent.",
    Fate.SILENT: "The model was asked, and chose to say nothing.",
    Fate.DROPPED: "The answer was given up before it was sent: the message was deleted, or a newer one took its place.",
    Fate.FAILED: "The answer could not be made or sent. The log has the reason.",
}
_WHY = {
    Why.OWN: "{name} wrote this message.",
    Why.SYSTEM: "Discord itself wrote this message.",
    Why.BOT: "A bot wrote this. Bots are answered only where their numbers stand in the settings, and by mention.",
    Why.NOT_SUBSCRIBED: "{name} does not listen in this channel; nothing of it is kept.",
    Why.DIRECT_OFF: "Direct messages are switched off; nothing of it is kept.",
    Why.OLD: "It was written more than five minutes before {name} came back.",
    Why.IN_A_ROW: "{name} had the last few words here. It waits until a person speaks.",
    Why.OTHERS: "It speaks to somebody else.",
    Why.UNFOCUSED: "{name} attends to other channels; this one is counted as unread.",
    Why.COOLING: "{name} had just thought about a message here; it looks at the next one after 20 seconds.",
    Why.UNADDRESSED: "Nobody spoke to {name}, by mention or by a reply.",
    Why.ADDRESSED: "Somebody spoke to {name}.",
    Why.DIRECT: "It is a direct message.",
    Why.LOOK: "Much was unread in a channel {name} does not attend to, so it took one look.",
    Why.AMBIENT: "Nobody spoke to {name}; the model may decide by itself whether to join in.",
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
            return Word("Discord: slowed down" if limited else "Discord: connected", tip, "text_2")
        case "connecting":
            return Word("Discord: connecting", tip, "text_3")
        case "waiting":
            return Word(f"Discord: again in {status.seconds(now)} s", tip, "warning")
        case "failed":
            return Word("Discord: not connected", tip, "danger")
        case _:
            return Word("Discord: off", tip, "text_3")


def limits_text(limits: Sequence[Limit], now: float) -> str:
    """Say of Discord's limits how long they still hold, by `time.monotonic`; "" where there is none."""
    return " ".join(
        f"Discord {'asks to wait with' if one.refused else 'takes no more'} {one.what} for {one.until - now:.0f} s."
        for one in limits
    )


def did_text(noticed: Noticed) -> str:
    """Say in a word or two what was done about a message."""
    if noticed.fate is not None:
        return _FATES[noticed.fate]
    return "Answering…" if noticed.speak else "No answer"


def why_text(noticed: Noticed, name: str) -> str:
    """Say why, in a sentence."""
    return _WHY.get(noticed.why, f"{noticed.why[:1].upper()}{noticed.why[1:]}.").format(name=name)


def fate_text(noticed: Noticed) -> str:
    """Say what became of an answer, "" where there was to be none or it is not over."""
    return "" if noticed.fate is None else _FATE_SENTENCES[noticed.fate]


def lacking_text(rights: Sequence[Right]) -> str:
    """Name the rights that are missing."""
    return ", ".join(right.name for right in rights)


def count_text(listening: int, all_of_them: int) -> str:
    """Say in how many channels of a server it listens."""
    return f"{listening} of {all_of_them}"
