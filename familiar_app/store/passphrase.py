"""An honest, rough judgement of a passphrase while it is being typed: it finds weakness, it cannot prove strength."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr, tr_later

# Beginnings and wholes that guessing programs try first.
_COMMON = frozenset(
    [
        "password",
        "passwort",
        "passphrase",
        "letmein",
        "welcome",
        "qwerty",
        "qwertz",
        "azerty",
        "iloveyou",
        "admin",
        "login",
        "master",
        "dragon",
        "monkey",
        "football",
        "baseball",
        "sunshine",
        "princess",
        "superman",
        "batman",
        "trustno1",
        "starwars",
        "shadow",
        "secret",
        "test",
        "hello",
        "familiar",
        "correcthorsebatterystaple",
        "abc123",
        "abcd1234",
        "changeme",
        "default",
    ]
)
_RUNS = ("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "asdfghjkl", "zxcvbnm", "azertyuiop")
_HINTS = (
    tr_later("Far too easy to guess. Take five or more words that do not belong together."),
    tr_later("Easy to guess. Add more words that do not belong together."),
    tr_later("A patient attacker could guess this. One or two more words make it good."),
    tr_later("Good."),
    tr_later("Strong."),
)
_BITS = (28, 42, 56, 75)


@dataclass(frozen=True, slots=True)
class Strength:
    """`score` runs from 0 (guessed at once) to 4 (strong); `hint` says it in words."""

    score: int
    hint: str


def normalise_passphrase(text: str) -> bytes:
    """Return the bytes a passphrase is used as, the same whichever keyboard composed its accents.

    Raises BadInputError where it is empty or is not valid Unicode.
    """
    if not text:
        raise BadInputError(tr("the passphrase is empty."), next_step=tr("Type at least a few words."))
    try:
        return unicodedata.normalize("NFKC", text).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInputError(tr("the passphrase holds a broken character."), next_step=tr("Type it again.")) from error


def passphrase_strength(text: str) -> Strength:
    """Judge by length, kinds of characters, repetition, runs on the keyboard and the best-known passwords."""
    bits = _estimate_bits(text)
    score = sum(bits >= limit for limit in _BITS)
    return Strength(score, tr(_HINTS[score]))


def _estimate_bits(text: str) -> float:
    folded = text.casefold()
    letters = re.sub(r"[\W\d_]+", "", folded)
    if letters in _COMMON or re.sub(r"\s+", "", folded) in _COMMON:
        return 10.0
    units = _distinct_units(folded)
    words = re.findall(r"[^\W\d_]{3,}", folded)
    per_character = math.log2(_pool(text)) * units
    if len(words) < 3:
        return per_character * 0.8
    # Several words are guessed word by word: about 12 bits for each different one.
    by_word = 12.0 * len(set(words)) + 4.0 * len(re.findall(r"[\d\W]", folded.replace(" ", "")))
    return min(per_character, by_word)


def _pool(text: str) -> int:
    kinds = ((r"[a-z]", 26), (r"[A-Z]", 26), (r"\d", 10), (r"[^\w\s]", 30), (r"\s", 2), (r"[^\x00-\x7f]", 100))
    return max(2, sum(size for pattern, size in kinds if re.search(pattern, text)))


def _distinct_units(folded: str) -> float:
    """Count characters, but little for one that repeats or continues a run."""
    units = 0.0
    for index in range(len(folded)):
        pair = folded[index - 1 : index + 1] if index else ""
        run = len(pair) == 2 and (pair[0] == pair[1] or any(pair in row or pair[::-1] in row for row in _RUNS))
        repeat = index >= 3 and folded[index - 2 : index + 1] in folded[: index - 1]
        units += 0.2 if run or repeat else 1.0
    return min(units, 3.0 * len(set(folded)))
