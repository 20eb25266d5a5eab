"""Decides which of several familiars that share one account a message is meant for. Pure; the rest is `speak_rule`'s.

A reply is for whoever said what is replied to. Else those are meant whose names are called, in the order in which they
are called; and where nobody is, the one that is first in the channel.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.lorebook.word import stands_alone

MOST_CALLED = 3


@dataclass(frozen=True, slots=True)
class Resident:
    """A familiar of the household that listens in a channel. `first` is what its settings say, None for nothing."""

    familiar: FamiliarId
    names: tuple[str, ...]
    first: bool | None = None


@dataclass(frozen=True, slots=True)
class Meant:
    """Those a message is meant for. `by_name` tells that they were called or replied to, not only first in line."""

    familiars: tuple[FamiliarId, ...]
    by_name: bool = False


def who_is_meant(text: str, residents: Sequence[Resident], replied_to: FamiliarId | None = None) -> Meant:
    """Return whom `text`, the words of a message without mentions, is meant for. At most three are."""
    if any(one.familiar == replied_to for one in residents) and replied_to is not None:
        return Meant((replied_to,), by_name=True)
    called = sorted(
        (place, number) for number, one in enumerate(residents) if (place := _called(text, one)) is not None
    )
    if called:
        return Meant(tuple(residents[number].familiar for _, number in called[:MOST_CALLED]), by_name=True)
    first = first_of(residents)
    return Meant(() if first is None else (first,))


def first_of(residents: Sequence[Resident]) -> FamiliarId | None:
    """Return who answers where nobody is named: whoever is told to, else whoever is not told otherwise."""
    for wanted in (True, None, False):
        for one in residents:
            if one.first is wanted:
                return one.familiar
    return None


def _called(text: str, resident: Resident) -> int | None:
    """Return where in a text a familiar is called by one of its names, None where it is not."""
    folded = _folded(text)
    places = [place for name in resident.names if (place := _find(_folded(name).strip(), folded)) is not None]
    return min(places, default=None)


def _find(name: str, text: str) -> int | None:
    place = text.find(name) if name else -1
    while place >= 0:
        if stands_alone(text, place, place + len(name), unicode_words=True):
            return place
        place = text.find(name, place + 1)
    return None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
