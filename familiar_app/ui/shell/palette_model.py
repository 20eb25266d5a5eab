"""Finds actions by a few typed letters. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from familiar_app.ui.kit.action import Action

MOST_SHOWN = 60
_WORD_START, _CONSECUTIVE, _FIRST, _GAP = 8, 5, 6, 0.4
_IN_TITLE, _MINOR = 4, 3


@dataclass(frozen=True, slots=True)
class Match:
    """An action that fits, how well, and which characters of its title fit (empty where other words did)."""

    action: Action
    score: float
    positions: tuple[int, ...]


def fuzzy(query: str, text: str) -> tuple[float, tuple[int, ...]] | None:
    """Match the letters of `query` in order within `text`; None where they don't stand there.

    Returns a score (more is better: starts of words, runs, an early first letter) and the matching positions.
    """
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    folded = [char.casefold()[:1] for char in text]
    whole = "".join(folded).find("".join(letters)) if letters else 0
    if whole >= 0:
        positions = tuple(range(whole, whole + len(letters)))
    else:
        # Leaping to the start of a word can pass over the last place of a later letter.
        walked = _walk(letters, folded, text) or _walk_closely(letters, folded)
        if walked is None:
            return None
        positions = walked
    return _score(positions, text), positions


def search(query: str, actions: Iterable[Action], *, recent: tuple[str, ...] = ()) -> list[Match]:
    """Return what fits, best first; for an empty query the recently used first, then all as they are offered."""
    found = []
    for action in actions:
        if not action.enabled():
            continue
        match = _match(query, action)
        if match is not None:
            bonus = 3.0 - recent.index(action.id) * 0.2 if action.id in recent[:10] else 0.0
            found.append(Match(action, match.score + bonus, match.positions))
    if query.strip():
        found.sort(key=lambda match: (-match.score, match.action.title.casefold()))
    else:
        found.sort(key=lambda match: -match.score)
    return found[:MOST_SHOWN]


def _match(query: str, action: Action) -> Match | None:
    if not query.strip():
        return Match(action, 0.0, ())
    found = max(_in_title(query, action), key=lambda one: one[0], default=None)
    if found is not None:
        return Match(action, found[0] + _IN_TITLE - (_MINOR if action.minor else 0), found[1])
    elsewhere = f"{action.group} {action.title} {action.words}".casefold()
    return Match(action, 0.0, ()) if all(word in elsewhere for word in query.casefold().split()) else None


def _in_title(query: str, action: Action) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Match the whole title, and what it names as if nothing stood before it."""
    whole = fuzzy(query, action.title)
    if whole is not None:
        yield whole
    at = action.title.find(action.name) if action.name else -1
    named = fuzzy(query, action.name) if at >= 0 else None
    if named is not None:
        yield named[0], tuple(at + position for position in named[1])


def _walk(letters: list[str], folded: list[str], text: str) -> tuple[int, ...] | None:
    positions: list[int] = []
    start = 0
    for letter in letters:
        at = _next(letter, folded, text, start)
        if at is None:
            return None
        positions.append(at)
        start = at + 1
    return tuple(positions)


def _walk_closely(letters: list[str], folded: list[str]) -> tuple[int, ...] | None:
    """Take each letter at its first place: finds every query whose letters are there in order."""
    rest = iter(enumerate(folded))
    positions = tuple(next((at for at, char in rest if char == letter), -1) for letter in letters)
    return None if -1 in positions else positions


def _next(letter: str, folded: list[str], text: str, start: int) -> int | None:
    """Prefer the character right here, then a start of a word, then the first one found."""
    if start < len(folded) and folded[start] == letter:
        return start
    first = None
    for at in range(start, len(folded)):
        if folded[at] == letter:
            if _begins_word(text, at):
                return at
            first = at if first is None else first
    return first


def _begins_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def _score(positions: tuple[int, ...], text: str) -> float:
    score = 0.0
    for number, at in enumerate(positions):
        score += _WORD_START if _begins_word(text, at) else 1
        if number and at == positions[number - 1] + 1:
            score += _CONSECUTIVE
    if positions:
        score += _FIRST if positions[0] == 0 else 0
        score -= _GAP * (positions[-1] - positions[0] + 1 - len(positions)) + 0.05 * len(text)
    return score
