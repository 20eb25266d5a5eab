"""Finds the names of known people in a cue, and takes them out where a name would mislead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from familiar_app.domain.ids import PersonKey
from familiar_app.domain.stop_word import STOP_WORDS

MAX_NAME_WORDS = 4
MIN_FIRST_NAME_CHARS = 3
_WORD = re.compile(r"\w+(?:[-.]\w+)*", re.UNICODE)
_POSSESSIVE = re.compile(r"['’]s?\b", re.IGNORECASE)
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class NameCue:
    """Who a cue names, and the cue without those names (the cue itself where nothing else is left)."""

    people: tuple[PersonKey, ...]
    rest: str


class NameBook:
    """Every name people have or had. A name of several words is also known by its first, unless somebody else's."""

    def __init__(self, names: Iterable[tuple[PersonKey, str]]) -> None:
        self._people: dict[str, dict[PersonKey, None]] = {}
        self._exact: dict[str, set[str]] = {}
        first: dict[str, dict[PersonKey, None]] = {}
        for person, name in names:
            words = [match.group() for match in _WORD.finditer(name)]
            if not words or len(words) > MAX_NAME_WORDS:
                continue
            self._add(self._people, words, person)
            if len(words) > 1 and len(words[0]) >= MIN_FIRST_NAME_CHARS:
                self._add(first, words[:1], person)
        for word, people in first.items():
            self._people.setdefault(word, people)

    def read(self, cue: str) -> NameCue:
        """Look up the words of a cue, the longest names first."""
        words = list(_WORD.finditer(cue))
        people: dict[PersonKey, None] = {}
        pieces: list[str] = []
        at, index = 0, 0
        while index < len(words):
            length, found = self._longest(words[index : index + MAX_NAME_WORDS])
            if not found:
                index += 1
                continue
            people.update(found)
            pieces.append(cue[at : words[index].start()])
            end = words[index + length - 1].end()
            possessive = _POSSESSIVE.match(cue, end)
            at = possessive.end() if possessive else end
            index += length
        pieces.append(cue[at:])
        rest = _SPACES.sub(" ", "".join(pieces)).strip()
        return NameCue(tuple(people), rest if _WORD.search(rest) else cue)

    def _add(self, book: dict[str, dict[PersonKey, None]], words: Sequence[str], person: PersonKey) -> None:
        key = " ".join(words).casefold()
        book.setdefault(key, {})[person] = None
        if key in STOP_WORDS:
            self._exact.setdefault(key, set()).add(" ".join(words))

    def _longest(self, words: Sequence[re.Match[str]]) -> tuple[int, Mapping[PersonKey, None]]:
        for length in range(len(words), 0, -1):
            spelled = " ".join(word.group() for word in words[:length])
            found = self._people.get(spelled.casefold())
            # A name that is also a common word ("Will") has to be spelled like the name.
            if found and spelled in self._exact.get(spelled.casefold(), (spelled,)):
                return length, found
        return 0, {}
