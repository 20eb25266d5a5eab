"""Decides whether a message on Discord is to be answered, and says why. Pure; what is answered is decided elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LOOK_AFTER = 20
"""So many unread messages let the familiar look into a channel that it does not attend to."""
MAX_TURNS_IN_A_ROW = 3
OLD_S = 300.0
COOL_DOWN_S = 20.0


class Why(StrEnum):
    """Why a message is answered or not."""

    OWN = "it is the familiar's own message"
    SYSTEM = "Discord itself wrote it"
    BOT = "a bot wrote it"
    NOT_SUBSCRIBED = "the channel is not subscribed"
    DIRECT_OFF = "direct messages are switched off"
    OLD = "it was written while the familiar was away"
    IN_A_ROW = "no person has spoken since the familiar's last few messages"
    OTHERS = "it speaks to somebody else"
    ANOTHER = "it is for another familiar"
    UNFOCUSED = "the familiar attends to other channels"
    COOLING = "the familiar has just decided about a message here"
    UNADDRESSED = "nobody spoke to the familiar"
    ADDRESSED = "somebody spoke to the familiar"
    DIRECT = "it is a direct message"
    AMBIENT = "the model may decide whether to speak"
    LOOK = "much is unread in a channel it does not attend to, so the model takes one look"


@dataclass(frozen=True, slots=True)
class Situation:
    """All that the rule looks at. `others_mentioned` counts people only: no roles, no `@everyone`.

    `bot` holds for webhooks too. `own_in_a_row` counts the familiar's turns since a person last spoke, `age_s` how long
    ago the message was written, `idle_s` how long ago the model was last asked about an unaddressed message, if ever.
    """

    own: bool = False
    system: bool = False
    bot: bool = False
    bot_allowed: bool = False
    direct: bool = False
    direct_on: bool = False
    subscribed: bool = False
    mentioned: bool = False
    replied_to: bool = False
    others_mentioned: bool = False
    ambient: bool = False
    attended: bool = True
    unread: int = 0
    another: bool = False
    own_in_a_row: int = 0
    age_s: float = 0.0
    idle_s: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to answer, and the reason. With `may_stay_silent` the model has the last word."""

    speak: bool
    why: Why

    @property
    def may_stay_silent(self) -> bool:
        return self.why in (Why.AMBIENT, Why.LOOK)


def when_to_speak(now: Situation) -> Verdict:
    """Decide about one message. The first rule that fits has the word."""
    refused = _never(now) or _not_here(now)
    if refused is not None:
        return Verdict(False, refused)
    if now.direct:
        return Verdict(True, Why.DIRECT)
    if now.mentioned or now.replied_to:
        return Verdict(True, Why.ADDRESSED)
    return _unaddressed(now)


def _never(now: Situation) -> Why | None:
    """Return what rules out an answer wherever the message stands."""
    if now.own:
        return Why.OWN
    if now.system:
        return Why.SYSTEM
    # A reply by a bot is no address: two bots that quote each other would never come to an end.
    if now.bot and not (now.bot_allowed and now.mentioned):
        return Why.BOT
    return None


def _not_here(now: Situation) -> Why | None:
    """Return what rules out an answer in this place at this moment."""
    if now.direct and not now.direct_on:
        return Why.DIRECT_OFF
    if not now.direct and not now.subscribed:
        return Why.NOT_SUBSCRIBED
    if now.age_s > OLD_S:
        return Why.OLD
    if now.bot and now.own_in_a_row >= MAX_TURNS_IN_A_ROW:
        return Why.IN_A_ROW
    if now.another:
        return Why.ANOTHER
    return None


def _unaddressed(now: Situation) -> Verdict:
    if now.others_mentioned:
        return Verdict(False, Why.OTHERS)
    if not now.ambient:
        return Verdict(False, Why.UNADDRESSED)
    if not now.attended and now.unread < LOOK_AFTER:
        return Verdict(False, Why.UNFOCUSED)
    if now.idle_s is not None and now.idle_s < COOL_DOWN_S:
        return Verdict(False, Why.COOLING)
    return Verdict(True, Why.AMBIENT if now.attended else Why.LOOK)
