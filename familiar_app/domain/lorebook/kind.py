"""Kinds of values in foreign lorebook files: how each is read forgivingly and written back.

A reader returns the value, or `MISSING` where nothing usable is there; `Reading.mended` tells that it had to guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from familiar_app.domain.lorebook.entry import CharacterFilter, LoreRole, Position, SecondaryLogic

# Python writes no longer numbers out, which hexadecimal ones in a file can be.
_MAX_BITS = 10_000


class _Missing(Enum):
    MISSING = "missing"


MISSING = _Missing.MISSING


class Reading(NamedTuple):
    """A value that was read."""

    value: Any
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to read and write one value. `write` also gets what stood there, to keep its form; None for nothing."""

    read: Callable[[Any], Reading]
    write: Callable[[Any, Any], Any]


def whole_text(text: str) -> str:
    """Replace halves of surrogate pairs, which nothing can store."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def finite_number(value: Any) -> float | None:
    """Return a finite number from a number or a numeric text; blank, NaN and everything else counts as missing."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            return None
    if isinstance(value, int | float) and -1e15 < value < 1e15 and math.isfinite(value):
        return int(value) if value == int(value) else value
    return None


def number_or(value: Any, default: float) -> float:
    """Return a finite number from a number or a numeric text, else the default."""
    found = finite_number(value)
    return default if found is None else found


def _same(value: Any, _old: Any) -> Any:
    return value


def _read_text(value: Any) -> Reading:
    if isinstance(value, str):
        text = whole_text(value)
        return Reading(text, text != value)
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= _MAX_BITS):
        return Reading(str(value), True)
    return Reading(MISSING, value is not None)


def _read_flag(value: Any) -> Reading:
    if isinstance(value, bool):
        return Reading(value)
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return Reading(value.strip().lower() == "true", True)
    number = finite_number(value)
    if number is not None and value != "":
        return Reading(number != 0, True)
    return Reading(MISSING, value is not None)


def _read_opposite(value: Any) -> Reading:
    flag = _read_flag(value)
    return flag if flag.value is MISSING else Reading(not flag.value, flag.mended)


def _read_number(value: Any) -> Reading:
    number = finite_number(value)
    if number is None:
        return Reading(MISSING, value is not None)
    return Reading(number, isinstance(value, str))


def _read_integer(value: Any) -> Reading:
    number = finite_number(value)
    if number is None:
        return Reading(MISSING, value is not None)
    return Reading(int(number), isinstance(value, str) or number != int(number))


def _read_level(value: Any) -> Reading:
    return Reading(int(value)) if isinstance(value, bool) else _natural(_read_integer(value))


def _natural(reading: Reading) -> Reading:
    if reading.value is MISSING or reading.value >= 0:
        return reading
    return Reading(0, True)


def _read_texts(value: Any) -> Reading:
    if isinstance(value, str):
        return Reading((whole_text(value),) if value else (), True)
    if not isinstance(value, list | tuple):
        return Reading(MISSING, value is not None)
    texts = tuple(_read_text(item) for item in value)
    kept = tuple(text.value for text in texts if text.value is not MISSING)
    return Reading(kept, any(text.mended for text in texts) or len(kept) < len(texts))


def _read_filter(value: Any) -> Reading:
    if not isinstance(value, Mapping) or not value:
        return Reading(None, mended=value not in (None, [], {}))
    names, tags = _read_texts(value.get("names") or []), _read_texts(value.get("tags") or [])
    exclude = _read_flag(value.get("isExclude", False))
    mended = names.mended or tags.mended or exclude.mended
    parts = [() if part.value is MISSING else part.value for part in (names, tags)]
    wanted = CharacterFilter(exclude.value is True, parts[0], parts[1])
    return Reading(None if wanted == CharacterFilter() else wanted, mended)


def _write_filter(value: CharacterFilter | None, _old: Any) -> Any:
    if value is None:
        return None
    return {"isExclude": value.exclude, "names": list(value.names), "tags": list(value.tags)}


def _read_choice(choices: type[Enum]) -> Callable[[Any], Reading]:
    def read(value: Any) -> Reading:
        number = finite_number(value)
        if number is None:
            return Reading(MISSING, value is not None)
        try:
            return Reading(choices(number), isinstance(value, str))
        except ValueError:
            return Reading(MISSING, True)

    return read


TEXT = Kind(_read_text, _same)
FLAG = Kind(_read_flag, _same)
OPPOSITE = Kind(_read_opposite, lambda value, _: not value)
NUMBER = Kind(_read_number, _same)
INTEGER = Kind(_read_integer, _same)
NATURAL = Kind(lambda value: _natural(_read_integer(value)), _same)
DURATION = Kind(lambda value: _natural(_read_integer(value)), lambda value, _: value or None)
LEVEL = Kind(_read_level, _same)
TEXTS = Kind(_read_texts, lambda value, _: list(value))
FILTER = Kind(_read_filter, _write_filter)
LOGIC = Kind(_read_choice(SecondaryLogic), lambda value, _: int(value))
POSITION = Kind(_read_choice(Position), lambda value, _: int(value))
ROLE = Kind(_read_choice(LoreRole), lambda value, _: int(value))


def word_kind(choices: type[Enum]) -> Kind:
    """Return a kind that writes a choice as its name in small letters with hyphens, such as `at-depth`."""
    words = {choice.name.lower().replace("_", "-"): choice for choice in choices}

    def read(value: Any) -> Reading:
        if isinstance(value, str):
            word = value.strip().lower().replace("_", "-").replace(" ", "-")
            return Reading(words[word], word != value) if word in words else Reading(MISSING, True)
        return Reading(MISSING, value is not None)

    return Kind(read, lambda value, _: next(word for word, choice in words.items() if choice == value))
