"""Generates servers full of talk: words by Zipf's law, many speakers, topics that come and go."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.domain.turn import Author, NewTurn, Role

NOON = datetime(2021, 5, 1, 12, tzinfo=UTC)
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ai", "or", "en")]
_VOCABULARY = 30_000
_COMMON = ("the", "i", "you", "and", "to", "it", "that", "of", "is", "in", "so", "was", "for", "my", "on", "with")


@dataclass(frozen=True)
class Question:
    """Something asked of the corpus, and the number of the turn that answers it."""

    text: str
    turn: int


def vocabulary(seed: int = 1) -> list[str]:
    """Return invented words, the most frequent first; the first ones are real and common."""
    dice = random.Random(seed)
    words = dict.fromkeys(_COMMON)
    while len(words) < _VOCABULARY:
        words["".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4)))] = None
    return list(words)


def speakers(count: int, seed: int = 2) -> list[Author]:
    """Return people with invented names."""
    dice = random.Random(seed)
    names: dict[str, None] = {}
    while len(names) < count:
        names["".join(dice.choices(_SYLLABLES, k=2)).capitalize() + "ius"] = None
    return [Author(PersonKey(f"discord:{number}"), name, name.lower()) for number, name in enumerate(names)]


def talk(turns: int, channels: Sequence[ChannelId], people: Sequence[Author], seed: int = 3) -> Iterator[list[NewTurn]]:
    """Yield chunks of turns of 3 to 30 words, a minute apart."""
    dice = random.Random(seed)
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(words))))
    for start in range(0, turns, 5000):
        chunk = []
        for number in range(start, min(start + 5000, turns)):
            text = " ".join(dice.choices(words, cum_weights=weights, k=dice.randint(3, 30)))
            author = people[min(int(dice.expovariate(6 / len(people))), len(people) - 1)]
            at = NOON + timedelta(minutes=number)
            chunk.append(NewTurn(dice.choice(channels), Role.USER, text, at, author, message_id=f"m{number}"))
        yield chunk


def cues(count: int, people: Sequence[Author], seed: int = 4) -> list[str]:
    """Return questions of some common and some rare words; every second one names somebody."""
    dice = random.Random(seed)
    words = vocabulary()
    weights = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(words))))
    found = []
    for number in range(count):
        chosen = dice.choices(words, cum_weights=weights, k=8) + dice.choices(words[200:3000], k=2)
        who = f"{dice.choice(people).name}'s " if number % 2 else ""
        found.append(f"what about {who}{' '.join(chosen)}?")
    return found
